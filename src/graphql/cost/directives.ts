import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  type GraphQLField,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql'
import type { FieldCost } from './field-cost.ts'

const names = new GraphQLList(new GraphQLNonNull(GraphQLString))

/** The directives of the Cost Directives Specification, in the places where this schema uses them. */
export const costDirectives = [
  new GraphQLDirective({
    name: 'cost',
    description:
      'Points of a field in the estimate of a document. Without it, a field that returns an object has 1 point, and one that returns another value none.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: {
      weight: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'The points, as a number. Of a list, for each element.',
      },
    },
  }),
  new GraphQLDirective({
    name: 'listSize',
    description: 'How many elements a list has in the estimate of a document. What is selected counts as often.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: {
      assumedSize: { type: GraphQLInt, description: 'The number without one of the slicing arguments.' },
      slicingArguments: {
        type: names,
        description: 'Arguments that determine the number. A list counts by its length. The largest one counts.',
      },
      sizedFields: { type: names, description: 'Fields of the returned object that have as many elements.' },
      requireOneSlicingArgument: {
        type: GraphQLBoolean,
        defaultValue: true,
        description: 'Whether exactly one slicing argument must be given. This schema always says no.',
      },
    },
  }),
]

/** Elements of a list of objects that declares no size. */
const anySize = { assumedSize: 10 }

/** Returns the points of a field that declares none. */
export function usualWeight({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): number {
  return isCompositeType(getNamedType(type)) ? 1 : 0
}

/** Returns the cost of a field of the schema. */
export function costOf(field: GraphQLField<unknown, unknown>): FieldCost {
  return (field.extensions['cost'] as FieldCost | undefined) ?? {}
}

/** Gives each field of a schema its cost, and the directives that publish it. */
export function publishCosts(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type))
  const sized = new Set<string>()
  const fields = types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
  for (const { field } of fields) {
    for (const name of costOf(field).size?.sizedFields ?? []) sized.add(`${getNamedType(field.type).name}.${name}`)
  }
  for (const { type, field } of fields) {
    const { weight, size = defaultSize(field, sized.has(`${type.name}.${field.name}`)) } = costOf(field)
    const directives = {
      ...(weight !== undefined && weight !== usualWeight(field) && { cost: { weight: String(weight) } }),
      ...(size && { listSize: { ...size, ...(size.slicingArguments && { requireOneSlicingArgument: false }) } }),
    }
    field.extensions = { ...field.extensions, cost: { weight, size }, directives }
  }
  return schema
}

function defaultSize({ type }: GraphQLField<unknown, unknown>, isSized: boolean): FieldCost['size'] {
  const isListOfObjects = isListType(getNullableType(type)) && isCompositeType(getNamedType(type))
  return isListOfObjects && !isSized ? anySize : undefined
}
