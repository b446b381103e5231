// @module-tag rows
import pg from 'pg'
import { expect, it } from 'vitest'
import { start, temporaryFolder, until } from '../runtime/process.ts'
import { newDatabase } from '../support/database.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

it('a server whose connection is lost when a job ends keeps running, and the job ends', async () => {
  const databaseUrl = await newDatabase()
  const world = await newWorld({ server: await newServer({ DATABASE_URL: databaseUrl, ROLES: 'api' }) })
  const worker = start('main', [], {
    PORT: '0',
    ROLES: 'worker',
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: databaseUrl,
    SECRET: 'a secret that only tests know',
  })
  const address = (await worker.line(/^ready /)).replace(/^ready /, '')
  const [contact, tag] = [await world.contact(), await world.tag()]
  const [ofContact, ofQueue] = [1, 2].map(() => new pg.Client({ connectionString: databaseUrl })) as [
    pg.Client,
    pg.Client,
  ]
  const statements = async (pattern: string) =>
    (
      await world.rows<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE $1 AND wait_event_type = 'Lock'",
        [pattern],
      )
    ).map(({ pid }) => pid)
  try {
    // The job waits for the contact, and its end for the queue.
    await ofContact.connect()
    await ofContact.query(`BEGIN; SELECT FROM contact WHERE id = ${contact.databaseId} FOR UPDATE`)
    await world.run('mutation ($input: ContactBulkTagInput!) { contactBulkTag(input: $input) { queued } }', {
      input: { contactIds: [contact.id], tagId: tag.id },
    })
    await until(async () => (await statements('%contact%')).length > 0)
    await ofQueue.connect()
    await ofQueue.query('BEGIN; LOCK TABLE graphile_worker._private_jobs IN SHARE MODE')
    await ofContact.query('ROLLBACK')
    const ending = '%delete from%_private_jobs%'
    await until(async () => (await statements(ending)).length > 0)
    for (const pid of await statements(ending)) await world.rows('SELECT pg_terminate_backend($1)', [pid])
    await until(async () => (await statements(ending)).length === 0)
    await ofQueue.query('ROLLBACK')

    let hasStopped = false
    void worker.end.then(() => {
      hasStopped = true
    })
    const locked = () => world.rows('SELECT FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL')
    await until(async () => hasStopped || (await locked()).length === 0)
    expect(hasStopped).toBe(false)
    expect((await world.rows('SELECT FROM contact_tag')).length).toBe(1)
    expect((await fetch(`${address}/livez`)).status).toBe(200)
  } finally {
    await Promise.all([ofContact.end(), ofQueue.end()])
  }
  worker.signal('SIGTERM')
  expect((await worker.end).code).toBe(0)
})
