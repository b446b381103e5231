// @module-tag rows
import pg from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { atEnd } from '../support/ends.ts'
import { newProxy, type TcpProxy } from '../support/proxy.ts'
import { newReplicatedDatabase } from '../support/replica.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const stale = (seconds?: number) => ({ 'cache-control': seconds === undefined ? 'max-stale' : `max-stale=${seconds}` })

const patience = { timeout: 100_000, interval: 20 }

describe('a read replica', () => {
  let server: Server
  let world: World
  let proxy: TcpProxy
  let onReplica: pg.Client

  const count = async (headers: Record<string, string> = stale()): Promise<number> =>
    (await world.run('{ contacts { totalCount } }', {}, { headers })).contacts.totalCount
  /** Creates a contact and returns the position in the response. */
  const created = async (): Promise<string> => {
    const { headers, body } = await world.ask(
      `mutation { contactCreate(input: { email: "${crypto.randomUUID()}@example.com" }) { contact { id } } }`,
    )
    expect(body.errors).toBeUndefined()
    return headers.get('x-database-position') as string
  }
  /** Returns how many requests were read at a target. */
  const reads = async (target: string): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return Number(new RegExp(`^campanile_replica_reads_total\\{target="${target}"\\} (.+)$`, 'm').exec(text)?.[1] ?? 0)
  }
  const isUsed = async () => {
    const before = await reads('replica')
    await count()
    return (await reads('replica')) > before
  }
  /** Reads until stopped, several requests at a time. Returns the number of reads after all have succeeded. */
  const readsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    let isOver = false
    let done = 0
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        await count()
        done += 1
      }
    })
    await Promise.all([...readers, work().finally(() => (isOver = true))])
    return done
  }

  beforeAll(async () => {
    const { primary, replica } = await newReplicatedDatabase()
    const url = new URL(replica)
    proxy = await newProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(proxy.port)
    onReplica = new pg.Client({ connectionString: replica })
    await onReplica.connect()
    atEnd(() => onReplica.end())
    server = await newServer({ DATABASE_URL: primary, REPLICA_DATABASE_URLS: url.href })
    world = await newWorld({ server })
    await vi.waitUntil(isUsed, patience)
  })

  it('serves queries that accept old data, and no others', async () => {
    const before = await reads('replica')
    await count({})
    await count({ 'cache-control': 'no-cache' })
    await world.run('{ contacts { totalCount } eventCursor }', {}, { headers: stale() })
    expect(await reads('replica')).toBe(before)
    await vi.waitUntil(isUsed, patience)
  })

  it('serves a change to the client that made it, after the position in the response', async () => {
    const before = await reads('replica')
    for (let expected = (await count({})) + 1, round = 0; round < 20; round += 1, expected += 1) {
      const position = await created()
      expect(await count({ ...stale(), 'x-database-position': position })).toBe(expected)
    }
    expect(await reads('replica')).toBeGreaterThan(before)
  })

  it('that is behind is not used for a change that it lacks, an export, or data of less age', async () => {
    await onReplica.query('SELECT pg_wal_replay_pause()')
    try {
      const position = await created()
      const expected = await count({})
      expect(await count({ ...stale(), 'x-database-position': position })).toBe(expected)
      const { exportLink } = await world.run('{ exportLink(list: CONTACTS) { url } }')
      const lines = (await (await fetch(exportLink.url)).text()).trim().split('\r\n')
      expect(lines).toHaveLength(expected + 1)
      await vi.waitUntil(async () => (await count(stale(1))) === expected, patience)
      // Data of any age is at most ten seconds old, so the clock of the server moves on by as much.
      const now = performance.now.bind(performance)
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000)
      await vi.waitUntil(async () => (await count()) === expected, patience)
    } finally {
      await onReplica.query('SELECT pg_wal_replay_resume()')
    }
    await vi.waitUntil(isUsed, patience)
  })

  it.each([
    ['stops', () => proxy.cut()],
    ['hangs', async () => proxy.freeze()],
  ])('that %s fails no request', async (_name, fail) => {
    const expected = await count({})
    await readsDuring(async () => {
      await fail()
      await vi.waitUntil(async () => !(await isUsed()), patience)
    })
    expect(await count()).toBe(expected)
    await proxy.heal()
    await vi.waitUntil(isUsed, patience)
  })

  it('that is promoted fails no request and is not used again', async () => {
    await readsDuring(async () => {
      await onReplica.query('SELECT pg_promote()')
      await vi.waitUntil(async () => !(await isUsed()), patience)
    })
    await created()
    expect(await count()).toBe(await count({}))
  })
})
