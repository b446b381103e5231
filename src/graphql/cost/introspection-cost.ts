import {
  __Field,
  __Schema,
  __Type,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isWrappingType,
} from 'graphql'
import type { FieldCost } from './field-cost.ts'

const cache = new WeakMap<GraphQLSchema, ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost>>()

/** Returns the costs of the introspection fields. Their lists count with their average length in this schema. */
export function introspectionCosts(schema: GraphQLSchema): ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost> {
  const costs = cache.get(schema) ?? computeCosts(schema)
  cache.set(schema, costs)
  return costs
}

/** Returns the number of lists and non-nulls around a named type. */
function wrappersOf(type: GraphQLType): number {
  return isWrappingType(type) ? 1 + wrappersOf(type.ofType) : 0
}

function computeCosts(schema: GraphQLSchema): ReadonlyMap<GraphQLField<unknown, unknown>, FieldCost> {
  const types = Object.values(schema.getTypeMap())
  const outputs = types.filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = outputs.flatMap((type) => Object.values(type.getFields()) as GraphQLField<unknown, unknown>[])
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const values = types.filter(isEnumType).flatMap((type) => type.getValues())
  const perType = (count: number) => count / types.length
  const possible = types.reduce(
    (total, type) => total + (isAbstractType(type) ? schema.getPossibleTypes(type).length : 0),
    0,
  )
  const references = [
    ...fields.flatMap(({ type, args }) => [type, ...args.map((arg) => arg.type)]),
    ...inputFields.map(({ type }) => type),
  ]
  const wrappers = references.reduce((total, type) => total + wrappersOf(type), 0)
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
        possibleTypes: perType(possible),
        // Part of the types that have a type within: the chains of `ofType` are then as long as those of the schema on average.
        ofType: wrappers / (wrappers + references.length),
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
