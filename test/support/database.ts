import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { atEnd } from './ends.ts'
import { databaseUrl, onServer, type TestServer } from './global.ts'

/** Creates a migrated, empty database for a test file and drops it at the end of the file. Returns its URL. */
export async function newDatabase(): Promise<string> {
  return cloneDatabase(`${inject('server').prefix}_template`)
}

/** Copies a database without connections for a test file, and drops the copy at the end of the file. Returns its URL. */
export async function cloneDatabase(template: string): Promise<string> {
  const server = inject('server')
  const name = `${server.prefix}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`))
  dropAtEnd(server, name)
  return databaseUrl(server, name)
}

/** Creates a database without tables, as for a new installation. Returns its URL. */
export async function newEmptyDatabase(): Promise<string> {
  const server = inject('server')
  const name = `${server.prefix}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  dropAtEnd(server, name)
  return databaseUrl(server, name)
}

/**
 * Returns the variables of a server on a database: through the pooler of the run, if it has one. URLs of other servers
 * stay the same.
 */
export function urlsOf(databaseUrl: string): Record<string, string> {
  const poolerUrl = inject('poolerUrl')
  if (poolerUrl === '' || new URL(databaseUrl).host !== new URL(inject('server').url).host) {
    return { DATABASE_URL: databaseUrl }
  }
  const pooled = new URL(databaseUrl)
  pooled.host = new URL(poolerUrl).host
  return { DATABASE_URL: pooled.href, DIRECT_DATABASE_URL: databaseUrl }
}

/**
 * Drops the database at the end of the file. PostgreSQL waits until all backends of the server release the files, even
 * backends that other test files block, and five seconds for the backends that it terminates. A database that cannot be
 * dropped by then is dropped at the end of the run.
 */
function dropAtEnd(server: TestServer, name: string): void {
  atEnd(() =>
    onServer(server, async (client) => {
      await client.query("SET statement_timeout = '10s'")
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch((error: { code?: string }) => {
        if (error.code !== '57014' && error.code !== '55006') throw error
      })
    }),
  )
}
