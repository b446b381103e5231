import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Connection, openPool } from '../../src/db/driver/index.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newDatabase } from '../support/database.ts'

async function open(max = 2) {
  let statements = 0
  const count = (sent: number) => {
    statements += sent
  }
  const opened = openPool(
    { connectionString: await newDatabase(), max, pipeline: true },
    { log: newLog('error'), onStatement: count, preparesTransactions: true },
  )
  onTestFinished(opened.close)
  return { ...opened, sent: () => statements }
}

const backend = 'SELECT pg_backend_pid() AS id, $1::int AS n'

describe('a statement of the driver', () => {
  it('returns exact values: bigint, timestamptz, numeric as text, null, arrays', async () => {
    const { senders } = await open()
    const read = () =>
      senders.send(
        `SELECT 9007199254740993::bigint AS big, timestamptz '2026-11-27 01:02:03.004+00' AS at, 1.10::numeric AS amount,
          null::text AS nothing, $1::int[] AS ids`,
        [[3, 4]],
      )
    const row = { big: 9_007_199_254_740_993n, at: new Date('2026-11-27T01:02:03.004Z'), amount: '1.10' }
    // The first time its columns are described, the second time they are known.
    for (const rows of [await read(), await read()]) expect(rows).toEqual([{ ...row, nothing: null, ids: [3, 4] }])
  })

  it('fails by itself, with the caller in its stack, and its connection is used again', async () => {
    const { senders, sent } = await open(1)
    const [before] = await senders.send<{ id: number }>(backend, [1])
    const failure = await senders.send('SELECT 1 / $1::int', [0]).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '22012', stack: expect.stringContaining('driver.test.ts') })
    expect(await senders.send(backend, [2])).toEqual([{ id: before?.id, n: 2 }])
    expect(sent()).toBe(3)
  })

  it('leaves nothing of its rows behind: only their columns are remembered', async () => {
    const { senders } = await open(1)
    await senders.send('SELECT 1 AS first', [])
    const read = () => senders.send<object>('SELECT repeat($1::text, 1000000) AS large', ['x'])
    // The one that is described, and the one whose description is known.
    const rows = [new WeakRef((await read())[0] as object), new WeakRef((await read())[0] as object)]
    await senders.send('SELECT 1 AS other', [])
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    await vi.waitFor(() => {
      collect()
      expect(rows.map((row) => row.deref() === undefined)).toEqual([true, true])
    })
  })

  it('that ends its connection is followed by one on a new connection', async () => {
    const { pool, senders } = await open(1)
    const [before] = await senders.send<{ id: number }>(backend, [1])
    await expect(senders.send('SELECT pg_terminate_backend(pg_backend_pid())', [])).rejects.toThrow()
    const [after] = await senders.send<{ id: number }>(backend, [1])
    expect(after?.id).not.toBe(before?.id)
    expect(pool.totalCount).toBe(1)
  })
})

describe('the statements of a group', () => {
  it('that are sent in one turn share a connection, and each fails by itself', async () => {
    const { senders } = await open(3)
    const send = senders.newGroup?.() as typeof senders.send
    const [first, failed, last] = await Promise.allSettled([
      send<{ id: number }>(backend, [1]),
      send('SELECT 1 / $1::int', [0]),
      send<{ id: number }>(backend, [3]),
    ])
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    const rows = [first, last].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    expect(rows.map(({ id }) => id)).toEqual([rows[0]?.id, rows[0]?.id])
  })
})

describe('the statements of a transaction', () => {
  it('that are prepared are one message, in which those after a failure fail with its error', async () => {
    const { pool, senders } = await open(1)
    const client = await pool.connect()
    const { send } = (client as unknown as Connection).newTransaction()
    const run = (text: string, values: unknown[] = []) => send(senders.inTransaction(text, values))
    // Once alone, so that the connection has prepared them.
    for (const n of [1, 2]) {
      await run('BEGIN')
      expect((await run('SELECT $1::int AS n', [n])).rows).toEqual([{ n }])
      expect((await run('SELECT 1 / $1::int AS n', [n])).rows).toHaveLength(1)
      expect(await run('COMMIT')).toMatchObject({ command: 'COMMIT' })
    }
    const results = await Promise.allSettled([
      run('BEGIN'),
      run('SELECT 1 / $1::int AS n', [0]),
      run('SELECT $1::int AS n', [1]),
      run('COMMIT'),
    ])
    expect(results.map((each) => (each.status === 'rejected' ? each.reason.code : each.value.command))).toEqual([
      'BEGIN',
      ...['22012', '22012', '22012'],
    ])
    await client.query('ROLLBACK')
    client.release()
  })
})

describe('a connection', () => {
  it('that is destroyed fails its statement with the error that is given', async () => {
    const connection = new Connection({ connectionString: await newDatabase() })
    connection.on('error', () => undefined)
    await connection.connect()
    const waiting = connection.query('SELECT pg_sleep(60)')
    connection.destroy(new Error('The test ends it.'))
    await expect(waiting).rejects.toThrow()
    await connection.close()
  })
})
