import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { atEnd } from './ends.ts'
import { databaseUrl, onServer, type TestServer } from './global.ts'

/** A database of its own for a test file, migrated and empty; dropped when the file is done. Answers its URL. */
export async function newDatabase(): Promise<string> {
  const server = inject('server')
  const name = `${server.prefix}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${server.prefix}_template`))
  dropAtEnd(server, name)
  return databaseUrl(server, name)
}

/** The same without our tables: what a new installation finds. */
export async function newEmptyDatabase(): Promise<string> {
  const server = inject('server')
  const name = `${server.prefix}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  dropAtEnd(server, name)
  return databaseUrl(server, name)
}

/**
 * Drops the database at the end of the file. PostgreSQL first waits until every backend of the server has released the
 * files, also one that another test file holds in a write to a client that does not read. A database that cannot be
 * dropped within ten seconds is left to the end of the run.
 */
function dropAtEnd(server: TestServer, name: string): void {
  atEnd(() =>
    onServer(server, async (client) => {
      await client.query("SET statement_timeout = '10s'")
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch((error: { code?: string }) => {
        if (error.code !== '57014') throw error
      })
    }),
  )
}
