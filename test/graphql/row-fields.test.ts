// @module-tag rows
import { type GraphQLField, type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { schema } from '../../src/server/schema.ts'
import { until } from '../runtime/process.ts'
import { newDemo } from '../support/demo.ts'
import type { World } from '../support/world.ts'
import { isConnection } from './lists.ts'
import { fieldsOf, isAskable } from './walk.ts'

const first = 'first: 20'

/** The lists of the account by name, with the fields of their rows for which only some columns are read. */
const lists = fieldsOf(schema.getQueryType() as GraphQLObjectType).flatMap((list) => {
  const page = getNamedType(list.type)
  const row = isConnection(page) && isAskable(list) ? getNamedType(page.getFields()['nodes']?.type) : undefined
  const fields = isObjectType(row) ? fieldsOf(row).filter(namesColumns).map(selectionOf) : []
  return fields.length > 1 ? [{ name: list.name, fields }] : []
})

function namesColumns(field: GraphQLField<unknown, unknown>): boolean {
  return isAskable(field) && ('rowFields' in field.extensions || 'pothosExposedField' in field.extensions)
}

function selectionOf({ name, type }: GraphQLField<unknown, unknown>): string {
  return isLeafType(getNamedType(type)) ? name : `${name} { __typename }`
}

/** Returns parts of the fields, so that for each two fields there is one with the first and without the second. */
function partsOf(fields: readonly string[]): string[][] {
  const bits = Math.ceil(Math.log2(fields.length))
  return Array.from({ length: 2 * bits }, (_, part) =>
    fields.filter((_field, index) => ((index >> (part >> 1)) & 1) === (part & 1)),
  )
}

describe('a selection of fields', () => {
  let world: World
  beforeAll(async () => {
    // A minute after its last use, a key would have another time of it.
    world = await newDemo({}, { clock: settableClock(new Date()) })
    // The time of the first use of a key is stored after the answer.
    await until(
      async () => (await world.run('{ apiKeys(first: 1) { nodes { lastUsedAt } } }')).apiKeys.nodes[0].lastUsedAt,
    )
  })

  it.each(lists)('of $name has the values that the complete rows have', async ({ name, fields }) => {
    // The columns are not restricted if a document selects a list twice.
    const all = `{ list: ${name}(${first}) { nodes { __typename } } list: ${name}(${first}) { nodes { ${fields.join(' ')} } } }`
    const complete: Record<string, unknown>[] = (await world.run(all)).list.nodes
    for (const part of partsOf(fields)) {
      const { list } = await world.run(`{ list: ${name}(${first}) { nodes { ${part.join(' ')} } } }`)
      const names = part.map((field) => field.split(' ')[0] as string)
      expect(list.nodes, part.join()).toEqual(
        complete.map((row) => Object.fromEntries(names.map((field) => [field, row[field]]))),
      )
    }
  })

  it('has cursors that lead to the rows after and before', async () => {
    const { list } = await world.run('{ list: contacts(first: 2) { edges { cursor } pageInfo { endCursor } } }')
    expect(list.edges[1].cursor).toBe(list.pageInfo.endCursor)
    const { after } = await world.run(
      `{ after: contacts(first: 1, after: "${list.edges[0].cursor}") { edges { cursor } } }`,
    )
    expect(after.edges[0].cursor).toBe(list.pageInfo.endCursor)
  })

  it('is read from fragments and from the edges of a page', async () => {
    const { list, other } = await world.run(`{
      list: contacts(first: 3) { ...Page }
      other: contacts(first: 3) { nodes { email createdAt lastName } } }
      fragment Page on ContactConnection { edges { node { ...Name ... on Contact { createdAt } } } }
      fragment Name on Contact { email lastName }`)
    expect(list.edges.map(({ node }: { node: unknown }) => node)).toEqual(other.nodes)
    expect(other.nodes).toHaveLength(3)
  })

  it('restricts the fields of a page in several parts of a document separately', async () => {
    const { tags } = await world.run(`{ tags(first: 3) { nodes {
      emails: contacts(first: 3) { nodes { email } } names: contacts(first: 3) { nodes { firstName email } } } } }`)
    for (const { emails, names } of tags.nodes) {
      expect(emails.nodes.map(({ email }: { email: string }) => email)).toEqual(
        names.nodes.map(({ email }: { email: string }) => email),
      )
      expect(names.nodes.every(({ firstName }: { firstName: unknown }) => typeof firstName === 'string')).toBe(true)
    }
  })
})
