import { expect } from 'vitest'
import type { World } from './world.ts'

/** A list of the API: its field, its filter and order by the name of its type, and the field that names a row in a test. */
export interface ListUnderTest {
  readonly type: string
  readonly field: string
  readonly name: string
  /** Opens the parents of the list, such as `campaign(id: "1") {`. */
  readonly within?: string
}

interface Selection {
  readonly filter?: object | null
  readonly orderBy?: object | null
}

interface Found {
  readonly totalCount: number
  readonly nodes: readonly object[]
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean }
}

/** Returns the document of a list, with `filter`, `orderBy`, `first` and `after` as variables. */
export function listDocument({ type, field, name, within = '' }: ListUnderTest): string {
  const count = (bracket: string) => within.split(bracket).length
  const ends = '}'.repeat(count('{') - count('}'))
  return `query ($filter: ${type}FilterInput, $orderBy: [${type}OrderInput!], $first: Int, $after: String) { ${within}
    ${field}(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount nodes { ${name} } pageInfo { endCursor hasNextPage } } ${ends} }`
}

/** Returns the names of the rows that a filter selects, in their order. Expects the count to be their number. */
export async function listed(world: World, list: ListUnderTest, selection: Selection): Promise<unknown[]> {
  const { nodes, totalCount } = await read(world, list, selection)
  expect(totalCount).toBe(nodes.length)
  return nodes.map(nameOf)
}

/** Returns the names of the same rows, read by pages of one row with cursors. */
export async function walked(world: World, list: ListUnderTest, selection: Selection): Promise<unknown[]> {
  const names: unknown[] = []
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Found = await read(world, list, { ...selection, first: 1, after })
    names.push(...nodes.map(nameOf))
    if (!pageInfo.hasNextPage) return names
    after = pageInfo.endCursor
  }
}

async function read(world: World, list: ListUnderTest, variables: object): Promise<Found> {
  let found = await world.run(listDocument(list), variables)
  while (found[list.field] === undefined) found = Object.values(found)[0]
  return found[list.field]
}

function nameOf(node: object): unknown {
  let value: unknown = node
  while (typeof value === 'object' && value !== null) value = Object.values(value)[0]
  return value
}
