import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hashOf } from '../../src/kernel/web/tokens.ts'
import { followEvents } from '../events/stream.ts'
import { ContentSet, newShop, Publish, page } from '../funnels/documents.ts'
import { newServer, type Server } from '../support/server.ts'
import type { World } from '../support/world.ts'

/** Requests of a test that cost at most this many statements cost none each: the process reads its event log meanwhile. */
const [requests, few] = [100, 20]

let world: World
/** A second process on the database of the first. */
let other: Server
beforeAll(async () => {
  const server = await newServer()
  other = await newServer({ DATABASE_URL: server.databaseUrl })
  world = await newShop({ server })
})

const statusOf = async (path: string, init?: RequestInit) =>
  (await fetch(`${other.url}${path}`, { redirect: 'manual', ...init })).status

/** Repeats a request for what does not exist. Returns the number of statements. */
async function statementsOf(ask: () => Promise<number>, refused: number): Promise<number> {
  expect(await ask()).toBe(refused)
  const before = other.app.database.statements()
  for (let turn = 0; turn < requests; turn += 1) expect(await ask()).toBe(refused)
  return other.app.database.statements() - before
}

/**
 * Makes something in the first process, and waits until the other one has a later event. PostgreSQL notifies a connection in the
 * order of the commits, so that process was then told what is new.
 */
async function announced<Made>(make: () => Promise<Made>): Promise<Made> {
  const following = await followEvents(
    { server: other, key: world.mainKey },
    'subscription { events(types: [CONTACT_CREATED]) { type } }',
  )
  const made = await make()
  await world.contact()
  await following.upTo(1)
  return made
}

describe('what does not exist costs one statement, and is served at once when another process has made it', () => {
  it('a key', async () => {
    const key = `cmp_${randomBytes(16).toString('hex')}`
    const ask = () => statusOf('/v1/contacts', { headers: { authorization: `Bearer ${key}` } })
    expect(await statementsOf(ask, 401)).toBeLessThan(few)
    // A key has a random secret, so this one replaces that of a new key before its creation is announced.
    const client = new pg.Client({ connectionString: other.databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query(
      `INSERT INTO api_key SELECT (jsonb_populate_record(k, jsonb_build_object('id', 1000000, 'hash', $2::text))).*
       FROM api_key k WHERE account_id = $1 LIMIT 1`,
      [world.accountId, hashOf(key)],
    )
    const next = await announced(() => world.key())
    expect(await ask()).toBe(200)
    expect(await statusOf('/v1/contacts', { headers: { authorization: `Bearer ${next}` } })).toBe(200)
  })

  it('a page and the address of its funnel', async () => {
    const funnel = await world.funnel()
    const step = await world.step(funnel)
    const { subdomain } = (await world.run('{ account { subdomain } }')).account
    const address = `/p/${subdomain}/${funnel.databaseId}`
    const paths = [`${address}/${step.path}`, address]
    for (const path of paths) expect(await statementsOf(() => statusOf(path), 404)).toBeLessThan(few)
    await world.run(ContentSet, { input: { id: step.id, content: page({ type: 'title', text: 'Hello' }) } })
    await announced(() => world.run(Publish, { input: { id: step.id } }))
    expect(await Promise.all(paths.map((path) => statusOf(path)))).toEqual([200, 302])
  })

  it('a form', async () => {
    const create = 'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { id databaseId } } }'
    const input = { name: 'New', questions: [{ label: 'Why?', type: 'SHORT_TEXT' }] }
    const { form } = (await world.run(create, { input })).formCreate
    const ask = () => statusOf(`/f/${form.databaseId}`)
    expect(await statementsOf(ask, 404)).toBeLessThan(few)
    const publish = 'mutation ($id: ID!) { formPublish(input: { id: $id }) { form { id } } }'
    await announced(() => world.run(publish, { id: form.id }))
    expect(await ask()).toBe(200)
  })
})
