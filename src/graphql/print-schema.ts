import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'

/** Prints the schema as SDL, sorted, so that the result does not depend on the order of imports. */
export function printSortedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
