import { describe, expect, it } from 'vitest'
import { scopes } from '../../src/kernel/context.ts'
import { newWorld } from '../support/world.ts'

const forbidden = { extensions: { code: 'FORBIDDEN' } }
const allBut = (...without: string[]) => scopes.filter((scope) => !without.includes(scope))

describe('a key with scopes', () => {
  it.each([
    ['{ contact(ref: { id: 1 }) { id } }', 'contacts:read'],
    ['{ contacts { totalCount } }', 'contacts:read'],
    ['{ tag(id: 1) { id } }', 'contacts:read'],
    ['{ tags { totalCount } }', 'contacts:read'],
    ['{ customField(id: 1) { id } }', 'contacts:read'],
    ['{ customFields { id } }', 'contacts:read'],
    ['{ account { name } }', 'account:read'],
  ] as const)('may ask %s with %s and not without', async (document, scope) => {
    const world = await newWorld()
    const fault = await world.fault(document, {}, { key: await world.key({ scopes: allBut(scope) }) })
    expect(fault).toMatchObject(forbidden)
    expect(fault.message).toContain(scope)
    await world.run(document, {}, { key: await world.key({ scopes: [scope] }) })
  })

  it.each([
    ['contactCreate', '{ email: "a@example.com" }', 'contact { id }'],
    ['contactUpsert', '{ email: "a@example.com" }', 'contact { id }'],
    ['contactUpdate', '{ contact: { id: 1 } }', 'contact { id }'],
    ['contactDelete', '{ contact: { id: 1 } }', 'deleted'],
    ['contactUnsubscribe', '{ contact: { id: 1 } }', 'contact { id }'],
    ['contactTagAdd', '{ contact: { id: 1 }, tagId: 1 }', 'tag { id }'],
    ['contactTagRemove', '{ contact: { id: 1 }, tagId: 1 }', 'tag { id }'],
    ['contactBulkTag', '{ contactIds: [1], tagId: 1 }', 'queued'],
    ['contactFieldSet', '{ contact: { id: 1 }, customFieldId: 1 }', 'value'],
    ['tagCreate', '{ name: "a" }', 'tag { id }'],
    ['tagUpdate', '{ id: 1, name: "a" }', 'tag { id }'],
    ['tagDelete', '{ id: 1 }', 'databaseId'],
    ['customFieldCreate', '{ name: "a", type: TEXT }', 'customField { id }'],
    ['customFieldUpdate', '{ id: 1 }', 'customField { id }'],
    ['customFieldDelete', '{ id: 1 }', 'databaseId'],
  ])('may not %s without contacts:write', async (field, input, selection) => {
    const world = await newWorld()
    const key = await world.key({ scopes: allBut('contacts:write') })
    expect(await world.fault(`mutation { ${field}(input: ${input}) { ${selection} } }`, {}, { key })).toMatchObject({
      ...forbidden,
      path: [field],
    })
    expect(await world.rows('SELECT FROM contact WHERE account_id = $1', [world.accountId])).toHaveLength(0)
    expect(await world.announced()).toHaveLength(0)
  })

  it.each([
    ['{ apiKeys { totalCount } }', 'apiKeys'],
    ['mutation { accountUpdate(input: { name: "x" }) { account { id } } }', 'accountUpdate'],
    ['mutation { apiKeyCreate(input: {}) { key } }', 'apiKeyCreate'],
    ['mutation { apiKeyDisable(input: { id: 1 }) { apiKey { id } } }', 'apiKeyDisable'],
  ])('may not %s, whatever its scopes: that takes full access', async (document, field) => {
    const world = await newWorld()
    const key = await world.key({ scopes })
    expect(await world.fault(document, {}, { key })).toMatchObject({ ...forbidden, path: [field] })
  })

  it('reads an API key as a node no more than in the list of keys', async () => {
    const world = await newWorld()
    const { nodes } = (await world.run('{ apiKeys { nodes { id } } }')).apiKeys
    const key = await world.key({ scopes })
    const document = 'query ($id: ID!) { node(id: $id) { ... on ApiKey { name prefix } } }'
    expect(await world.fault(document, { id: nodes[0].id }, { key })).toMatchObject(forbidden)
  })

  it('sees through node only what it may read', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    const document = 'query ($id: ID!) { node(id: $id) { id } }'
    const without = await world.key({ scopes: ['account:read'] })
    expect(await world.fault(document, { id }, { key: without })).toMatchObject({ ...forbidden, path: ['node'] })
    const reader = await world.key({ scopes: ['contacts:read'] })
    expect(await world.run(document, { id }, { key: reader })).toEqual({ node: { id } })
    const { account } = await world.run('{ account { id } }')
    expect(await world.fault(document, { id: account.id }, { key: reader })).toMatchObject(forbidden)
  })

  it('reads the nodes it may although another of them is closed to it', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    const { account } = await world.run('{ account { id } }')
    const key = await world.key({ scopes: ['contacts:read'] })
    const { body } = await world.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: [id, account.id] },
      { key },
    )
    expect(body).toMatchObject({ data: { nodes: [{ id }, null] }, errors: [{ ...forbidden, path: ['nodes', 1] }] })
  })

  it("gets null and one FORBIDDEN for another room's field, and the rest of the answer", async () => {
    const world = await newWorld()
    const { id } = await world.contact({ email: 'ada@example.com' })
    const reader = await world.key({ scopes: ['contacts:read'] })
    const { body } = await world.ask(
      'query ($id: ID!) { contact(ref: { id: $id }) { email account { name } } }',
      { id },
      { key: reader },
    )
    expect(body.data).toEqual({ contact: { email: 'ada@example.com', account: null } })
    expect(body.errors).toMatchObject([{ ...forbidden, path: ['contact', 'account'] }])

    const accountant = await world.key({ scopes: ['account:read'] })
    for (const field of ['contacts { totalCount }', 'tags { totalCount }', 'customFields { id }']) {
      const reply = await world.ask(`{ account { name ${field} } }`, {}, { key: accountant })
      expect(reply.body.data.account).toEqual({ name: 'Ada & Co', [field.split(' ')[0] as string]: null })
      expect(reply.body.errors).toMatchObject([forbidden])
    }
  })

  it('is refused as well on a socket', async () => {
    const world = await newWorld()
    const socket = world.socket({ key: await world.key({ scopes: ['account:read'] }) })
    expect(await socket.ask('{ contacts { totalCount } }')).toMatchObject({ errors: [forbidden] })
    expect(await socket.ask('{ account { name } }')).toMatchObject({ data: { account: { name: 'Ada & Co' } } })
  })

  it('names its scopes, and null where it may do everything', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['contacts:read', 'mail:write'] })
    expect(await world.run('{ viewer { scopes } }', {}, { key })).toEqual({
      viewer: { scopes: ['CONTACTS_READ', 'MAIL_WRITE'] },
    })
    expect(await world.run('{ viewer { scopes } }')).toEqual({ viewer: { scopes: null } })
  })
})
