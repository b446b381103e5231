import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const Log = `query ($filter: AuditEntryFilterInput, $first: Int, $after: String) {
  auditLog(filter: $filter, first: $first, after: $after) {
    totalCount
    pageInfo { endCursor }
    nodes { id action address objectIds fields createdAt apiKey { id } objects { id __typename } }
  }
}`
const TagCreate = 'mutation ($input: TagCreateInput!) { tagCreate(input: $input) { tag { id } } }'
const TagDelete = 'mutation ($input: TagDeleteInput!) { tagDelete(input: $input) { deletedTagId } }'

async function logOf(world: World, filter: object = {}) {
  return (await world.run(Log, { filter })).auditLog
}

async function newKey(world: World, scopes: string[]): Promise<string> {
  const create = 'mutation ($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { key } }'
  return (await world.run(create, { input: { scopes } })).apiKeyCreate.key
}

describe('the audit log', () => {
  it('contains the mutation, the object, the fields without their values, the key and the address', async () => {
    const world = await newWorld()
    const input = { email: 'ana@example.com', firstName: 'Ana', addTagIds: [] }
    const create = 'mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { id } } }'
    const { contact } = (await world.run(create, { input })).contactCreate
    const { nodes } = await logOf(world)
    expect(nodes).toEqual([
      {
        id: expect.any(String),
        action: 'contactCreate',
        address: '127.0.0.1',
        objectIds: [contact.id],
        fields: expect.arrayContaining(['email', 'firstName', 'addTagIds']),
        createdAt: expect.any(String),
        apiKey: { id: expect.any(String) },
        objects: [{ id: contact.id, __typename: 'Contact' }],
      },
    ])
    expect(JSON.stringify(nodes)).not.toContain('ana@example.com')
  })

  it('names a deleted object by its id only', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    await world.run(TagDelete, { input: { id: tag.id } })
    const [last] = (await logOf(world)).nodes
    expect(last).toMatchObject({ action: 'tagDelete', objectIds: [tag.id], objects: [null], fields: ['id'] })
  })

  it('does not contain a mutation that failed, or the repeat of an idempotent request', async () => {
    const world = await newWorld()
    await world.fault(TagCreate, { input: { name: '' } })
    await world.fault(TagDelete, { input: { id: 1 } })
    expect((await logOf(world)).totalCount).toBe(0)
    for (let request = 1; request <= 2; request += 1) {
      await world.run(TagCreate, { input: { name: 'once', idempotencyKey: 'key' } })
    }
    expect((await logOf(world)).totalCount).toBe(1)
  })

  it('contains requests to the REST API and over WebSocket with the address of the client', async () => {
    const server = await newServer({ TRUST_PROXY: '1' })
    const world = await newWorld({ server })
    const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9', authorization: `Bearer ${world.mainKey}` }
    const body = JSON.stringify({ name: 'by REST' })
    const json = { ...headers, 'content-type': 'application/json' }
    expect((await fetch(`${server.url}/v1/tag`, { method: 'POST', headers: json, body })).ok).toBe(true)
    await world.run(TagCreate, { input: { name: 'by GraphQL' } }, { headers })
    const { nodes } = await logOf(world)
    expect(nodes.map((each: { action: string; address: string }) => [each.action, each.address])).toEqual([
      ['tagCreate', '203.0.113.9'],
      ['tagCreate', '203.0.113.9'],
    ])
  })

  it('is filtered by mutation, key, address, time and object', async () => {
    const world = await newWorld()
    const [one, other] = [await world.tag('one'), await world.tag('other')]
    await world.run(TagDelete, { input: { id: other.id } })
    const [last] = (await logOf(world)).nodes
    const count = async (filter: object) => (await logOf(world, filter)).totalCount
    expect(await count({ action: { eq: 'tagCreate' } })).toBe(2)
    expect(await count({ objects: [one.id] })).toBe(1)
    expect(await count({ objects: [other.id] })).toBe(2)
    expect(await count({ objects: [] })).toBe(0)
    expect(await count({ apiKeys: { any: [last.apiKey.id] } })).toBe(3)
    expect(await count({ apiKeys: { none: [last.apiKey.id] } })).toBe(0)
    expect(await count({ address: { startsWith: '127.' }, createdAt: { period: 'TODAY' } })).toBe(3)
    expect(await count({ not: { action: { eq: 'tagCreate' } } })).toBe(1)
  })

  it('shows an account only its own changes, and needs account:read', async () => {
    const [world, other] = [await newWorld(), await newWorld()]
    const tag = await world.tag()
    const [entry] = (await logOf(world)).nodes
    expect((await logOf(other)).totalCount).toBe(0)
    expect((await logOf(other, { objects: [tag.id] })).totalCount).toBe(0)
    const node = 'query ($id: ID!) { node(id: $id) { id } }'
    expect((await other.run(node, { id: entry.id })).node).toBeNull()
    expect((await world.run(node, { id: entry.id })).node).toEqual({ id: entry.id })
    const key = await newKey(world, ['CONTACTS_READ', 'CONTACTS_WRITE'])
    expect((await world.fault(Log, {}, { key })).extensions.code).toBe('FORBIDDEN')
  })

  it('hides the objects from a key without their scope, but not their ids', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const key = await newKey(world, ['ACCOUNT_READ'])
    const document = 'query ($id: ID!) { auditLog(filter: { objects: [$id] }) { nodes { objectIds objects { id } } } }'
    expect((await world.run(document, tag, { key })).auditLog.nodes).toEqual([{ objectIds: [tag.id], objects: [null] }])
  })
})
