import { __Field, __Schema, __Type, type GraphQLField, type GraphQLObjectType, type GraphQLSchema } from 'graphql'
import type { FieldCost } from './field-cost.ts'

/**
 * Average lengths of the lists of introspection in this schema, without those of the schema itself. `ofType` is no list: its
 * chains are then as long as those of the schema.
 */
const averages: readonly (readonly [GraphQLObjectType, Readonly<Record<string, number>>])[] = [
  [__Type, { fields: 2.8, inputFields: 1.7, enumValues: 0.9, interfaces: 0.1, possibleTypes: 0.1, ofType: 0.38 }],
  [__Field, { args: 0.4 }],
]

const cache = new WeakMap<GraphQLSchema, ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost>>()

/** Returns the costs of the introspection fields that are lists. */
export function introspectionCosts(schema: GraphQLSchema): ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost> {
  const known = cache.get(schema)
  if (known) return known
  const ofSchema = { types: Object.keys(schema.getTypeMap()).length, directives: schema.getDirectives().length }
  const costs = new Map<GraphQLField<unknown, unknown>, FieldCost>()
  for (const [type, lengths] of [[__Schema, ofSchema] as const, ...averages]) {
    for (const [name, assumedSize] of Object.entries(lengths)) {
      costs.set(type.getFields()[name] as GraphQLField<unknown, unknown>, { size: { assumedSize } })
    }
  }
  cache.set(schema, costs)
  return costs
}
