import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { visitors } from '../../src/forms/index.ts'
import { newVisitBuffer } from '../../src/funnels/index.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import type { World } from '../support/world.ts'
import { newShop, page, subdomain } from './documents.ts'
import { browser, requestPage } from './visiting.ts'

async function newPage(world: World) {
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content: page({ type: 'title', text: 'Hello' }) })
  const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
    world.accountId,
  ])
  return { funnel, step, path: `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}` }
}
const visitsOf = (world: World) =>
  world.rows<{ visitor: string; bot: boolean; attribution: object; contact: number | null }>(
    `SELECT visitor_id AS visitor, is_bot AS bot, attribution, contact_id AS contact FROM visit WHERE account_id = $1
     ORDER BY created_at, id`,
    [world.accountId],
  )
const statistics = `query ($id: ID!) { funnel(id: $id) { stats(groupBy: UTM_SOURCE) {
  totals { visitors views } groups { value figures { views } } } } }`

describe('visits', () => {
  it('are counted per view and per visitor, with their attribution', async () => {
    const world = await newShop()
    const { funnel, path } = await newPage(world)
    const first = await requestPage(world.server, `${path}?utm_source=ads&email=ada@example.com`)
    const { etag } = (await requestPage(world.server, path, { cookie: first.cookie })).headers
    // A page that is served from the browser's cache counts as a view.
    const known = { cookie: first.cookie, headers: { 'if-none-match': String(etag) } }
    expect((await requestPage(world.server, path, known)).status).toBe(304)
    await requestPage(world.server, path, { method: 'HEAD' })
    await requestPage(world.server, path)
    await requestPage(world.server, `${path}/nothing`)
    await until(async () => (await visitsOf(world)).length === 4)
    const all = await visitsOf(world)
    expect(new Set(all.map(({ visitor }) => visitor)).size).toBe(2)
    expect(all[2]?.attribution).toEqual({ utm_source: 'ads', landing_page: path })
    const { stats } = (await world.run(statistics, funnel)).funnel
    expect(stats.totals).toEqual({ visitors: 2, views: 4 })
    expect(stats.groups).toContainEqual({ value: 'ads', figures: { views: 3 } })
  })

  it('of bots are stored and not counted', async () => {
    const world = await newShop()
    const { funnel, path } = await newPage(world)
    const machines: Record<string, string>[] = [
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'user-agent': 'facebookexternalhit/1.1' },
      { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' },
      { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
      { 'user-agent': '' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ]
    for (const headers of machines) expect((await requestPage(world.server, path, { headers })).cookie).toBeUndefined()
    const people = [
      browser,
      'curl/8.14.1',
      'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0 Safari/537.36',
      'CUBOT X30',
    ]
    for (const agent of people) {
      expect((await requestPage(world.server, path, { headers: { 'user-agent': agent } })).cookie).toBeDefined()
    }
    await until(async () => (await visitsOf(world)).length === machines.length + people.length)
    expect((await visitsOf(world)).filter(({ bot }) => bot)).toHaveLength(machines.length)
    expect((await world.run(statistics, funnel)).funnel.stats.totals).toEqual({ visitors: 4, views: 4 })
    const kept = await world.rows('SELECT 1 FROM visitor WHERE account_id = $1', [world.accountId])
    expect(kept).toHaveLength(4)
  })

  it('are written before a server stops', async () => {
    const world = await newShop()
    const { path } = await newPage(world)
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl })
    await Promise.all(Array.from({ length: 30 }, () => requestPage(server, path)))
    await server.app.close()
    expect(await visitsOf(world)).toHaveLength(30)
  })

  it('of many accounts are written together, each for its account', async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const [own, theirs] = [await newPage(world), await newPage(other)]
    const buffer = newVisitBuffer(world.server.system)
    const at = new Date()
    const seen = (accountId: number, stepId: number, visitorId: string) =>
      buffer.add({
        accountId,
        funnelId: 1,
        stepId,
        visitorId,
        contactId: null,
        isBot: false,
        touch: { gclid: visitorId },
        at,
      })
    for (let n = 0; n < 50; n += 1) {
      seen(world.accountId, own.step.databaseId, `a${n % 5}`)
      seen(other.accountId, theirs.step.databaseId, `b${n}`)
    }
    // Steps of another account and deleted steps are not counted.
    seen(world.accountId, theirs.step.databaseId, 'x')
    const before = world.server.app.database.statements()
    await buffer.flush()
    expect(world.server.app.database.statements() - before).toBe(4)
    expect(await visitsOf(world)).toHaveLength(50)
    expect(await visitsOf(other)).toHaveLength(50)
    expect((await visitsOf(world))[0]?.attribution).toMatchObject({ gclid: expect.stringMatching(/^a/) })
    await buffer.stop()
  })

  it('are announced at once, then together, without those of bots', async () => {
    const world = await newShop()
    const { funnel, step } = await newPage(world)
    const buffer = newVisitBuffer(world.server.system)
    const visit = async (...bots: boolean[]) => {
      for (const isBot of bots)
        buffer.add({
          ...{ accountId: world.accountId, funnelId: funnel.databaseId, stepId: step.databaseId, contactId: null },
          ...{ visitorId: 'v', touch: {}, at: new Date(), isBot },
        })
      await buffer.flush()
    }
    const announced = async () => (await world.announced('funnel.visited')).map(({ data }) => data)
    await visit(true)
    expect(await announced()).toEqual([])
    await visit(false, false, true)
    const first = { funnelId: funnel.databaseId, visits: 2 }
    expect(await announced()).toEqual([first])
    await visit(false, true)
    await visit(false, false)
    expect(await announced()).toEqual([first])
    await buffer.stop()
    expect(await announced()).toEqual([first, { ...first, visits: 3 }])
    await buffer.stop()
    expect(await announced()).toHaveLength(2)
  })

  it('are written for other accounts while the rows of one account are locked', async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const [own, theirs] = [await newPage(world), await newPage(other)]
    const buffer = newVisitBuffer(world.server.system)
    const seen = (accountId: number, stepId: number) =>
      buffer.add({
        ...{ accountId, stepId, funnelId: 1, visitorId: 'v', contactId: null, isBot: false },
        touch: { gclid: 'x' },
        at: new Date(),
      })
    const holder = new pg.Client({ connectionString: world.server.databaseUrl })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query('BEGIN')
    await holder.query(
      "INSERT INTO visitor (account_id, id, first_touch, first_at, last_touch, last_at) VALUES ($1, 'v', '{}', now(), '{}', now())",
      [world.accountId],
    )
    seen(world.accountId, own.step.databaseId)
    seen(other.accountId, theirs.step.databaseId)
    await buffer.flush(other.accountId)
    expect([await visitsOf(world), await visitsOf(other)].map((each) => each.length)).toEqual([0, 1])
    await holder.query('ROLLBACK')
    await buffer.stop()
    expect(await visitsOf(world)).toHaveLength(1)
  })
})

