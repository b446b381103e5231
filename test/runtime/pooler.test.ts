// @module-tag rows
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { follow } from '../events/stream.ts'
import { Contacts } from '../events/writers.ts'
import { newDatabase } from '../support/database.ts'
import { type PoolerOptions, pgBouncer, startPooler } from '../support/pooler.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

// PgBouncer is not embedded. These tests run only if it is installed.
describe.runIf(pgBouncer !== undefined)('a pooler in front of the database', () => {
  const pooledDatabase = async (options: Omit<PoolerOptions, 'databaseUrl'> = {}) => {
    const direct = await newDatabase()
    const pooler = await startPooler({ databaseUrl: direct, ...options })
    onTestFinished(() => pooler.stop())
    return { direct, pooled: pooler.pooled(direct) }
  }

  it('in transaction mode without DIRECT_DATABASE_URL prevents the start', async () => {
    const { pooled } = await pooledDatabase()
    await expect(newServer({ DATABASE_URL: pooled, DIRECT_DATABASE_URL: pooled })).rejects.toThrow(
      'DATABASE_URL names a pooler in transaction mode: set DIRECT_DATABASE_URL to the URL of the database without it',
    )
  })

  it('serves several processes with fewer connections than they have requests', async () => {
    const { direct, pooled } = await pooledDatabase({ poolSize: 2 })
    const env = { DATABASE_URL: pooled, DIRECT_DATABASE_URL: direct, ROLES: 'api' }
    const servers = await Promise.all([newServer(env), newServer(env), newServer(env)])
    const [first, second] = servers
    const world = await newWorld({ server: first })
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const following = await follow({ server: second, key: world.mainKey }, Contacts, { after })
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.run(
          `mutation { contactCreate(input: { email: "${index}@example.com" }) { contact { id } } }`,
          {},
          { server: servers[index % servers.length] ?? first },
        ),
      ),
    )
    await following.upTo(30)
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(30)
    // The pooler closes idle ones.
    expect((await connections(direct)).ofPooler).toBeLessThanOrEqual(2)
    // A process connects to watch the database some time after its start.
    await expect.poll(async () => (await connections(direct)).ofProcesses).toBe(3 * servers.length)
    expect(first.errors).toEqual([])
  })

  it('whose connections are all busy for longer than an outage is detected delays requests', async () => {
    const { direct, pooled } = await pooledDatabase({ poolSize: 1 })
    const server = await newServer({ DATABASE_URL: pooled, DIRECT_DATABASE_URL: direct })
    const world = await newWorld({ server })
    const holder = new pg.Client({ connectionString: pooled })
    await holder.connect()
    const held = holder.query('SELECT pg_sleep(6)')
    const tag = await world.tag()
    await held
    expect(tag.databaseId).toBeGreaterThan(0)
    await holder.end()
    expect(server.errors).toEqual([])
  })
})

/** Counts the connections to a database: those of the pooler, and those past it. */
async function connections(databaseUrl: string): Promise<{ ofPooler: number; ofProcesses: number }> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT count(*) FILTER (WHERE NOT is_own)::int AS "ofPooler", count(*) FILTER (WHERE is_own)::int AS "ofProcesses"
      FROM (SELECT *, application_name IN ('campanile hints', 'campanile sequencer', 'campanile watch') AS is_own
        FROM pg_stat_activity) AS activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}
