import { describe, expect, it, vi } from 'vitest'
import { newServer } from '../support/server.ts'
import { newShop, page } from './documents.ts'
import { newOptInFunnel } from './opt-in.ts'
import { requestPage } from './visiting.ts'

describe('rate limits of posts', () => {
  it('apply to one IP address and to one form, and not to other accounts', async () => {
    const server = await newServer({ PUBLIC_RATE_PER_IP: '3', PUBLIC_RATE_PER_FORM: '4', TRUST_PROXY: '1' })
    const own = await newOptInFunnel({ world: await newShop({ server }) })
    const send = (path: string, ip: string, options: object = { form: { form: 'join' } }) =>
      requestPage(server, path, { ...options, headers: { 'x-forwarded-for': `6.6.6.6, ${ip}` } })
    const statuses = async (path: string, ip: string, count: number) => {
      const all: number[] = []
      for (let sent = 0; sent < count; sent += 1) all.push((await send(path, ip)).status)
      return all
    }
    expect(await statuses(own.path, '2001:db8:1:1::1', 4)).toEqual([422, 422, 422, 429])
    // A client with an IPv6 prefix of 64 bits has all its addresses.
    const late = await send(own.path, '2001:db8:1:1:ffff::2')
    expect(late.status).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await send(own.path, '2001:db8:1:1::1', { json: {} })).body).toContain('Too many requests')
    const other = await newOptInFunnel({ world: await newShop({ server }) })
    expect((await send(other.path, '2001:db8:1:1::1')).status).toBe(422)
    expect(await statuses(own.path, '10.0.0.1', 2)).toEqual([422, 429])
    expect((await requestPage(server, own.path)).status).toBe(200)
    expect(server.errors).toEqual([])
  })
})

describe('rate limits of page views', () => {
  it('apply to stored views of one IP address, with or without cookies, and always show the page', async () => {
    const server = await newServer({ PUBLIC_VISITS_PER_IP: '40', TRUST_PROXY: '1' })
    const world = await newShop({ server })
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page({ type: 'text', text: 'Hello' }) })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const path = `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}?utm_source=x`
    const form = await world.form()
    const look = (ip: string, at = path, cookie?: string) =>
      requestPage(server, at, { cookie, headers: { 'x-forwarded-for': ip } })
    const { cookie } = await look('2001:db8:1:1::1')
    const all = await Promise.all(
      Array.from({ length: 300 }, (_, n) => look(`2001:db8:1:1::${n + 2}`, path, n % 2 ? cookie : undefined)),
    )
    expect(all.every(({ status, body }) => status === 200 && body.includes('Hello'))).toBe(true)
    for (let n = 0; n < 10; n += 1) await look('2001:db8:1:1::1', `/f/${form.databaseId}`)
    await look('10.0.0.1')
    const count = async (table: string) =>
      (
        await world.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`, [
          world.accountId,
        ])
      )[0]?.n
    await vi.waitFor(async () => expect(await count('visit')).toBe(41), { timeout: 100_000 })
    expect(await count('visitor')).toBeLessThanOrEqual(41)
  })
})

const QuestionCreate =
  'mutation ($input: FormQuestionCreateInput!) { formQuestionCreate(input: $input) { question { id } } }'

describe('the size of a page', () => {
  /** Publishes a page, and returns its path. */
  async function publish(...elements: readonly unknown[]) {
    const world = await newShop()
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page(...elements) })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    return {
      world,
      formId: step.form.id,
      server: world.server,
      path: `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`,
    }
  }

  it('grows by at most 100 kB by the values of a visitor; further merge fields show their fallback', async () => {
    const text = '{{FIRST_NAME:friend}} {{LAST_NAME:x}} {{EMAIL}} '.repeat(1_600)
    const { server, path } = await publish({ type: 'text', text })
    const value = encodeURIComponent('"'.repeat(255))
    const plain = await requestPage(server, path)
    const { status, body } = await requestPage(server, `${path}?firstname=${value}&lastname=${value}&email=${value}`)
    expect(status).toBe(200)
    expect(Buffer.byteLength(body) - Buffer.byteLength(plain.body)).toBeLessThanOrEqual(100_000)
    expect(body).toContain('&#34;'.repeat(255))
    expect(body).toContain('friend')
  })

  it('is at most 2 MB with its forms, each of which contains all questions', async () => {
    const { world, server, path, formId } = await publish(...Array.from({ length: 40 }, () => ({ type: 'form' })))
    const options = Array.from({ length: 50 }, (_, n) => `${n} ${'x'.repeat(100)}`)
    for (let n = 0; n < 10; n += 1) {
      const input = { formId, label: `Question ${n}`, type: 'SINGLE_CHOICE', options }
      await world.run(QuestionCreate, { input })
    }
    const { status, body } = await requestPage(server, path)
    expect([status, body.length > 500_000, body.length < 2_300_000]).toEqual([200, true, true])
  })
})