describe('touches', () => {
  it('store the first and the last attribution, in any order of arrival', async () => {
    const world = await newShop()
    const other = await world.other()
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const touch = (source: string, minute: number) => ({
      visitorId: 'v',
      attribution: source === '' ? {} : { utm_source: source },
      at: new Date(Date.UTC(2026, 0, 1, 12, minute)),
    })
    await visitors.recordTouches(ctx, [touch('b', 2), touch('', 3)])
    await visitors.recordTouches(ctx, [touch('c', 5), touch('a', 1)])
    await visitors.recordTouches(ctx, [touch('d', 4)])
    expect(await visitors.findTouches(ctx, 'v')).toEqual({ first: { utm_source: 'a' }, last: { utm_source: 'c' } })
    const stranger = newCtx(world.server.system, { accountId: other.accountId })
    expect(await visitors.findTouches(stranger, 'v')).toEqual({ first: {}, last: {} })
  })

  it('are deleted after 400 days', async () => {
    const world = await newShop()
    const now = new Date('2026-06-01T00:00:00Z')
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const ago = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1000)
    const touch = (visitorId: string, days: number) => ({ visitorId, attribution: { gclid: 'x' }, at: ago(days) })
    await visitors.recordTouches(ctx, [touch('old', 401), touch('came back', 500), touch('came back', 399)])
    await visitors.removeOldVisitors({ ...world.server.system, clock: settableClock(now) })
    const left = await world.rows('SELECT id FROM visitor WHERE account_id = $1', [world.accountId])
    expect(left).toEqual([{ id: 'came back' }])
  })
})
