import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openPool } from '../../src/db/driver/index.ts'
import { newDatabase } from '../support/database.ts'

/** Returns the log entries of a pool whose unused connection is terminated by the server. */
async function entriesOf(isClosed: boolean): Promise<unknown[]> {
  const entries: unknown[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => entries.push(JSON.parse(line)) })
  const { pool, close } = openPool({ connectionString: await newDatabase() }, { log })
  const client = await pool.connect()
  client.release()
  const closing = isClosed ? close() : undefined
  client.emit('error', new Error('terminating connection due to administrator command'))
  await (closing ?? close())
  return entries
}

describe('a connection that the server terminates', () => {
  it('is logged while its pool is open', async () => {
    expect(await entriesOf(false)).toMatchObject([{ msg: 'an idle database connection was lost' }])
  })

  it('is not logged while its pool closes, so that a failed start prints one line', async () => {
    expect(await entriesOf(true)).toEqual([])
  })
})
