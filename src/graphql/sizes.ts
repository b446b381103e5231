import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import type { Ctx } from '../db/context.ts'
import type { RowBudget } from '../kernel/row-budget.ts'
import { widthOf } from './cost-formula.ts'

/**
 * How many elements a plain list (one that is not paged) is estimated to have when a document is admitted: a large list of
 * ordinary accounts, not the largest that a list may grow to. What is really loaded is limited while a document runs.
 */
export const usualSizes = {
  answers: 10,
  attribution: 5,
  columns: 15,
  currencies: 2,
  customFields: 10,
  dkimKeys: 2,
  dnsRecords: 2,
  lines: 5,
  links: 3,
  groups: 50,
  outcomes: 5,
  points: 5,
  questions: 10,
  senderDomains: 3,
  sequences: 3,
  stages: 5,
  steps: 5,
  subscriptions: 2,
  tags: 5,
  typedFields: 3,
  versions: 20,
} as const

/** The `complexity` of a plain list: one point, and what its elements cost, as many as it usually has. */
export function listCost(name: keyof typeof usualSizes): { field: number; multiplier: number } {
  return { field: 1, multiplier: usualSizes[name] }
}

/** The name under which the builder takes the plugin. */
export const sizesPlugin = 'sizes'

declare global {
  // biome-ignore lint/style/noNamespace: this is where Pothos looks for the types of its plugins
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      sizes: SizesPlugin<Types>
    }
  }
}

/** Adds to the description of each plain list how many elements it is estimated to have, and counts what lists show. */
class SizesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { complexity } = config.pothosOptions
    const size = typeof complexity === 'object' && 'multiplier' in complexity ? complexity.multiplier : undefined
    if (config.type.kind !== 'List' || size === undefined || size <= 1) return config
    return { ...config, description: `${config.description ?? ''}\n\nIts cost is estimated for ${size} elements.` }
  }

  /** Counts what each list shows, before its elements are looked at. */
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (config.type.kind !== 'List') return resolve
    return (parent, args, ctx, info) => {
      const list = resolve(parent, args, ctx, info)
      const { rows } = ctx as unknown as Ctx
      if (!rows) return list
      return list instanceof Promise ? list.then((each) => counted(each, rows, info)) : counted(list, rows, info)
    }
  }
}

function counted(list: unknown, rows: RowBudget, { fieldNodes }: GraphQLResolveInfo): unknown {
  if (Array.isArray(list)) rows.show(list.length * widthOf(fieldNodes))
  return list
}

SchemaBuilder.registerPlugin(sizesPlugin, SizesPlugin)
