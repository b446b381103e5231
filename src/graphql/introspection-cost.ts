import {
  __Field,
  __Schema,
  __Type,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import type { FieldCost } from './field-cost.ts'

const cache = new WeakMap<GraphQLSchema, ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost>>()

/** Returns the costs of the introspection fields. Their lists count with their average length in this schema. */
export function introspectionCosts(schema: GraphQLSchema): ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost> {
  const costs = cache.get(schema) ?? computeCosts(schema)
  cache.set(schema, costs)
  return costs
}

function computeCosts(schema: GraphQLSchema): ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost> {
  const types = Object.values(schema.getTypeMap())
  const outputs = types.filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = outputs.flatMap((type) => Object.values(type.getFields()) as GraphQLField<unknown, unknown>[])
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const values = types.filter(isEnumType).flatMap((type) => type.getValues())
  const perType = (count: number) => count / types.length
  const args = fields.reduce((total, field) => total + field.args.length, 0)
  const sizes: [GraphQLObjectType, Record<string, number>][] = [
    [__Schema, { types: types.length, directives: schema.getDirectives().length }],
    [
      __Type,
      {
        fields: perType(fields.length),
        inputFields: perType(inputFields.length),
        enumValues: perType(values.length),
        interfaces: perType(outputs.reduce((total, type) => total + type.getInterfaces().length, 0)),
        possibleTypes: 1,
        // Most types are at most a non-null list, so chains of `ofType` are short.
        ofType: 0.6,
      },
    ],
    [__Field, { args: args / fields.length }],
  ]
  return new Map(
    sizes.flatMap(([type, lists]) =>
      Object.entries(lists).map(([name, multiplier]): [GraphQLField<unknown, unknown>, FieldCost] => [
        type.getFields()[name] as GraphQLField<unknown, unknown>,
        { field: 1, multiplier },
      ]),
    ),
  )
}
