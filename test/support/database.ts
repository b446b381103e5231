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

function dropAtEnd(server: TestServer, name: string): void {
  atEnd(() => onServer(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
}
