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

/** Returns the document of a list, with `filter` and `orderBy` as variables. */
export function listDocument({ type, field, name, within = '' }: ListUnderTest): string {
  const count = (bracket: string) => within.split(bracket).length
  const ends = '}'.repeat(count('{') - count('}'))
  return `query ($filter: ${type}FilterInput, $orderBy: ${type}OrderInput) { ${within}
    ${field}(first: 100, filter: $filter, orderBy: $orderBy) { totalCount nodes { ${name} } } ${ends} }`
}

/** Returns the names of the rows that a filter selects, in their order. Expects the count to be their number. */
export async function listed(world: World, list: ListUnderTest, selection: Selection): Promise<unknown[]> {
  let found = await world.run(listDocument(list), selection)
  while (found[list.field] === undefined) found = Object.values(found)[0]
  const { nodes, totalCount } = found[list.field]
  expect(totalCount).toBe(nodes.length)
  return nodes.map((node: object) => {
    let value: unknown = node
    while (typeof value === 'object' && value !== null) value = Object.values(value)[0]
    return value
  })
}
