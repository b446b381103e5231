import { describe, expect, it } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import type { Named, World } from '../support/world.ts'
import { newShop, subdomain, VisitRecord } from './documents.ts'

const figures = 'visitors views optIns orders revenue { currency amount } optInRate orderRate'
const Stats = `query ($id: ID!, $period: Period, $range: DateRangeInput, $groupBy: FunnelStatsGrouping, $filter: [AttributionInput!],
    $includeEmpty: Boolean! = false) {
  funnel(id: $id) { stats(period: $period, range: $range, groupBy: $groupBy, filter: $filter) {
    since until groupBy totals { ${figures} } steps { step { path } figures { ${figures} } }
    groups(includeEmpty: $includeEmpty) { date value figures { ${figures} } } groupsCount } } }`
const stats = async (world: World, { id }: Pick<Named, 'id'>, args: object = {}) =>
  (await world.run(Stats, { id, ...args })).funnel.stats
const nothing = { visitors: 0, views: 0, optIns: 0, orders: 0, revenue: [], optInRate: 0, orderRate: 0 }
interface Group {
  readonly date: string | null
  readonly value: string | null
  readonly figures: { readonly visitors: number }
}
const keysOf = ({ groups }: { groups: Group[] }) =>
  groups.map(({ date, value, figures: { visitors } }) => `${date ?? value} ${visitors}`)

async function visit(world: World, step: Pick<Named, 'id'>, visitorId: string, more: object = {}) {
  return (await world.run(VisitRecord, { input: { stepId: step.id, visitorId, ...more } })).visitRecord.counted
}
const from = (source: string) => ({ attribution: [{ key: 'UTM_SOURCE', value: source }] })

/** Creates a submission and an order of a step and completes them. */
async function optIn(world: World, { databaseId }: Named, at = 'now()') {
  await world.rows(
    `INSERT INTO submission (account_id, form_id, status, bucket, started_at, completed_at, created_at, updated_at)
     SELECT $1, form_id, 'COMPLETED', 'COLD', now(), ${at}, now(), now() FROM funnel_step WHERE account_id = $1 AND id = $2`,
    [world.accountId, databaseId],
  )
  await countRows(world, ['submission'])
}

describe('visitRecord', () => {
  it('stores a visit, returns whether it counts, and emits no event', async () => {
    const world = await newShop()
    const step = await world.step(await world.funnel())
    const contact = await world.contact()
    const before = await world.announced()
    expect(await visit(world, step, 'ada', { contact: { id: contact.id }, ...from('news') })).toBe(true)
    expect(await visit(world, step, 'crawler', { isBot: true, at: '2020-01-01T00:00:00Z' })).toBe(false)
    expect(await world.announced()).toEqual(before)
    const rows = await world.rows(
      'SELECT step_id, visitor_id, contact_id, is_bot, attribution FROM visit WHERE account_id = $1 ORDER BY id',
      [world.accountId],
    )
    expect(rows).toEqual([
      {
        step_id: step.databaseId,
        visitor_id: 'ada',
        contact_id: contact.databaseId,
        is_bot: false,
        attribution: { utm_source: 'news' },
      },
      { step_id: step.databaseId, visitor_id: 'crawler', contact_id: null, is_bot: true, attribution: {} },
    ])
  })

  it('rejects invalid visits and objects of another account', async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const [step, foreign] = [await world.step(await world.funnel()), await other.step(await other.funnel())]
    const contact = await other.contact()
    const code = async (input: object) =>
      (await world.fault(VisitRecord, { input: { stepId: step.id, visitorId: 'x', ...input } })).extensions.code
    for (const input of [
      { visitorId: '' },
      { visitorId: 'x'.repeat(65) },
      { visitorId: 'a\0' },
      { at: '2099-01-01T00:00:00Z' },
      {
        attribution: [
          { key: 'AD_ID', value: 'a' },
          { key: 'AD_ID', value: 'b' },
        ],
      },
      { attribution: [{ key: 'AD_ID', value: 'x'.repeat(256) }] },
    ])
      expect(await code(input), JSON.stringify(input)).toBe('VALIDATION_ERROR')
    for (const input of [
      { stepId: foreign.id },
      { stepId: 2_147_483_648 },
      { contact: { id: contact.id } },
      { contact: { email: contact.email } },
    ]) {
      expect(await code(input), JSON.stringify(input)).toBe('NOT_FOUND')
    }
    expect(await world.rows('SELECT 1 FROM visit WHERE account_id = $1', [world.accountId])).toEqual([])
  })
})

