import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import type { Clock } from '../../src/kernel/clock.ts'
import { newEmptyDatabase } from '../support/database.ts'
import left from './0.1.json' with { type: 'json' }

/**
 * What version 0.1 gave to clients before its process was killed, at the time `at`: keys, IDs, cursors, links, cookies.
 *
 * The dump beside it contains the database at that time (pg_dump 15, as INSERT statements, compressed with Brotli).
 * Account 1 is the demonstration; account 2 has unfinished work of every kind.
 */
export { left }

/** The endpoint of the webhooks in the dump. */
const oldEndpoint = 'http://127.0.0.1:43219'

/** Loads the dump into a new database and returns its URL. Its webhooks get the URL `endpoint`. */
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

/** A clock that starts at the time of the dump, so that its rows do not age. `skip` advances it. */
export function newClockAt(start: string): Clock & { skip(milliseconds: number): void } {
  let offset = new Date(start).getTime() - Date.now()
  return {
    now: () => new Date(Date.now() + offset),
    skip: (milliseconds) => {
      offset += milliseconds
    },
  }
}
