import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { asUser, signIn } from '../support/session.ts'
import { type AskOptions, newWorld, type World } from '../support/world.ts'
import { newFilledWorld } from './filled-world.ts'
import { listPaths } from './list-paths.ts'
import { documentOf, itemsOf, listFields, tables, variablesOf } from './lists.ts'
import { links } from './parents.ts'

const sizes = [2, 20] as const

/** Returns the options of a request that reads a list: with the main key, one with scopes, or of a user with sessions. */
async function callerOf(field: string, world: World, count: number): Promise<AskOptions> {
  if (field === 'Viewer.scopes') return { key: await world.key({ scopes: ['contacts:read', 'mail:read'] }) }
  if (field !== 'User.sessions') return {}
  const user = await signIn(world, 'OWNER')
  await world.rows(
    `INSERT INTO session (account_id, user_id, hash, address, user_agent, created_at, used_at)
     SELECT $1, $2::int, 'hash ' || $2::int || ' ' || n, '', '', now(), now() FROM generate_series(2, $3::int) n`,
    [world.accountId, user.id, count],
  )
  return asUser(user)
}

/** Lists that need more statements than others: one or two per type, and one per rule of a check. */
const maxStatements: Readonly<Record<string, number>> = {
  'Query.nodes': 2 * Object.keys(tables).length,
  // One for each kind.
  'Query.search': 10,
  // Two for each kind of place.
  'Media.usedIn': 12,
  'ReusableBlock.usedIn': 8,
  'Query.reusableBlocks': 9,
  // Contents, brand, pictures and conditions are read besides the audience.
  'CampaignCheck.findings': 11,
  'EmailCheck.findings': 8,
}

/** A request to an account. */
interface Ask {
  readonly world: World
  readonly ask: () => Promise<unknown>
}

/** How often requests are counted again: the key cache may have expired, and background work of the server is counted too. */
const recounts = 5

/** Expects that requests run the same number of statements, at most this many. */
async function expectEqualCounts(asks: readonly Ask[], most = Number.POSITIVE_INFINITY): Promise<void> {
  const count = async ({ world, ask }: Ask) => {
    const before = world.server.app.database.statements()
    await ask()
    return world.server.app.database.statements() - before
  }
  let counts: number[] = []
  for (const each of asks) counts.push(await count(each))
  for (let time = 0; time < recounts && (new Set(counts).size > 1 || Math.max(...counts) > most); time += 1) {
    counts = []
    for (const { world, ask } of asks) counts.push(await world.statements(ask))
  }
  expect(counts[0]).toBeLessThanOrEqual(most)
  expect(counts.join(' and ')).toBe(counts.map(() => counts[0]).join(' and '))
}

const worlds = new Map<number, World>()
beforeAll(async () => {
  const server = await newServer({ COST_LIMIT_PER_MINUTE: '1000000000' })
  for (const size of sizes) worlds.set(size, await newFilledWorld(server, size))
})

