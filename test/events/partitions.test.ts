// @module-tag rows
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { newVisitExpiry } from '../../src/funnels/index.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { until } from '../runtime/process.ts'
import { countRows } from '../support/count-rows.ts'
import { newEmptyDatabase } from '../support/database.ts'
import { newKey } from '../support/keys.ts'

const silent = pino({ level: 'silent' })

/** Starts a server at a given time. It is stopped after the callback. */
async function at<Result>(databaseUrl: string, time: string, work: (app: App) => Promise<Result>): Promise<Result> {
  const config = readConfig({
    PORT: '0',
    SECRET: 'a secret that only tests know',
    ROLES: 'api',
    DATABASE_URL: databaseUrl,
    EVENT_RETENTION_DAYS: '3',
  })
  const app = await startApp(config, silent, { clock: settableClock(new Date(time)) })
  try {
    const result = await work(app)
    // A worker would have done this in the meantime: the webhooks' reader has read all events.
    await app.database.pool.query(
      "UPDATE log_reader r SET position = c.position FROM event_counter c WHERE r.name = 'webhooks'",
    )
    return result
  } finally {
    await app.close()
  }
}

/** Creates a database that no server has used: it has no partitions yet but the default ones. */
async function newUnusedDatabase(): Promise<string> {
  const url = await newEmptyDatabase()
  await migrate(url, silent)
  return url
}

async function partsOf({ database }: App, table = 'outbox_event'): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    'SELECT relname AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = $1::regclass ORDER BY 1',
    [table],
  )
  return rows.map(({ name }) => name)
}

