import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import type { Ctx } from '../../db/context.ts'
import type { RowBudget } from '../../kernel/work/row-budget.ts'
import { widthOf } from './cost-formula.ts'
import type { FieldCost } from './field-cost.ts'

/** Name under which the plugin is registered with the builder. */
export const costPlugin = 'cost'

declare global {
  // biome-ignore lint/style/noNamespace: this is where Pothos looks for the types of its plugins
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      cost: CostPlugin<Types>
    }
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** The cost of the field, or its weight. Defaults to a point of objects, and ten elements of lists. */
      complexity?: number | FieldCost
    }
  }
}

/** Stores the cost of each field in its extensions, and counts the fields of a list before its elements are resolved. */
class CostPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { complexity = {} } = config.pothosOptions
    const cost = typeof complexity === 'number' ? { weight: complexity } : complexity
    return { ...config, extensions: { ...config.extensions, cost } }
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (config.type.kind !== 'List') return resolve
    return (parent, args, ctx, info) => {
      const list = resolve(parent, args, ctx, info)
      const { rows } = ctx as unknown as Ctx
      if (!rows) return list
      return list instanceof Promise
        ? list.then((each) => countFields(each, rows, info))
        : countFields(list, rows, info)
    }
  }
}

function countFields(list: unknown, rows: RowBudget, { fieldNodes }: GraphQLResolveInfo): unknown {
  if (Array.isArray(list)) rows.show(list.length * widthOf(fieldNodes))
  return list
}

SchemaBuilder.registerPlugin(costPlugin, CostPlugin)
