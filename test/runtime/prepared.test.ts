// @module-tag rows
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Connection, openPool } from '../../src/db/driver/index.ts'
import { inSystemTransaction } from '../../src/db/transaction.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newDatabase } from '../support/database.ts'
import { canKeepPrepared, pgBouncer, startPooler } from '../support/pooler.ts'
import { startPreparingPooler } from '../support/preparing-pooler.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** Starts PgBouncer with this many prepared statements for a connection, and returns the URL of the database through it. */
async function throughPgBouncer(databaseUrl: string, prepared: number): Promise<string> {
  const settings = canKeepPrepared() ? { prepared } : {}
  const pooler = await startPooler({ databaseUrl, poolSize: 3, ...settings })
  onTestFinished(() => pooler.stop())
  return pooler.pooled(databaseUrl)
}

const keeping = {
  'a pooler for tests': (databaseUrl: string) => startPreparingPooler(databaseUrl, 3),
  ...(canKeepPrepared() && { PgBouncer: (databaseUrl: string) => throughPgBouncer(databaseUrl, 50) }),
}

/** Upserts ten contacts forty times at once, through the servers in turn, and expects ten contacts. */
async function upsertMany(world: World, servers: readonly Server[]): Promise<void> {
  const upsert = (index: number) =>
    world.run(
      `mutation { contactUpsert(input: { email: "${index % 10}@example.com" }) { contact { id } } }`,
      {},
      { server: servers[index % servers.length] as Server },
    )
  await Promise.all(Array.from({ length: 40 }, (_, index) => upsert(index)))
  const { contacts } = await world.run('{ contacts { totalCount nodes { email tags { name } } } }')
  expect([contacts.totalCount, contacts.nodes.length]).toEqual([10, 10])
}

describe('a pooler that keeps prepared statements', () => {
  it.each(Object.entries(keeping))(
    '%s: statements are prepared on connections that others prepared them on',
    async (_name, open) => {
      const direct = await newDatabase()
      const pooled = await open(direct)
      const env = { DATABASE_URL: pooled, DIRECT_DATABASE_URL: direct }
      const servers = [await newServer(env), await newServer(env)] as const
      const world = await newWorld({ server: servers[0] })
      await upsertMany(world, servers)
      expect(await preparedOn(pooled)).toBeGreaterThan(5)
      for (const { errors } of servers) expect(errors).toEqual([])
    },
  )
})

describe.runIf(pgBouncer !== undefined)('a pooler that does not keep prepared statements', () => {
  it('serves requests all the same', async () => {
    const direct = await newDatabase()
    const pooled = await throughPgBouncer(direct, 0)
    const server = await newServer({ DATABASE_URL: pooled, DIRECT_DATABASE_URL: direct })
    const world = await newWorld({ server })
    await upsertMany(world, [server])
    expect(server.errors).toEqual([])
  })
})

describe('a statement whose preparation a pooler lost', () => {
  it('is repeated, and no statement is prepared any more', async () => {
    const { pool, senders, close } = openPool(
      { connectionString: await newDatabase(), max: 1 },
      { log: newLog('error') },
    )
    onTestFinished(close)
    const names = async () => (await pool.query('SELECT name FROM pg_prepared_statements')).rows
    const statement = () => senders.send<{ n: number }>('SELECT $1::int AS n', [1])
    await statement()
    expect(await names()).toHaveLength(1)
    await pool.query('DEALLOCATE ALL')
    expect(await statement()).toEqual([{ n: 1 }])
    expect(await statement()).toEqual([{ n: 1 }])
    expect(await names()).toEqual([])
  })

  it('does not let the statement that follows it run without a transaction', async () => {
    const { pool, senders, close } = openPool(
      { connectionString: await newDatabase(), max: 1 },
      { log: newLog('error'), preparesTransactions: true },
    )
    onTestFinished(close)
    await pool.query('CREATE TABLE kept (n int)')
    const client = await pool.connect()
    const { send } = (client as unknown as Connection).newTransaction()
    const run = (text: string, values: unknown[] = []) => send(senders.inTransaction(text, values))
    await Promise.all([run('BEGIN'), run('COMMIT')])
    await Promise.all([run('BEGIN'), run('COMMIT')])
    await client.query('DEALLOCATE ALL')
    // The second statement is prepared in a message of its own.
    await Promise.allSettled([run('BEGIN'), run('INSERT INTO kept VALUES ($1)', [1])])
    await client.query('ROLLBACK')
    expect((await client.query('SELECT n FROM kept')).rows).toEqual([])
    client.release()
  })

  it('in a transaction repeats the transaction', async () => {
    const server = await newServer({ DATABASE_POOL_SIZE: '1' })
    const world = await newWorld({ server })
    const create = (email: string) =>
      world.run(`mutation { contactCreate(input: { email: "${email}" }) { contact { email } } }`)
    await create('a@example.com')
    await server.app.database.pool.query('DEALLOCATE ALL')
    expect((await create('b@example.com')).contactCreate.contact.email).toBe('b@example.com')
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(2)
    expect(server.errors).toEqual([])
  })
})

