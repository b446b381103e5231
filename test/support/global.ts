import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { type EmbeddedServer, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { keepPartitions } from '../../src/db/upkeep/partitions.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { partitionsOf } from '../../src/server/processes/process-base.ts'
import { startPooler } from './pooler.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The PostgreSQL server of a run: its maintenance URL and the name prefix of the run's databases. */
export interface TestServer {
  url: string
  prefix: string
}

declare module 'vitest' {
  interface ProvidedContext {
    server: TestServer
    /** URL of a pooler in front of the server, which the processes of tests use. Empty if they use the server itself. */
    poolerUrl: string
  }
}

/**
 * Starts one PostgreSQL server per run in a temporary folder, or uses that of TEST_DATABASE_URL. Migrates a template database
 * once. Each test file clones it (`newDatabase`). With TEST_POOLER, servers connect through PgBouncer.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env['TMPDIR'] = temporaryFolder()
  const input = process.env['TEST_DATABASE_URL']
  const log = newLog('error')
  const folder = input ? undefined : await mkdtemp(join(tmpdir(), 'campanile-test-'))
  let embedded: EmbeddedServer | undefined
  // Test data need not survive a crash.
  const withoutDurability = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '500' }
  if (folder) {
    embedded = await startEmbedded(folder, log, withoutDurability)
    await weakenPassword(embedded.url)
  }
  const server = { url: embedded?.url ?? input ?? '', prefix: `campanile_test_${randomBytes(4).toString('hex')}` }
  const template = `${server.prefix}_template`
  await onServer(server, async (client) => {
    await client.query(`CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8'`)
    const directUrl = databaseUrl(server, template)
    await migrate(directUrl, log)
    // Each server would create them.
    const partitions = partitionsOf({ eventRetentionDays: 30, trackingRetentionDays: 30 })
    await keepPartitions(partitions, { directUrl, clock: systemClock, log })
    await client.query(`ALTER DATABASE ${template} ALLOW_CONNECTIONS false`)
  })
  const pooler = process.env['TEST_POOLER'] ? await startPooler({ databaseUrl: server.url }) : undefined
  project.provide('server', server)
  project.provide('poolerUrl', pooler?.pooled(server.url) ?? '')
  return async () => {
    await pooler?.stop()
    await onServer(server, (client) => dropAll(client, server.prefix))
    await embedded?.stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

/** Each of the many connections of a run would hash the password 4,096 times on both sides. */
async function weakenPassword(url: string): Promise<void> {
  await onServer({ url, prefix: '' }, (client) =>
    client.query(`SET scram_iterations = 1; ALTER ROLE campanile PASSWORD '${new URL(url).password}'`),
  )
}

/** Returns the URL of a database of the server. */
export function databaseUrl(server: TestServer, name: string): string {
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return url.href
}

/** Runs a function with a connection to the maintenance database of the server. */
export async function onServer<Result>(
  server: TestServer,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function dropAll(client: pg.Client, prefix: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  )
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
}
