import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/account/index.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { Link, linkOf } from './exporting.ts'

describe('the link to an export', () => {
  it('returns the file without an API key', async () => {
    const world = await newWorld()
    await world.contact()
    const response = await fetch(await linkOf(world, 'CONTACTS'))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="contacts.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toContain('@example.com')
    const head = await fetch(await linkOf(world, 'CONTACTS', 'NDJSON'), { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      '',
    ])
  })

  it('returns a file that begins with a byte order mark on request', async () => {
    const world = await newWorld()
    await world.contact()
    const Marked =
      'query ($format: ExportFormat!) { exportLink(list: CONTACTS, format: $format, byteOrderMark: true) { url } }'
    const { url } = (await world.run(Marked, { format: 'CSV' })).exportLink
    const start = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer()).subarray(0, 8)
    expect(await start(url)).toEqual(Buffer.from('\ufeffid,em'))
    expect(await start(await linkOf(world, 'CONTACTS'))).toEqual(Buffer.from('id,email'))
    expect((await world.fault(Marked, { format: 'NDJSON' })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { byteOrderMark: [expect.stringContaining('CSV')] },
    })
  })

  it('expires after an hour or with its key, and cannot be forged', async () => {
    const clock = settableClock(new Date('2026-11-21T10:00:00Z'))
    const server = await newServer({}, { clock })
    const world = await newWorld({ server })
    const created = await apiKeys.create(server.system, { accountId: world.accountId, scopes: ['contacts:read'] })
    const { url, expiresAt } = (await world.run(Link, { list: 'CONTACTS', format: 'CSV' }, { key: created.key }))
      .exportLink
    expect(expiresAt).toBe('2026-11-21T11:00:00.000Z')
    const status = async (address: string) => (await fetch(address)).status
    expect(await status(url)).toBe(200)
    const [, payload = '', signature] = /export\.([^.]+)\.(.+)$/.exec(url) ?? []
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('CONTACTS', 'TAGS')).toString(
      'base64url',
    )
    expect(await status(url.replace(payload, forged))).toBe(404)
    expect(await status(url.replace(`.${signature}`, ''))).toBe(404)
    clock.set(new Date('2026-11-21T10:59:59Z'))
    expect(await status(url)).toBe(200)
    clock.set(new Date('2026-11-21T11:00:00Z'))
    expect(await status(url)).toBe(404)
    clock.set(new Date('2026-11-21T10:30:00Z'))
    await apiKeys.disableAny(server.system, { id: created.apiKey.id })
    expect(await status(url)).toBe(404)
  })

  it.each([
    ['ENROLMENTS', 'sequences:read'],
    ['RECIPIENTS', 'mail:read'],
    ['SUBMISSIONS', 'forms:read'],
  ] as const)('of %s requires %s, and contacts:read for contact columns', async (list, scope) => {
    const world = await newWorld()
    const key = await world.key({ scopes: [scope] })
    const fault = await world.fault(Link, { list, format: 'CSV' }, { key })
    expect(fault).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
    expect(fault.message).toContain('CONTACTS_READ')
    const both = await world.key({ scopes: [scope, 'contacts:read'] })
    expect(await linkOf(world, list, 'CSV', undefined, { key: both })).toContain('/d/export.')
  })

  it('requires the scope and a valid filter of its list', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['contacts:read'] })
    expect(await linkOf(world, 'TAGS', 'CSV', undefined, { key })).toContain('/d/export.')
    expect(await world.fault(Link, { list: 'ORDERS', format: 'CSV' }, { key })).toMatchObject({
      extensions: { code: 'FORBIDDEN' },
    })
    const wrong = { list: 'TAGS', format: 'CSV', filter: { contacts: { gdpr: true } } }
    expect(await world.fault(Link, wrong)).toMatchObject({
      extensions: { details: { 'filter.contacts': [expect.stringContaining('TAGS')] } },
    })
    const long = { list: 'TAGS', format: 'CSV', filter: { tags: { search: 'x'.repeat(5_000) } } }
    expect(await world.fault(Link, long)).toMatchObject({ extensions: { code: 'VALIDATION_ERROR' } })
    const between = { list: 'ORDERS', format: 'CSV', filter: { orders: { createdAt: { period: 'BETWEEN' } } } }
    expect(await world.fault(Link, between)).toMatchObject({ extensions: { code: 'INVALID_PERIOD' } })
  })
})

describe('the download of an export', () => {
  const createLargeWorld = async (contacts: number) => {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO contact (account_id, email, city, created_at, updated_at)
       SELECT $1, 'p' || i || '@example.com', repeat('x', 400), now(), now() FROM generate_series(1, $2::int) i`,
      [world.accountId, contacts],
    )
    return world
  }

  it('holds no transaction open while the client reads slowly', async () => {
    const world = await createLargeWorld(30_000)
    const response = await fetch(await linkOf(world, 'CONTACTS'))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    const open = async () =>
      (
        await world.rows<{ state: string }>(
          "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (state LIKE 'idle in%' OR query LIKE '%string_agg(line%' AND state = 'active')",
        )
      ).length
    await expect.poll(open).toBe(0)
    let bytes = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
    }
    expect(bytes).toBeGreaterThan(12_000_000)
  })

  it('can be aborted, and can run twenty times at once', async () => {
    const world = await createLargeWorld(8_000)
    const url = await linkOf(world, 'CONTACTS')
    const gone = new AbortController()
    const leaving = await fetch(url, { signal: gone.signal })
    gone.abort()
    await expect(leaving.text()).rejects.toThrow()
    const lengths = await Promise.all(
      Array.from({ length: 20 }, async () => (await (await fetch(url)).text()).split('\n').length),
    )
    expect(new Set(lengths)).toEqual(new Set([8_002]))
  })
})