describe('a lost statement of a transaction without an account', () => {
  it('repeats the transaction, and its effects after the commit happen once', async () => {
    const server = await newServer({ DATABASE_POOL_SIZE: '1' })
    const { pool, db } = server.app.database
    const run = async () => {
      let effects = 0
      const rows = await inSystemTransaction({ ...server.system, db }, async (tx) => {
        tx.afterCommit(() => {
          effects += 1
        })
        return tx.db.$queryRaw<{ n: number }[]>`SELECT ${1}::int AS n`
      })
      return { rows, effects }
    }
    const expected = { rows: [{ n: 1 }], effects: 1 }
    // The second time, all of its statements are prepared.
    for (const _ of [1, 2]) expect(await run()).toEqual(expected)
    await pool.query('DEALLOCATE ALL')
    expect(await run()).toEqual(expected)
    expect(server.errors).toEqual([])
  })
})

describe('the statements of a frequent write', () => {
  it('are planned once for each connection', async () => {
    const server = await newServer({ DATABASE_POOL_SIZE: '1' })
    const world = await newWorld({ server })
    const [form, sequence, tags] = [
      await world.form({
        questions: [
          { label: 'E-mail', type: 'EMAIL', required: true },
          { label: 'Do you sell?', type: 'YES_NO' },
        ],
      }),
      await world.sequence(),
      await Promise.all(Array.from({ length: 12 }, () => world.tag())),
    ]
    await world.stage(sequence)
    // In a small table, finding ten rows takes as long as finding one.
    await world.rows(
      `INSERT INTO contact (account_id, email, created_at, updated_at)
       SELECT $1, 'other' || n || '@example.com', now(), now() FROM generate_series(1, 20000) n`,
      [world.accountId],
    )
    await world.rows('ANALYZE contact')
    const [email, choice] = form.questions
    // PostgreSQL plans the first five executions for their values, and later ones if it expects less work for their values.
    for (const [index, tag] of tags.entries()) {
      const contact = { email: `${index}@example.com` }
      const [tagId, sequenceId] = [tag.id, sequence.id]
      const answers = [
        { questionId: email?.id, value: contact.email },
        { questionId: choice?.id, value: 'yes' },
      ]
      const lines = [{ name: 'A book', unitPrice: '12.50' }]
      const order = { idOrder: `${index}`, status: 'COMPLETED', currency: 'EUR', customer: contact, lines }
      await world.run(
        `mutation ($contact: ContactUpsertInput!, $changed: ContactUpsertInput!, $tag: ContactTagAddInput!,
          $enrolment: SequenceEnrolInput!, $submission: SubmissionSaveInput!, $order: OrderRecordInput!) {
          created: contactUpsert(input: $contact) { contact { id } } changed: contactUpsert(input: $changed) { contact { id } }
          contactTagAdd(input: $tag) { tag { id } } sequenceEnrol(input: $enrolment) { enrolment { id } }
          submissionSave(input: $submission) { submission { id } } orderRecord(input: $order) { order { id } }
        }`,
        {
          ...{ contact, changed: { ...contact, firstName: 'Ada' }, tag: { contact, tagId } },
          ...{ enrolment: { contact, sequenceId }, submission: { formId: form.id, complete: true, answers }, order },
        },
      )
    }
    const { rows } = await server.app.database.pool.query(
      'SELECT statement FROM pg_prepared_statements WHERE custom_plans > 5 AND generic_plans = 0',
    )
    expect(rows).toEqual([])
  })
})

/** Returns the number of statements that are prepared on a connection of a pooler. */
async function preparedOn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM pg_prepared_statements')
  await client.end()
  return rows[0]?.n ?? 0
}
