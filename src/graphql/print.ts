import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'

/** The schema as text, in an order that does not depend on the order of imports. */
export function printed(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
