import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const Node = 'query ($id: ID!) { node(id: $id) { __typename id } }'
const Nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'
const encoded = (text: string) => Buffer.from(text).toString('base64url')

describe('node', () => {
  it('returns an object with its integer ID', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.contact()
    const document = 'query ($id: ID!) { node(id: $id) { __typename id ... on Contact { databaseId } } }'
    expect(await world.run(document, { id })).toEqual({ node: { __typename: 'Contact', id, databaseId } })
  })

  it('accepts an ID only in its exact form', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.contact()
    const wrong = [
      `Contact:${databaseId}abc`,
      `Contact:0${databaseId}`,
      `Contact: ${databaseId}`,
      `contact:${databaseId}`,
      `Contact:${databaseId}\n`,
      `Contact:+${databaseId}`,
      `Nothing:${databaseId}`,
      `ContactConnection:${databaseId}`,
      `__proto__:${databaseId}`,
      `constructor:${databaseId}`,
      'Contact:0',
      'Contact:-1',
      'Contact:99999999999',
      'Contact:2147483648',
      'Consent:9223372036854775807',
      'Consent:9223372036854775808',
      'Consent:0',
      'Contact:',
      'Contact',
    ].map(encoded)
    for (const each of [...wrong, `${id}=`, `${id}==`, ` ${id}`, `${id}A`, String(databaseId), '', 'Ω']) {
      expect(await world.run(Node, { id: each }), JSON.stringify(each)).toEqual({ node: null })
    }
    expect(await world.run(Node, { id })).toMatchObject({ node: { id } })
  })

  it('returns null for a deleted row', async () => {
    const world = await newWorld()
    const { id } = await world.tag()
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id })
    expect(await world.run(Node, { id })).toEqual({ node: null })
  })
})

describe('nodes', () => {
  it('keeps the order of the request, duplicates, and null for unknown IDs', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const tag = await world.tag()
    const ids = [tag.id, encoded('Contact:2147483647'), contact.id, 'junk', tag.id]
    const { nodes } = await world.run(Nodes, { ids })
    expect(nodes.map((node: { id: string } | null) => node?.id ?? null)).toEqual([
      tag.id,
      null,
      contact.id,
      null,
      tag.id,
    ])
    expect(await world.run(Nodes, { ids: [] })).toEqual({ nodes: [] })
  })

  it('accepts 100 IDs at most', async () => {
    const world = await newWorld()
    const ids = (count: number) => Array.from({ length: count }, (_, index) => encoded(`Tag:${index + 1}`))
    expect((await world.run(Nodes, { ids: ids(100) })).nodes).toHaveLength(100)
    expect((await world.fault(Nodes, { ids: ids(101) })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { ids: [expect.any(String)] },
    })
  })
})
