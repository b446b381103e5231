import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import type { Clock } from '../../src/kernel/clock.ts'
import { newEmptyDatabase } from '../support/database.ts'
import left from './0.1.json' with { type: 'json' }

/**
 * What version 0.1 gave to clients before its process was killed, at the time `at`: keys, ids, cursors, links, cookies.
 *
 * The dump beside it is what was in its database then (pg_dump 15, as INSERT statements, compressed with Brotli). Account 1
 * is the demonstration; account 2 has work in progress of every kind.
 */
export { left }

/** The endpoint that the webhooks of the dump name. */
const oldEndpoint = 'http://127.0.0.1:43219'

/** Loads the dump into a database of its own and returns its URL. Its webhooks point at `endpoint`. */
export async function loadVersion01(endpoint: string): Promise<string> {
  const url = await newEmptyDatabase()
  const dump = brotliDecompressSync(await readFile(new URL('0.1.sql.br', import.meta.url))).toString()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(dump.replaceAll(oldEndpoint, endpoint))
  } finally {
    await client.end()
  }
  return url
}

/** A clock that runs on from the time of the dump, so that nothing in it is older than it was. `skip` moves it forward. */
export function newClockAt(start: string): Clock & { skip(milliseconds: number): void } {
  let offset = new Date(start).getTime() - Date.now()
  return {
    now: () => new Date(Date.now() + offset),
    skip: (milliseconds) => {
      offset += milliseconds
    },
  }
}
