/** Sorts a list that GraphQL sorts by name newest first, the default order of REST. */
export function sortNewestFirst<Node extends { readonly databaseId: number; readonly createdAt: string }>(
  nodes: readonly Node[],
): Node[] {
  return nodes.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.databaseId - a.databaseId)
}
