import { createHash } from 'node:crypto'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { newServer } from '../support/server.ts'
import { newSocket } from '../support/socket.ts'
import { newWorld, type World } from '../support/world.ts'

const Viewer = '{ viewer { keyName } }'
const KeyCreate = `mutation ($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) { key apiKey { id databaseId name prefix scopes disabledAt } } }`
const KeyDisable =
  'mutation ($input: ApiKeyDisableInput!) { apiKeyDisable(input: $input) { apiKey { id disabledAt } } }'

/** Less than the five seconds for which keys are cached, so that only a notification ends the cached key in time. */
const notifiedMs = 4_000

/** The statements of the database that wait for a lock. */
const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

async function newKey(world: World, input: Record<string, unknown> = {}) {
  const { key, apiKey } = (await world.run(KeyCreate, { input: { scopes: ['FULL_ACCESS'], ...input } })).apiKeyCreate
  return { key: key as string, apiKey: apiKey as Record<string, unknown> & { id: string } }
}

describe('a request without a valid key', () => {
  it.each([
    ['no key', null, {}],
    ['a key that nobody has', 'cmp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', {}],
    ['a key with characters no key has', 'cmp_\u00e9', {}],
    ['another scheme than Bearer', null, { authorization: 'Basic YTpi' }],
    ['Bearer without a key', null, { authorization: 'Bearer ' }],
    ['a key of a thousand characters', 'x'.repeat(1000), {}],
  ])('returns 401 and UNAUTHORIZED with %s', async (_name, key, headers) => {
    const world = await newWorld()
    const reply = await world.ask(Viewer, {}, { key, headers })
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    expect(reply.body).toEqual({ errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHORIZED' } }] })
  })

  it('returns 401 for server-sent events, GET and documents that cannot be parsed', async () => {
    const { server, ask } = await newWorld()
    const get = await fetch(`${server.url}/graphql?query={__typename}`, { headers: { accept: 'application/json' } })
    expect([get.status, (await get.json()).errors[0].extensions.code]).toEqual([401, 'UNAUTHORIZED'])
    const stream = await ask('{ __typename }', {}, { key: null, headers: { accept: 'text/event-stream' } })
    expect([stream.status, stream.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHORIZED'])
    expect((await ask('{', {}, { key: null })).status).toBe(401)
  })

  it.each([
    ['no key', undefined],
    ['a wrong key', 'cmp_wrong'],
    ['a key that is no text', { authorization: 5 }],
  ])('closes a socket with 4401: %s', async (_name, key) => {
    const { server } = await newWorld()
    const socket = newSocket(server, key)
    await expect(socket.ask(Viewer)).rejects.toMatchObject({ code: 4401 })
    expect(await socket.closed).toBe(4401)
  })
})

describe('apiKeyCreate', () => {
  const scopesOf = async (world: World, scopes: unknown) =>
    (await world.run(KeyCreate, { input: { scopes } })).apiKeyCreate.apiKey

  it.each([
    ['none', []],
    ['nothing', null],
    ['full access beside a scope', ['FULL_ACCESS', 'CONTACTS_READ']],
    ['too many', Array.from({ length: 40_000 }, () => 'CONTACTS_READ')],
  ])('returns VALIDATION_ERROR for the scopes %s', async (_what, scopes) => {
    const world = await newWorld()
    const { body } = await world.ask(KeyCreate, { input: { scopes } })
    expect(body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { 'input.scopes': [expect.any(String)] } } },
    ])
    expect(await world.rows('SELECT FROM api_key WHERE account_id = $1', [world.accountId])).toHaveLength(1)
  })

  it('stores scopes as a set', async () => {
    const world = await newWorld()
    const created = await scopesOf(world, ['MAIL_WRITE', 'CONTACTS_READ', 'MAIL_WRITE'])
    expect(created.scopes).toEqual(['CONTACTS_READ', 'MAIL_WRITE'])
  })

  it('creates a key with full access for FULL_ACCESS', async () => {
    const world = await newWorld()
    const { key, apiKey } = await newKey(world, { scopes: ['FULL_ACCESS'] })
    expect(apiKey['scopes']).toBeNull()
    await world.run('{ apiKeys { totalCount } }', {}, { key })
  })

  it.each([["'{}'"], ["'{full_access,contacts:read}'"], ["array_fill('contacts:read'::text, ARRAY[21])"]])(
    'cannot store invalid scopes: the database rejects %s',
    async (scopes) => {
      const world = await newWorld()
      const change = world.rows(`UPDATE api_key SET scopes = ${scopes} WHERE account_id = $1`, [world.accountId])
      await expect(change).rejects.toThrow(/api_key_scopes_check/)
    },
  )
})

describe('an API key', () => {
  it('is returned once, and only its prefix and SHA-256 are stored', async () => {
    const world = await newWorld()
    const { key, apiKey } = await newKey(world, { name: 'importer', scopes: ['CONTACTS_READ'] })

    expect(await world.run('{ viewer { keyName scopes } }', {}, { key })).toEqual({
      viewer: { keyName: 'importer', scopes: ['CONTACTS_READ'] },
    })
    const [row] = await world.rows<Record<string, unknown>>('SELECT * FROM api_key WHERE id = $1', [
      apiKey['databaseId'],
    ])
    expect(row).toMatchObject({ hash: createHash('sha256').update(key).digest('hex'), prefix: apiKey['prefix'] })
    expect(key.startsWith(apiKey['prefix'] as string)).toBe(true)
    expect(JSON.stringify(row)).not.toContain(key.slice(12))
    expect(Buffer.from(key.slice(4), 'base64url').length * 8).toBeGreaterThanOrEqual(160)
  })

  it('is rejected immediately after it was disabled', async () => {
    const world = await newWorld()
    for (let round = 0; round < 15; round += 1) {
      const { key, apiKey } = await newKey(world)
      expect((await world.ask(Viewer, {}, { key })).status).toBe(200)
      const disabled = (await world.run(KeyDisable, { input: { id: apiKey.id } })).apiKeyDisable.apiKey
      expect((await world.ask(Viewer, {}, { key })).status, `round ${round}`).toBe(401)
      expect(Date.parse(disabled.disabledAt)).toBeGreaterThan(Date.now() - 60_000)
      // Disabling it again changes nothing, including the time.
      expect((await world.run(KeyDisable, { input: { id: apiKey.id } })).apiKeyDisable.apiKey).toEqual(disabled)
    }
  })

  it('is rejected by other processes after it was disabled', async () => {
    const world = await newWorld()
    const second = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const { key, apiKey } = await newKey(world)
    expect((await world.ask(Viewer, {}, { key, server: second })).status).toBe(200)

    await world.run(KeyDisable, { input: { id: apiKey.id } })
    await expect
      .poll(async () => (await world.ask(Viewer, {}, { key, server: second })).status, { timeout: notifiedMs })
      .toBe(401)
  })

  it('is rejected after it was disabled with an idempotency key while it was in use', async () => {
    const world = await newWorld()
    const { key, apiKey } = await newKey(world)
    const blocker = new pg.Client({ connectionString: world.server.databaseUrl })
    await blocker.connect()
    try {
      // Holds the mutation between its change and its commit.
      await blocker.query('BEGIN; LOCK TABLE idempotency_key IN SHARE MODE')
      const disabling = world.run(KeyDisable, { input: { id: apiKey.id, idempotencyKey: 'once' } })
      await expect.poll(async () => (await blocker.query(waiting)).rowCount).toBeGreaterThan(0)
      expect((await world.ask(Viewer, {}, { key })).status).toBe(200)
      await blocker.query('COMMIT')
      await disabling
    } finally {
      await blocker.end()
    }
    await expect
      .poll(async () => (await world.ask(Viewer, {}, { key })).status, { timeout: notifiedMs, interval: 20 })
      .toBe(401)
  })

  it('ends its operations on open sockets when it is disabled', async () => {
    const world = await newWorld()
    const { key, apiKey } = await newKey(world)
    const socket = newSocket(world.server, key)
    expect(await socket.ask(Viewer)).toMatchObject({ data: { viewer: {} } })

    await world.run(KeyDisable, { input: { id: apiKey.id } })
    expect(await socket.ask(Viewer)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHORIZED' } }] })
    const again = newSocket(world.server, key)
    await expect(again.ask(Viewer)).rejects.toMatchObject({ code: 4401 })
  })

  it('cannot be created with an idempotency key, because the response contains a secret', async () => {
    const world = await newWorld()
    const fault = await world.fault(KeyCreate, { input: {} }, { headers: { 'idempotency-key': 'k1' } })
    expect(fault.extensions).toEqual({ code: 'VALIDATION_ERROR' })
    expect(fault.message).toContain('Idempotency-Key')
    const inInput = await world.fault(KeyCreate, { input: { idempotencyKey: 'k1' } })
    expect(inInput.extensions.code).toBe('BAD_REQUEST')
    expect(await world.rows('SELECT FROM api_key WHERE account_id = $1', [world.accountId])).toHaveLength(1)
  })

  it('accepts names of up to 255 characters', async () => {
    const world = await newWorld()
    const fault = await world.fault(KeyCreate, { input: { name: 'x'.repeat(256) } })
    expect(fault.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.name': [expect.any(String)] },
    })
  })
})

describe('a trial account', () => {
  it('has no API keys: existing keys are rejected by all transports, and none can be created', async () => {
    const world = await newWorld()
    const socket = world.socket()
    expect(await socket.ask(Viewer)).toMatchObject({ data: { viewer: { keyName: 'main' } } })

    await accounts.update(world.server.system, { id: world.accountId, plan: 'FREE_TRIAL' })
    await expect.poll(async () => (await world.ask(Viewer)).status, { timeout: notifiedMs }).toBe(401)
    expect((await world.ask(Viewer, {}, { headers: { accept: 'text/event-stream' } })).status).toBe(401)
    expect(await socket.ask(Viewer)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHORIZED' } }] })
    await expect(apiKeys.create(world.server.system, { accountId: world.accountId })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  it('is rejected even if one of its keys is enabled', async () => {
    const world = await newWorld()
    await world.rows("UPDATE account SET plan = 'FREE_TRIAL' WHERE id = $1", [world.accountId])
    expect((await world.ask(Viewer)).status).toBe(401)
  })
})

describe('apiKeys', () => {
  it('lists all keys of the account including disabled ones, newest first, without secrets', async () => {
    const world = await newWorld()
    await (await world.other()).key()
    const { apiKey } = await newKey(world, { name: 'second' })
    await world.run(KeyDisable, { input: { id: apiKey['databaseId'] } })

    const { apiKeys: page } = await world.run('{ apiKeys(first: 5) { totalCount nodes { name disabledAt } } }')
    expect(page).toEqual({
      totalCount: 2,
      nodes: [
        { name: 'second', disabledAt: expect.any(String) },
        { name: 'main', disabledAt: null },
      ],
    })
  })

  it('filters by columns, searches by words and sorts', async () => {
    const world = await newWorld()
    const { apiKey } = await newKey(world, { name: 'second', scopes: ['CONTACTS_READ', 'MAIL_READ'] })
    await world.run(KeyDisable, { input: { id: apiKey.id } })
    const document = `query ($filter: ApiKeyFilterInput, $field: ApiKeyOrderField! = CREATED_AT) {
      apiKeys(filter: $filter, orderBy: { field: $field, direction: ASC }) { totalCount nodes { name } } }`
    const names = async (filter: object, field?: string) => {
      const { nodes, totalCount } = (await world.run(document, { filter, field })).apiKeys
      expect(nodes).toHaveLength(totalCount)
      return nodes.map(({ name }: { name: string }) => name)
    }
    expect(await names({ disabled: true })).toEqual(['second'])
    expect(await names({ disabled: false })).toEqual(['main'])
    expect(await names({ disabled: null })).toEqual(['main', 'second'])
    expect(await names({ id: { in: [apiKey.id] } })).toEqual(['second'])
    expect(await names({ name: { startsWith: 'MAI' } })).toEqual(['main'])
    expect(await names({ prefix: { eq: apiKey['prefix'] } })).toEqual(['second'])
    expect(await names({ scopes: ['FINANCE_READ', 'MAIL_READ'] })).toEqual(['second'])
    expect(await names({ scopes: 'FULL_ACCESS' })).toEqual(['main'])
    expect(await names({ scopes: [] })).toEqual([])
    expect(await names({ createdAt: { period: 'TODAY' }, disabledAt: { period: 'TODAY' } })).toEqual(['second'])
    expect(await names({ search: 'cmp_ second' })).toEqual(['second'])
    expect(await names({ not: { search: 'nd' } }, 'NAME')).toEqual(['main', 'second'])
    expect(await names({ search: 'cmp_ m' }, 'RELEVANCE')).toEqual(['main'])
  })
})