async function newAccount(app: App): Promise<{ accountId: number; ask: (query: string) => Promise<Answer> }> {
  const system = newCommandSystem({ db: app.database.db, log: silent, clock: settableClock(new Date()) })
  const { id: accountId } = await accounts.create(system, { name: 'Ada & Co', email: 'ada@example.com' })
  const key = await newKey(system, app.database, { accountId })
  return { accountId, ask: (query) => asked(app, key, query) }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
type Answer = any

async function asked(app: App, key: string, query: string): Promise<Answer> {
  const response = await fetch(`${app.address.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  })
  for await (const chunk of response.body ?? []) {
    const data = /data: (\{.*\})/.exec(new TextDecoder().decode(chunk))?.[1]
    if (data) return JSON.parse(data)
  }
  return undefined
}

const created = (name: string) =>
  `mutation { contactCreate(input: { email: "${name}@example.com" }) { contact { id } } }`

async function allStamped(app: App): Promise<void> {
  await until(async () => {
    const { rows } = await app.database.pool.query('SELECT FROM outbox_event WHERE position IS NULL')
    return rows.length === 0
  })
}

describe('partitions of the event log', () => {
  it('are created for today and the next days, those of opens, clicks and visits for months', async () => {
    const url = await newUnusedDatabase()
    await at(url, '2026-12-30T12:00:00Z', async (app) => {
      expect(await partsOf(app)).toEqual([
        'outbox_event_20261230',
        'outbox_event_20261231',
        'outbox_event_20270101',
        'outbox_event_20270102',
        'outbox_event_default',
      ])
      for (const table of ['mail_open', 'mail_click', 'visit'])
        expect(await partsOf(app, table)).toEqual([`${table}_202612`, `${table}_202701`, `${table}_default`])
    })
  })

  it('of opens, clicks and visits are dropped after the retention period, and statistics stay', async () => {
    const url = await newUnusedDatabase()
    const figures =
      '{ funnels { nodes { stats(period: ALL) { totals { visitors views } steps { figures { visitors views } } } } } }'
    const stats = async (ask: (query: string) => Promise<Answer>) => (await ask(figures)).data.funnels.nodes[0].stats
    const run = async (app: App, sql: string) => (await app.database.pool.query(sql)).rows
    const count = async (app: App) =>
      (
        await run(
          app,
          'SELECT (SELECT count(*) FROM visit) + (SELECT count(*) FROM mail_open) + (SELECT count(*) FROM mail_click) AS n',
        )
      )[0].n
    const asking = (app: App, key: string) => async (query: string) =>
      (
        await fetch(`${app.address.url}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        })
      ).json()
    const { key, before } = await at(url, '2025-03-10T12:00:00Z', async (app) => {
      const { accountId } = await newAccount(app)
      const system = newCommandSystem({ db: app.database.db, log: silent, clock: settableClock(new Date()) })
      const created = await apiKeys.create(system, { accountId })
      const ask = asking(app, created.key)
      await run(app, `UPDATE account SET subdomain = 'shop' WHERE id = ${accountId}`)
      await ask('mutation { funnelCreate(input: { name: "F" }) { funnel { id } } }')
      for (const name of ['One', 'Two'])
        await ask(`mutation { funnelStepCreate(input: { funnelId: 1, name: "${name}" }) { step { id } } }`)
      // Visitors of one month, of several, of one step, of both, and of a time before there were partitions.
      const looks = [
        ...[
          ['a', 1, '2025-03-11'],
          ['a', 1, '2025-03-12'],
          ['a', 2, '2025-04-02'],
          ['b', 1, '2025-03-11'],
          ['c', 2, '2025-04-30'],
        ],
        ...[
          ['a', 1, '2026-05-01'],
          ['d', 1, '2026-05-01'],
          ['e', 1, '2024-01-01'],
          ['b', 1, '2024-01-01'],
          ['bot', 1, '2025-03-11'],
        ],
      ]
      for (const [visitor, step, day] of looks) {
        await run(
          app,
          `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, is_bot)
           VALUES (${accountId}, '${day}', 1, ${step}, '${visitor}', ${visitor === 'bot'})`,
        )
      }
      await countRows({ accountId, server: { system } }, ['step_visitor'])
      await run(
        app,
        `INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot) VALUES (${accountId}, '2025-03-11', 1, false)`,
      )
      await run(
        app,
        `INSERT INTO mail_click (account_id, created_at, recipient_id, is_bot, url) VALUES (${accountId}, '2025-03-11', 1, false, 'x')`,
      )
      return { key: created.key, before: await stats(ask) }
    })
    expect(before).toEqual({
      totals: { visitors: 5, views: 9 },
      steps: [{ figures: { visitors: 4, views: 7 } }, { figures: { visitors: 2, views: 2 } }],
    })
    for (const [time, left] of [
      ['2025-04-10T00:00:00Z', '10'],
      ['2026-06-01T00:00:00Z', '4'],
      ['2026-07-10T00:00:00Z', '2'],
      ['2027-12-01T00:00:00Z', '0'],
    ] as const) {
      await at(url, time, async (app) => {
        const clock = settableClock(new Date(time))
        await newVisitExpiry(url, 400)(newCommandSystem({ db: app.database.db, log: silent, clock }))
        expect([time, await stats(asking(app, key))]).toEqual([time, before])
        expect([time, await count(app)]).toEqual([time, left])
      })
    }
    // The job has emptied them, and the next start drops them.
    await at(url, '2027-12-02T00:00:00Z', async (app) => {
      expect(await partsOf(app, 'visit')).toEqual(['visit_202712', 'visit_202801', 'visit_default'])
    })
  })

  it('are created once by servers that start concurrently', async () => {
    const url = await newUnusedDatabase()
    await Promise.all(
      ['2026-12-01T12:00:00Z', '2026-12-01T12:00:01Z'].map((time) => at(url, time, async () => undefined)),
    )
    await at(url, '2026-12-01T12:00:02Z', async (app) => expect(await partsOf(app)).toHaveLength(5))
  })

  it('take over the rows of the default partition without loss or change of order', async () => {
    const url = await newUnusedDatabase()
    const { before, accountId } = await at(url, '2026-12-01T12:00:00Z', async (app) => {
      const { accountId, ask } = await newAccount(app)
      await ask(created('one'))
      await ask(created('two'))
      await allStamped(app)
      const copy = `INSERT INTO outbox_event (account_id, type, data, created_at, position)
        SELECT account_id, type, data, created_at + '30 days', position + 2 FROM outbox_event`
      await app.database.pool.query(copy)
      await app.database.pool.query('UPDATE event_counter SET position = 4')
      const { rows } = await app.database.pool.query(
        'SELECT position, tableoid::regclass::text AS at FROM outbox_event ORDER BY 1',
      )
      expect(rows.map(({ at: part }) => part)).toEqual([
        ...Array(2).fill('outbox_event_20261201'),
        ...Array(2).fill('outbox_event_default'),
      ])
      return { before: rows.map(({ position }) => position), accountId }
    })
    await at(url, '2026-12-31T12:00:00Z', async (app) => {
      const { rows } = await app.database.pool.query(
        'SELECT position, account_id, tableoid::regclass::text AS at FROM outbox_event ORDER BY 1',
      )
      // The first day has expired by now.
      expect(rows.map(({ position }) => position)).toEqual(before.slice(2))
      for (const row of rows) expect(row).toMatchObject({ account_id: accountId, at: 'outbox_event_20261231' })
    })
  })

  it('are dropped after the retention period; older cursors are then rejected, later ones are not', async () => {
    const url = await newUnusedDatabase()
    const { first, last, key } = await at(url, '2026-12-01T12:00:00Z', async (app) => {
      const system = newCommandSystem({ db: app.database.db, log: silent, clock: settableClock(new Date()) })
      const { id } = await accounts.create(system, { name: 'Ada & Co', email: 'ada@example.com' })
      const key = await newKey(system, app.database, { accountId: id })
      const cursor = async () => (await asked(app, key, '{ eventCursor }')).data.eventCursor
      const first = await cursor()
      await asked(app, key, created('one'))
      await allStamped(app)
      let last = first
      await until(async () => {
        last = await cursor()
        return last !== first
      })
      return { first, last, key }
    })
    const following = (cursor: string) => `subscription { events(after: "${cursor}") { cursor } }`
    await at(url, '2026-12-04T23:00:00Z', async (app) => {
      expect(await partsOf(app)).toContain('outbox_event_20261201')
      expect((await asked(app, key, following(first))).data.events.cursor).toBe(last)
    })
    await at(url, '2026-12-05T00:00:00Z', async (app) => {
      expect(await partsOf(app)).not.toContain('outbox_event_20261201')
      expect((await asked(app, key, following(first))).errors[0].extensions.code).toBe('CURSOR_EXPIRED')
      const after = asked(app, key, following(last))
      await asked(app, key, created('two'))
      expect((await after).data.events.cursor).toBeTypeOf('string')
    })
  })

  it('are kept while they contain events without a position or events that a reader has not read', async () => {
    const url = await newUnusedDatabase()
    await at(url, '2026-12-01T12:00:00Z', async (app) => {
      const { ask } = await newAccount(app)
      await ask(created('one'))
      await allStamped(app)
      await app.database.pool.query("INSERT INTO log_reader VALUES ('slow', 0)")
    })
    await at(url, '2026-12-09T12:00:00Z', async (app) => {
      expect(await partsOf(app)).toContain('outbox_event_20261201')
      await app.database.pool.query('UPDATE log_reader SET position = 1')
    })
    await at(url, '2026-12-09T12:00:00Z', async (app) => {
      expect(await partsOf(app)).not.toContain('outbox_event_20261201')
    })
  })
})
