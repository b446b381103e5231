import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { openDatabase } from '../../src/db/client.ts'
import { type EmbeddedServer, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'

/** Number of contacts in each of the two accounts. Defaults to 100,000. */
export const contactsPerAccount = Number(process.env['BENCH_CONTACTS'] ?? 100_000)

/** A database with contacts, and the key of the measured account. */
export interface FilledDatabase {
  url: string
  accountId: number
  key: string
  drop(): Promise<void>
}

/**
 * Creates a database with two accounts of 100,000 contacts: on the server of BENCH_DATABASE_URL or TEST_DATABASE_URL,
 * or on an embedded one in a temporary folder.
 */
export async function fillDatabase(): Promise<FilledDatabase> {
  const { url, drop } = await newDatabase()
  try {
    const account = await openAccounts(url)
    await onServer(url, fill)
    return { url, ...account, drop }
  } catch (error) {
    await drop()
    throw error
  }
}

/** Creates a database without tables on the same server. `drop` drops it and stops the server if it is an embedded one. */
export async function newDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = await openServer()
  const name = `campanile_bench_${randomBytes(4).toString('hex')}`
  await onServer(server.url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  return {
    url: Object.assign(new URL(server.url), { pathname: `/${name}` }).href,
    drop: async () => {
      await onServer(server.url, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
      await server.close()
    },
  }
}

async function openServer(): Promise<{ url: string; close(): Promise<void> }> {
  const input = process.env['BENCH_DATABASE_URL'] ?? process.env['TEST_DATABASE_URL']
  if (input) return { url: input, close: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
  let embedded: EmbeddedServer | undefined
  const close = async () => {
    await embedded?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    // The benchmark reads, so writing may skip fsync. Commits still wait for the log, because otherwise VACUUM marks no
    // page as visible to all and index-only scans are not used.
    const hasty = { fsync: 'off', full_page_writes: 'off', max_wal_size: '4GB' }
    embedded = await startEmbedded(folder, newLog('error'), { ...hasty, shared_buffers: '512MB' })
    return { url: embedded.url, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Two accounts, so that every statement has rows of another account to skip. */
async function openAccounts(url: string): Promise<{ accountId: number; key: string }> {
  const log = newLog('error')
  await migrate(url, log)
  const database = openDatabase({ url, directUrl: url, poolSize: 1, log })
  try {
    const system = newCommandSystem({ db: database.db, log, clock: systemClock })
    const measured = await accounts.create(system, { name: 'Measured', email: 'measured@example.com' })
    await accounts.create(system, { name: 'Other', email: 'other@example.com' })
    const { key } = await apiKeys.create(system, { accountId: measured.id, name: 'bench' })
    return { accountId: measured.id, key }
  } finally {
    await database.close()
  }
}

async function fill(client: pg.Client): Promise<void> {
  const text = await readFile(new URL('contacts.sql', import.meta.url), 'utf8')
  // The rows are valid, and checking each would take minutes. This setting requires a superuser.
  await client.query('SET session_replication_role = replica').catch(() => undefined)
  await client.query(`SET bench.size = ${contactsPerAccount}`)
  await client.query(text)
  await client.query('RESET session_replication_role')
  // Autovacuum would do this later, during the measurement.
  await client.query('VACUUM ANALYZE')
  await client.query('CHECKPOINT').catch(() => undefined)
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
