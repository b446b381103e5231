// @module-tag rows
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { sql } from '../../src/db/sql.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { unavailable } from '../../src/db/unavailable.ts'
import { atEnd } from '../support/ends.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

// An administrator stops PostgreSQL, or ends its connections (SQLSTATE 57P01).

describe('a database that is shut down', () => {
  it('makes every kind of statement UNAVAILABLE', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api' }) })
    const { system } = world.server
    const ctx = newCtx(system, { accountId: world.accountId })
    const admin = new pg.Client(world.server.databaseUrl)
    await admin.connect()
    atEnd(() => admin.end())
    const end = 'SELECT pg_terminate_backend(pg_backend_pid())'
    const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
      'a statement': () => system.db.$unscoped('a test', sql`SELECT pg_terminate_backend(pg_backend_pid())`),
      'a statement of an account': () =>
        ctx.sql`SELECT pg_terminate_backend(pg_backend_pid()), ${ctx.sql.account}::int`,
      'a statement with a limit': () =>
        ctx.sql.limited(1)`SELECT pg_terminate_backend(pg_backend_pid()), ${ctx.sql.account}::int`,
      'a copied list': () =>
        ctx.sql.copy({
          options: 'FORMAT csv',
          end: '\n',
        })`SELECT pg_terminate_backend(pg_backend_pid()), ${ctx.sql.account}::int`,
      "a raw query of Prisma's client": () => system.db.$queryRawUnsafe(end),
      "a raw statement of Prisma's client": () => system.db.$executeRawUnsafe(end),
      'a transaction': () => inTransaction(ctx, (tx) => tx.db.$executeRawUnsafe(end)),
      'a transaction with models': () =>
        inTransaction(ctx, async (tx) => {
          await tx.db.tag.count({ where: { accountId: world.accountId } })
          await tx.db.$executeRawUnsafe(end)
        }),
      'a model in a transaction': () =>
        inTransaction(ctx, async (tx) => {
          const [row] = await tx.db.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
          await tx.db.tag.count({ where: { accountId: world.accountId } })
          await admin.query('SELECT pg_terminate_backend($1)', [row?.pid])
          await tx.db.tag.count({ where: { accountId: world.accountId } })
        }),
      'a model that waits for a lock': async () => {
        await admin.query('BEGIN')
        await admin.query('LOCK TABLE tag')
        const counted = system.db.tag.count({ where: { accountId: world.accountId } })
        const waiting =
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'tag'::regclass"
        counted.catch(() => undefined)
        while ((await admin.query(waiting)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve))
        await admin.query('ROLLBACK')
        return counted
      },
      'a commit': () =>
        inTransaction(ctx, async (tx) => {
          const [row] = await tx.db.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
          await admin.query('SELECT pg_terminate_backend($1)', [row?.pid])
        }),
    }
    for (const [kind, run] of Object.entries(kinds)) {
      const error = await run().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(unavailable(error)?.code, `${kind}: ${String(error)} ${JSON.stringify(error)}`).toBe('UNAVAILABLE')
    }
    expect(await world.run('{ viewer { email } }')).toBeTruthy()
    const text = 'Raw query failed. Code: `57P01`. Message: `terminating connection due to administrator command`'
    for (const error of [new Error(text), { code: 'P2010', meta: { code: '57P01' } }])
      expect(unavailable(error)?.code).toBe('UNAVAILABLE')
  })

  it('makes every request UNAVAILABLE that it interrupts', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api' }) })
    const admin = new pg.Client(world.server.databaseUrl)
    await admin.connect()
    atEnd(() => admin.end())
    const form = await world.form({ name: 'x', type: 'SURVEY', questions: [{ label: 'a', type: 'SHORT_TEXT' }] })
    const [question] = form.questions
    const headers = { authorization: `Bearer ${world.mainKey}`, 'content-type': 'application/json' }
    const post = (path: string, body: object) =>
      fetch(world.server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    let isOver = false
    const wrong: string[] = []
    let [served, refused] = [0, 0]
    const repeat = async (send: (index: number) => Promise<Response>) => {
      for (let index = 0; !isOver; index += 1) {
        const response = await send(index)
        const text = await response.text()
        if (response.status === 503 || text.includes('"UNAVAILABLE"')) refused += 1
        else if (response.status < 300 && !text.includes('"errors"')) served += 1
        else wrong.push(`${response.status} ${text}`)
      }
    }
    const clients = [
      repeat((index) =>
        post('/graphql', { query: `mutation { tagCreate(input: { name: "t${index}" }) { tag { id } } }` }),
      ),
      repeat(() =>
        post('/graphql', { query: '{ contacts(first: 1) { totalCount nodes { tags { name } } } account { name } }' }),
      ),
      repeat((index) =>
        post('/graphql', {
          query: `mutation { contactUpsert(input: { email: "a${index % 9}@example.com", firstName: "x${index}" }) { contact { id } } }`,
        }),
      ),
      repeat((index) => post(`/f/${form.databaseId}`, { answers: { [question?.databaseId ?? 0]: `${index}` } })),
      repeat(() => fetch(`${world.server.url}/v1/contacts`, { headers })),
    ]
    for (let times = 0; times < 60; times += 1) {
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'campanile' AND datname = current_database()",
      )
      await admin.query('SELECT pg_sleep(0.02)')
    }
    isOver = true
    await Promise.all(clients)
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(0)
    expect(served).toBeGreaterThan(0)
  })
})
