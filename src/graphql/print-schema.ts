import {
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql'

/**
 * Prints the schema as SDL, sorted, so that the result does not depend on the order of imports. Fields have the directives of
 * their extensions, which graphql-js leaves out.
 */
export function printSortedSchema(schema: GraphQLSchema): string {
  const sorted = lexicographicSortSchema(schema)
  let text = `${printSchema(sorted)}\n`
  const places = parse(text).definitions.flatMap((definition) => {
    const isType = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION
    const type = isType ? sorted.getType(definition.name.value) : undefined
    if (!isType || !(isObjectType(type) || isInterfaceType(type))) return []
    return (definition.fields ?? []).map(({ name, type: { loc } }) => ({
      end: loc?.end ?? 0,
      directives: printDirectives(type.getFields()[name.value]?.extensions['directives'] ?? {}),
    }))
  })
  // From the last to the first, so that the places before stay where they are.
  for (const { end, directives } of places.toReversed()) text = text.slice(0, end) + directives + text.slice(end)
  return text
}

/** Prints directives: their names, and their arguments as values of JSON, which are also values of GraphQL. */
function printDirectives(directives: object): string {
  return Object.entries(directives)
    .map(([name, args]) => {
      const values = Object.entries(args as object).map(
        ([arg, value]) => `${arg}: ${JSON.stringify(value).replaceAll('","', '", "')}`,
      )
      return ` @${name}(${values.join(', ')})`
    })
    .join('')
}
