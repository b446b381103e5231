import {
  buildSchema,
  type DirectiveNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql'

/**
 * Computes the cost of a document as a tool does that knows nothing but the schema's text: weights from `@cost`, sizes from
 * `@listSize`, one point for an object and none for other values. Knows neither fragments nor `@skip`.
 */
export function publishedCost(
  sdl: string | GraphQLSchema,
  document: string,
  variables: Record<string, unknown>,
): number {
  const schema = typeof sdl === 'string' ? buildSchema(sdl) : sdl
  const operation = parse(document).definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)
  const { selectionSet, operation: kind } = operation as OperationDefinitionNode
  const read = (set: SelectionSetNode, type: string, sized: readonly string[], page: number): number =>
    set.selections.reduce((sum, node) => {
      if (node.kind !== Kind.FIELD) throw new Error('The cost of fragments is not computed.')
      return sum + ofField(node, type, sized, page)
    }, 0)
  const ofField = (node: FieldNode, type: string, sized: readonly string[], page: number): number => {
    if (node.name.value === '__typename') return 0
    const parent = schema.getType(type) as unknown as {
      getFields(): Record<string, { type: never; astNode: never; args: never }>
    }
    const field = parent.getFields()[node.name.value]
    if (!field) throw new Error(`${type} has no field ${node.name.value}.`)
    const directive = (name: string) =>
      getDirectiveValues(schema.getDirective(name) as never, field.astNode as { directives: DirectiveNode[] }) as
        | { weight?: string; assumedSize?: number; slicingArguments?: string[]; sizedFields?: string[] }
        | undefined
    const named = getNamedType(field.type) as unknown as { name: string }
    const weight = Number(directive('cost')?.weight ?? (isCompositeType(named) ? 1 : 0))
    const size = directive('listSize')
    const args = getArgumentValues(field as never, node, variables)
    const slices = (size?.slicingArguments ?? []).map((name) => args[name]).filter((value) => value != null)
    const given = slices.map((value) => (Array.isArray(value) ? value.length : Number(value)))
    const elements = given.length > 0 ? Math.max(...given) : (size?.assumedSize ?? 1)
    const isList = isListType(getNullableType(field.type))
    const count = !isList ? 1 : sized.includes(node.name.value) ? page : elements
    const inner = node.selectionSet ? read(node.selectionSet, named.name, size?.sizedFields ?? [], elements) : 0
    return count * (weight + inner)
  }
  return Math.max(1, Math.ceil(read(selectionSet, schema.getRootType(kind as never)?.name ?? '', [], 1)))
}