describe('every list field of the schema', () => {
  it('has a query in this test, so that its statements are counted', () => {
    expect(Object.keys(listPaths).sort()).toEqual(listFields().sort())
  })

  // Lists that have few elements, whatever the number of rows.
  const isShort = (field: string) =>
    ['Viewer.scopes', 'Account.daysOff', 'Deliverability.bounces', 'Query.search', 'Query.unsubscribeReasons'].includes(
      field,
    )

  it.each(Object.entries(listPaths))('%s runs as many statements for 20 rows as for 2', async (field, steps) => {
    const asks: Ask[] = []
    for (const [size, world] of worlds) {
      const variables = await variablesOf(steps, world, size)
      const caller = await callerOf(field, world, size)
      const ask = () => world.run(documentOf(steps), variables, caller)
      // The first request also reads the key and the types.
      expect(itemsOf(await ask(), steps).length).toBeGreaterThanOrEqual(isShort(field) ? 2 : size)
      asks.push({ world, ask })
    }
    await expectEqualCounts(asks, maxStatements[field] ?? 7)
  })

  // Depending on which of two lists is loaded first, the rows of the other are loaded already. The maximum is one
  // statement for each place in the document.
  it.each([
    [
      13,
      `query ($n: Int) {
        contacts(first: $n) { totalCount nodes { account { name } tags { name } customFields { label customField { name } }
          more: consents(last: 1) { nodes { kind } } consents(first: 2) { totalCount nodes { kind } } } }
        tags(first: 10) { nodes { contacts(first: 2) { totalCount nodes { email tags { name } } } } } }`,
    ],
    [
      18,
      `query ($n: Int) {
        campaigns(first: $n) { totalCount nodes {
          audience { total contacts(first: 2) { totalCount nodes { email sequences { name } } } }
          recipients(first: 2) { totalCount nodes { contact { email tags { name } } } } } }
        sequences(first: 10) { nodes { audience { total } stages { email { subject } }
          enrolments(first: 2) { totalCount nodes { contact { email } nextStage { name } } } } } }`,
    ],
  ])('run at most %i statements within lists, and if one document selects them twice', async (most, document) => {
    for (const [size, world] of worlds) {
      await world.run(document, { n: size })
      expect(await world.statements(() => world.run(document, { n: size }))).toBeLessThanOrEqual(most)
    }
  })

  it('returns only rows of the account', async () => {
    const empty = await newWorld()
    const { id } = await (worlds.get(2) as World).tag()
    for (const [field, steps] of Object.entries(listPaths)) {
      const found = itemsOf(await empty.run(documentOf(steps), { n: 20, ids: [id] }), steps).filter(Boolean)
      // A new account has only its own key.
      const own = /^ApiKeyConnection\.|^Query\.apiKeys$/.test(field) ? 1 : 0
      expect(found, field).toHaveLength(own)
    }
  })
})

/** Numbers of parents of a field. */
const parents = [2, 20] as const

describe('every field with objects', () => {
  it.each(links())('$field runs as many statements for 20 parents as for 2', async ({ query }) => {
    const asks: Ask[] = []
    for (const [index, world] of [...worlds.values()].entries()) {
      const ask = () =>
        world.run(query.includes('$n') ? `query ($n: Int!) { ${query} }` : `{ ${query} }`, { n: parents[index] })
      await ask()
      asks.push({ world, ask })
    }
    await expectEqualCounts(asks)
  })
})

describe('a list that a document selects several times', () => {
  it.each([
    ['tagCreate(input: { name: "new" }) { tag { id } }', 'tags { nodes { name } }', { nodes: [{ name: 'new' }] }],
    ['tagCreate(input: { name: "new" }) { tag { id } }', 'tags { totalCount }', { totalCount: 1 }],
    [
      'customFieldCreate(input: { name: "new", type: TEXT }) { customField { id } }',
      'customFields { name }',
      [{ name: 'new' }],
    ],
    [
      'contactCreate(input: { email: "ada@example.com" }) { contact { id } }',
      'quota { contacts { used } }',
      { contacts: { used: 1 } },
    ],
  ])('is read again after %s: %s', async (change, selection, expected) => {
    const world = await newWorld()
    const account = `{ account { list: ${selection} } }`
    const data = await world.run(`mutation {
      before: accountUpdate(input: {}) ${account} ${change} after: accountUpdate(input: {}) ${account} }`)
    expect(data.before.account.list).not.toEqual(expected)
    expect(data.after.account.list).toEqual(expected)
  })

  it('is read once for equal arguments, and once for each different page', async () => {
    const world = worlds.get(20) as World
    const list = (args: string) => `account { contacts(${args}) { totalCount nodes { id } } }`
    const statements = async (selection: string) => {
      const ask = () => world.run(`{ contacts(first: 20) { nodes { ${selection} } } }`)
      await ask()
      return world.statements(ask)
    }
    const once = await statements(list('first: 2'))
    const filter = 'filter: { email: { startsWith: "1" } }'
    expect(await statements(`${list('first: 2')} more: ${list('first: 2')}`)).toBe(once)
    expect(await statements(`${list('first: 2')} more: ${list('last: 2')}`)).toBe(once + 2)
    expect(await statements(`${list('first: 2')} more: ${list(`first: 2, ${filter}`)}`)).toBe(once + 2)
  })
})