describe('statistics of a funnel', () => {
  it('count visitors once, without bots, and orders by currency', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [one, two] = [await world.step(funnel, { name: 'One' }), await world.step(funnel, { name: 'Two' })]
    for (const visitor of ['ada', 'ada', 'ben', 'cy']) await visit(world, one, visitor)
    await visit(world, two, 'ada')
    await visit(world, two, 'robot', { isBot: true })
    await optIn(world, one)
    await world.submission(two.form)
    await world.order({ stepId: two.id, status: 'COMPLETED', amount: '12.50' })
    await world.order({ stepId: two.id, status: 'COMPLETED', amount: '7.5' })
    await world.order({ stepId: two.id, status: 'COMPLETED', amount: '1200', currency: 'JPY' })
    await world.order({ stepId: two.id })
    await world.order({ status: 'COMPLETED' })
    const revenue = [
      { currency: 'JPY', amount: '1200' },
      { currency: 'EUR', amount: '20.00' },
    ]
    const { totals, steps, groups, groupsCount } = await stats(world, funnel)
    expect(totals).toEqual({ visitors: 3, views: 5, optIns: 1, orders: 3, revenue, optInRate: 1 / 3, orderRate: 1 / 3 })
    expect(steps).toEqual([
      { step: { path: 'one' }, figures: { ...nothing, visitors: 3, views: 4, optIns: 1, optInRate: 1 / 3 } },
      {
        step: { path: 'two' },
        figures: { visitors: 1, views: 1, optIns: 0, orders: 3, revenue, optInRate: 0, orderRate: 1 },
      },
    ])
    expect([groups, groupsCount]).toEqual([[], 0])
    await world.run('mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }', two)
    expect((await stats(world, funnel)).totals).toMatchObject({ views: 4, orders: 0 })
    expect((await world.run('{ orders { nodes { step { id } } } }')).orders.nodes).toEqual(
      Array.from({ length: 5 }, () => ({ step: null })),
    )
  })

  it.each(['ALL', 'LAST_30_DAYS'])(
    'never convert more than the visitors, whatever they submit and buy: %s',
    async (period) => {
      const world = await newShop()
      const funnel = await world.funnel()
      const [join, order] = [await world.step(funnel, { name: 'Join' }), await world.step(funnel, { name: 'Order' })]
      for (const step of [join, order]) for (const visitor of ['ada', 'ben']) await visit(world, step, visitor)
      const { databaseId } = await world.contact()
      for (const step of [join, order, order]) await optIn(world, step)
      await world.rows('UPDATE submission SET contact_id = $2 WHERE account_id = $1', [world.accountId, databaseId])
      for (const amount of ['1', '2', '3']) await world.order({ stepId: order.id, status: 'COMPLETED', amount })
      const found = await stats(world, funnel, { period })
      expect(found.totals).toMatchObject({ visitors: 2, optIns: 3, orders: 3, optInRate: 0.5, orderRate: 0.5 })
      expect(found.steps.map(({ figures }: { figures: object }) => figures)).toMatchObject([
        { optIns: 1, optInRate: 0.5, orderRate: 0 },
        { optIns: 2, optInRate: 0.5, orderRate: 0.5 },
      ])
      for (let count = 0; count < 5; count += 1) await optIn(world, join)
      const more = await stats(world, funnel, { period, ...(period !== 'ALL' && { groupBy: 'DAY' }) })
      const all = [
        more.totals,
        more.steps[0].figures,
        ...more.groups.map(({ figures }: { figures: object }) => figures),
      ]
      expect(all.map(({ optInRate }) => optInRate)).toEqual(all.map(() => 1))
    },
  )

  it("of a period use days of the account's time zone, and include all time without an end", async () => {
    const world = await newShop({ subdomain: subdomain(), timezone: 'Asia/Tokyo' })
    const funnel = await world.funnel()
    const step = await world.step(funnel)
    await visit(world, step, 'before', { at: '2026-01-31T14:59:59.999Z' })
    await visit(world, step, 'first', { at: '2026-01-31T15:00:00Z' })
    await visit(world, step, 'last', { at: '2026-02-28T14:59:59.999Z' })
    await visit(world, step, 'after', { at: '2026-02-28T15:00:00Z' })
    await optIn(world, step, "'2026-02-28T14:59:59.999Z'")
    await optIn(world, step, "'2026-02-28T15:00:00Z'")
    const february = { period: 'BETWEEN', range: { from: '2026-02-01', to: '2026-02-28' } }
    const found = await stats(world, funnel, february)
    expect(found).toMatchObject({ since: '2026-01-31T15:00:00.000Z', until: '2026-02-28T15:00:00.000Z', groupBy: null })
    expect(found.totals).toMatchObject({ visitors: 2, optIns: 1 })
    expect(await stats(world, funnel, { period: 'ALL' })).toMatchObject({
      since: null,
      until: null,
      totals: { visitors: 4, optIns: 2 },
    })
    expect(keysOf(await stats(world, funnel, { ...february, groupBy: 'DAY' }))).toEqual([
      '2026-02-01 1',
      '2026-02-28 1',
    ])
    expect(keysOf(await stats(world, funnel, { period: 'ALL', groupBy: 'WEEK' }))).toEqual([
      '2026-01-26 2',
      '2026-02-23 2',
    ])
    expect(keysOf(await stats(world, funnel, { period: 'ALL', groupBy: 'MONTH' }))).toEqual([
      '2026-01-01 1',
      '2026-02-01 2',
      '2026-03-01 1',
    ])
    expect((await stats(world, funnel)).totals).toEqual(nothing)
    expect((await world.fault(Stats, { id: funnel.id, period: 'BETWEEN' })).extensions.code).toBe('INVALID_PERIOD')
  })

  it('contain the days, weeks and months without visits', async () => {
    const world = await newShop({ subdomain: subdomain(), timezone: 'Asia/Tokyo' })
    const funnel = await world.funnel()
    const step = await world.step(funnel)
    await visit(world, step, 'first', { at: '2026-01-31T15:00:00Z' })
    await visit(world, step, 'last', { at: '2026-03-31T14:00:00Z' })
    const keys = async (args: object) => keysOf(await stats(world, funnel, { includeEmpty: true, ...args }))
    const range = { from: '2026-01-30', to: '2026-02-02' }
    expect(await keys({ range, groupBy: 'DAY' })).toEqual([
      '2026-01-30 0',
      '2026-01-31 0',
      '2026-02-01 1',
      '2026-02-02 0',
    ])
    expect(await keys({ range, groupBy: 'WEEK' })).toEqual(['2026-01-26 1', '2026-02-02 0'])
    expect((await keys({ period: 'ALL', groupBy: 'MONTH' })).slice(0, 3)).toEqual([
      '2026-02-01 1',
      '2026-03-01 1',
      '2026-04-01 0',
    ])
    const always = { from: '0001-01-01', to: '9999-12-31' }
    const days = await keys({ range: always, groupBy: 'DAY' })
    expect([days.length, days.at(-1)]).toEqual([1000, '9999-12-31 0'])
  })

  it('are grouped and filtered by attribution', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const step = await world.step(funnel)
    for (const visitor of ['a', 'b']) await visit(world, step, visitor, from('news'))
    await visit(world, step, 'c', { attribution: [...from('ads').attribution, { key: 'AD_ID', value: '7' }] })
    await visit(world, step, 'd')
    const attribution = [{ key: 'UTM_SOURCE', value: 'partner' }]
    await world.order({ stepId: step.id, status: 'COMPLETED', attribution })
    const bySource = await stats(world, funnel, { groupBy: 'UTM_SOURCE' })
    expect(keysOf(bySource)).toEqual(['news 2', ' 1', 'ads 1', 'partner 0'])
    expect(bySource.groups[3].figures).toMatchObject({
      orders: 1,
      orderRate: 0,
      revenue: [{ currency: 'EUR', amount: '12.00' }],
    })
    expect(keysOf(await stats(world, funnel, { groupBy: 'AD_ID' }))).toEqual([' 3', '7 1'])
    const only = (...pairs: [string, string][]) => ({
      filter: pairs.map(([key, value]) => ({ key: key.toUpperCase(), value })),
    })
    const visitors = async (args: object) => (await stats(world, funnel, args)).totals.visitors
    expect(await visitors(only(['utm_source', 'news']))).toBe(2)
    expect(await visitors(only(['utm_source', 'ads'], ['ad_id', '7']))).toBe(1)
    expect(await visitors(only(['utm_source', 'new']))).toBe(0)
    const fault = await world.fault(Stats, { id: funnel.id, ...only(['ad_id', '1'], ['ad_id', '2']) })
    expect(fault.extensions.code).toBe('VALIDATION_ERROR')
  })

  it('return the thousand groups with the most visitors, and the number of groups', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const step = await world.step(funnel)
    await world.rows(
      `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, attribution)
       SELECT $1, now(), $2, $3, n || '-' || m, jsonb_build_object('utm_campaign', 'c' || n)
       FROM generate_series(1, 1200) n, generate_series(1, CASE WHEN n > 200 THEN 2 ELSE 1 END) m`,
      [world.accountId, funnel.databaseId, step.databaseId],
    )
    const { groups, groupsCount } = await stats(world, funnel, { groupBy: 'UTM_CAMPAIGN' })
    expect([groups.length, groupsCount]).toEqual([1000, 1200])
    expect(groups.every((group: { figures: { visitors: number } }) => group.figures.visitors === 2)).toBe(true)
  })
})
