import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { inject } from 'vitest'
import { loadDemo } from '../../src/demo/demo.ts'
import { newSigner } from '../../src/kernel/web/signer.ts'
import { cloneDatabase } from './database.ts'
import { databaseUrl, onServer, type TestServer } from './global.ts'
import { newServer } from './server.ts'
import { settled } from './settled.ts'
import { type World, worldOf } from './world.ts'

/** A database with the demonstration data, and the full-access key of its account. */
interface Demo {
  readonly database: string
  readonly accountId: number
  readonly key: string
}

/**
 * Starts a server on its own copy of the demonstration data, and returns the world of the account. The data is created once
 * per run, because that takes much longer than to copy it.
 */
export async function newDemo(
  env: Record<string, string> = {},
  seams: Parameters<typeof newServer>[1] = {},
): Promise<World> {
  const { database, accountId, key } = await onceInRun('demo', findDemo, createDemo)
  const server = await newServer({ ...env, DATABASE_URL: await cloneDatabase(database) }, seams)
  return worldOf(server, accountId, key)
}

/**
 * Finds what another test file of the run has made, or makes it. The processes of a run wait for each other: the lock ends
 * with its connection.
 */
export async function onceInRun<Made>(
  name: string,
  find: (client: pg.Client, server: TestServer) => Promise<Made | undefined>,
  make: (client: pg.Client, server: TestServer) => Promise<Made>,
): Promise<Made> {
  const server = inject('server')
  return onServer(server, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [`${server.prefix} ${name}`])
    return (await find(client, server)) ?? (await make(client, server))
  })
}

/** The comment of the template of the run names the demonstration. */
async function findDemo(client: pg.Client, { prefix }: TestServer): Promise<Demo | undefined> {
  const { rows } = await client.query<{ comment: string | null }>(
    "SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1",
    [`${prefix}_template`],
  )
  return rows[0]?.comment ? JSON.parse(rows[0].comment) : undefined
}

async function createDemo(client: pg.Client, server: TestServer): Promise<Demo> {
  const database = `${server.prefix}_demo_${randomBytes(4).toString('hex')}`
  await client.query(`CREATE DATABASE ${database} TEMPLATE ${server.prefix}_template`)
  const { app, system, url } = await newServer({ DATABASE_URL: databaseUrl(server, database) })
  const folder = await mkdtemp(join(tmpdir(), 'campanile-'))
  try {
    const signer = newSigner('a secret that only tests know')
    const { account, key } = await loadDemo({ ...system, signer, baseUrl: () => url }, folder)
    await settled({ rows: async (sql, values) => (await app.database.pool.query(sql, values)).rows })
    const demo: Demo = { database, accountId: account.id, key }
    // The server must have left the database before it can be copied.
    await app.close()
    await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`)
    await client.query(`COMMENT ON DATABASE ${server.prefix}_template IS '${JSON.stringify(demo)}'`)
    return demo
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
