import { randomBytes } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { databaseUrl, onServer } from './global.ts'

const made: string[] = []

afterAll(async () => {
  if (made.length === 0) return
  await onServer(inject('server'), async (client) => {
    for (const name of made.splice(0)) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
})

/** A database of its own for a test file, migrated and empty; dropped when the file is done. Answers its URL. */
export async function newDatabase(): Promise<string> {
  const server = inject('server')
  const name = `${server.prefix}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${server.prefix}_template`))
  made.push(name)
  return databaseUrl(server, name)
}

/** The same without our tables: what a new installation finds. */
export async function newEmptyDatabase(): Promise<string> {
  const server = inject('server')
  const name = `${server.prefix}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  made.push(name)
  return databaseUrl(server, name)
}
