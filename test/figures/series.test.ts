import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { AccountSeries, type Series, seriesOf, seriesOfNode, valuesOf } from './documents.ts'
import { type Month, simulate } from './month.ts'

// The clocks of Berlin go back on 25 October 2026.
const range = { from: '2026-10-01', to: '2026-10-30' }
let month: Month

beforeAll(async () => {
  month = await simulate('2026-10-01T00:00:00Z', 30, 'Europe/Berlin')
})

/** Sums over the rows, by the start of the interval in a zone. */
const facts: Record<string, string> = {
  REVENUE: `SELECT created_at AS at, amount AS value FROM "order" WHERE status = 'COMPLETED'`,
  ORDERS: `SELECT created_at AS at, 1 AS value FROM "order" WHERE status = 'COMPLETED'`,
  OPENS: 'SELECT created_at AS at, 1 AS value FROM mail_open WHERE true',
  UNIQUE_OPENS: 'SELECT opened_at AS at, 1 AS value FROM mail_recipient WHERE opened_at IS NOT NULL',
  CLICKS: 'SELECT created_at AS at, 1 AS value FROM mail_click WHERE true',
  UNIQUE_CLICKS: 'SELECT clicked_at AS at, 1 AS value FROM mail_recipient WHERE clicked_at IS NOT NULL',
  CHURNED_SUBSCRIPTIONS: 'SELECT ended_at AS at, 1 AS value FROM billing_subscription WHERE ended_at IS NOT NULL',
  CONSENT_WITHDRAWALS: `SELECT created_at AS at, 1 AS value FROM outbox_event WHERE type = 'contact.unsubscribed'`,
  NEW_CONTACTS: `SELECT created_at AS at, 1 AS value FROM outbox_event WHERE type = 'contact.created'`,
}

async function factsOf(figure: string, interval: string, zone: string): Promise<Record<string, number>> {
  const rows = await month.world.rows<{ start: Date; value: number }>(
    `SELECT date_trunc($2, at, $3) AS start, sum(value)::float AS value FROM (${facts[figure]} AND account_id = $1) f
     GROUP BY 1 ORDER BY 1`,
    [month.world.accountId, interval, zone],
  )
  return Object.fromEntries(rows.map(({ start, value }) => [start.toISOString(), value]))
}

const toNumbers = (series: Series) =>
  Object.fromEntries(Object.entries(valuesOf(series)).map(([start, value]) => [start, Number(value)]))

async function inZone<Result>(timezone: string, work: () => Promise<Result>): Promise<Result> {
  const update = 'mutation ($zone: String) { accountUpdate(input: { timezone: $zone }) { account { id } } }'
  await month.world.run(update, { zone: timezone })
  try {
    return await work()
  } finally {
    await month.world.run(update, { zone: 'Europe/Berlin' })
  }
}

describe('the series of an account', () => {
  it.each(Object.keys(facts))('equals the sums over the rows after 30 days: %s', async (figure) => {
    for (const [interval, unit] of [
      ['DAY', 'day'],
      ['HOUR', 'hour'],
    ] as const) {
      const series = await seriesOf(month.world, figure, { interval, range })
      expect(toNumbers(series), interval).toEqual(await factsOf(figure, unit, 'Europe/Berlin'))
    }
    expect(Number((await seriesOf(month.world, figure, { range })).total)).toBeGreaterThan(0)
  })

  it.each(['Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'])(
    'begins its days in the new zone after a change to %s',
    async (zone) => {
      const series = await inZone(zone, () =>
        seriesOf(month.world, 'REVENUE', { range: { from: '2026-09-30', to: '2026-10-31' } }),
      )
      expect(toNumbers(series)).toEqual(await factsOf('REVENUE', 'day', zone))
    },
  )

  it('has the same total as `revenue`', async () => {
    const document = 'query ($range: DateRangeInput) { revenue(range: $range) { amount { amount currency } orders } }'
    const [revenue] = (await month.world.run(document, { range })).revenue
    const [amount, orders] = [
      await seriesOf(month.world, 'REVENUE', { range }),
      await seriesOf(month.world, 'ORDERS', { range }),
    ]
    expect([amount.total, amount.currency, orders.total]).toEqual([
      revenue.amount.amount,
      revenue.amount.currency,
      String(revenue.orders),
    ])
  })

  it('has the MRR of the active subscriptions at the end, and the monthly amount of the ended ones', async () => {
    const [row] = await month.world.rows<{ mrr: string; churned: string }>(
      `SELECT round(sum(amount / rate_months) FILTER (WHERE status = 'ACTIVE'), 2)::text AS mrr,
         round(sum(amount / rate_months) FILTER (WHERE status = 'INACTIVE'), 2)::text AS churned
       FROM billing_subscription WHERE account_id = $1`,
      [month.world.accountId],
    )
    const mrr = await seriesOf(month.world, 'MRR', { range })
    expect([mrr.total, mrr.points.at(-1)?.value]).toEqual([row?.mrr, row?.mrr])
    expect((await seriesOf(month.world, 'CHURNED_MRR', { range })).total).toBe(row?.churned)
    expect(mrr.points[0]?.value).toBe('10.00')
    expect(mrr.points[0]?.previous).toBe('0.00')
    // The state of an earlier period does not depend on later changes.
    const earlier = await seriesOf(month.world, 'MRR', { range: { from: '2026-10-05', to: '2026-10-06' } })
    expect(earlier.points.map(({ value }) => value)).toEqual(mrr.points.slice(4, 6).map(({ value }) => value))
  })

  it('has days of the time zone that the client names, and their dates', async () => {
    const [tokyo, inTokyo] = [
      await seriesOf(month.world, 'REVENUE', { range, timezone: 'asia/tokyo' }),
      await inZone('Asia/Tokyo', () => seriesOf(month.world, 'REVENUE', { range })),
    ]
    expect(tokyo).toEqual(inTokyo)
    expect(tokyo.points.slice(0, 2).map(({ start, date }) => [start, date])).toEqual([
      ['2026-09-30T15:00:00.000Z', '2026-10-01'],
      ['2026-10-01T15:00:00.000Z', '2026-10-02'],
    ])
  })

  it('shows the period before, which has the same number of days', async () => {
    const all = await seriesOf(month.world, 'ORDERS', { range: { from: '2026-10-11', to: '2026-10-30' } })
    const before = await seriesOf(month.world, 'ORDERS', { range: { from: '2026-09-21', to: '2026-10-10' } })
    expect(all.points.map(({ previous }) => previous)).toEqual(before.points.map(({ value }) => value))
    expect([all.previousTotal, before.total]).toEqual([before.total, before.total])
    expect(Number(before.total)).toBeGreaterThan(0)
  })

  it('has 25 hours on the day on which the clocks go back, and 23 when they go forward', async () => {
    const hours = async (day: string) =>
      (await seriesOf(month.world, 'ORDERS', { interval: 'HOUR', range: { from: day, to: day } })).points
    expect(await hours('2026-10-24')).toHaveLength(24)
    expect(await hours('2026-10-25')).toHaveLength(25)
    expect(await hours('2026-03-29')).toHaveLength(23)
    expect((await hours('2026-10-25')).slice(1, 4).map(({ start }) => start)).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
    ])
  })

  it('begins days at their first instant, also if the clocks change at midnight', async () => {
    const starts = (zone: string, from: string, to: string) =>
      inZone(zone, async () =>
        (await seriesOf(month.world, 'ORDERS', { range: { from, to } })).points.map(({ start }) => start),
      )
    // At 1 a.m. on the 1st it becomes midnight again.
    expect(await starts('America/Havana', '2026-10-31', '2026-11-02')).toEqual([
      '2026-10-31T04:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ])
    // At midnight on the 24th it becomes 1 a.m.
    expect(await starts('Africa/Cairo', '2026-04-23', '2026-04-25')).toEqual([
      '2026-04-22T22:00:00.000Z',
      '2026-04-23T22:00:00.000Z',
      '2026-04-24T21:00:00.000Z',
    ])
  })

  it('begins weeks on Monday and months on the first, and shortens the first and the last', async () => {
    const starts = async (interval: string) =>
      (await seriesOf(month.world, 'ORDERS', { interval, range: { from: '2026-09-29', to: '2026-10-20' } })).points
    expect((await starts('WEEK')).map(({ start }) => start.slice(0, 13))).toEqual([
      '2026-09-28T22',
      '2026-10-04T22',
      '2026-10-11T22',
      '2026-10-18T22',
    ])
    expect((await starts('MONTH')).map(({ start }) => start.slice(0, 13))).toEqual(['2026-09-28T22', '2026-09-30T22'])
    const total = (await starts('DAY')).reduce((sum, { value }) => sum + Number(value), 0)
    expect((await starts('WEEK')).reduce((sum, { value }) => sum + Number(value), 0)).toBe(total)
  })

  it('has a point of 0 for each interval without changes', async () => {
    const world = await newWorld({ timezone: 'UTC' })
    const series = await seriesOf(world, 'UNSUBSCRIBES')
    expect(series.points).toHaveLength(30)
    expect(new Set(series.points.flatMap(({ value, previous }) => [value, previous]))).toEqual(new Set(['0']))
    expect(series).toMatchObject({ total: '0', previousTotal: '0', currency: null })
  })

  it('is in one currency', async () => {
    const world = await newWorld()
    await world.order({ status: 'COMPLETED', amount: '5.00', currency: 'USD' })
    await world.order({ status: 'COMPLETED', amount: '500', currency: 'JPY' })
    expect(await seriesOf(world, 'REVENUE')).toMatchObject({ total: '0.00', currency: 'EUR' })
    expect(await seriesOf(world, 'REVENUE', { currency: 'USD' })).toMatchObject({ total: '5.00', currency: 'USD' })
    expect(await seriesOf(world, 'REVENUE', { currency: 'JPY' })).toMatchObject({ total: '500', currency: 'JPY' })
    expect(await seriesOf(world, 'ORDERS', { currency: 'JPY' })).toMatchObject({ total: '1', currency: 'JPY' })
  })
})

describe('the series of an object', () => {
  it('has the figures of its type only', async () => {
    const { body } = await month.world.ask('{ account { series(figure: OPT_INS) { total } } }')
    expect(body.errors[0].message).toContain('AccountFigure')
  })

  it('count the submissions of a form', async () => {
    const { world, form } = month
    const [row] = await world.rows<{ started: string; completed: string }>(
      `SELECT count(*)::text AS started, count(completed_at)::text AS completed FROM submission
       WHERE account_id = $1 AND form_id = $2`,
      [world.accountId, form.databaseId],
    )
    expect((await seriesOfNode(world, ['Form', form], 'SUBMISSIONS_STARTED', { range })).total).toBe(row?.started)
    expect((await seriesOfNode(world, ['Form', form], 'SUBMISSIONS_COMPLETED', { range })).total).toBe(row?.completed)
    expect(Number(row?.started)).toBeGreaterThan(Number(row?.completed))
  })

  it('count the visits of a step and of its funnel as the statistics do', async () => {
    const { world, funnel, step } = month
    const document = `query ($id: ID!, $range: DateRangeInput) {
      funnel(id: $id) { stats(range: $range) { totals { views optIns } } } }`
    const { views, optIns } = (await world.run(document, { id: funnel.id, range })).funnel.stats.totals
    expect(views).toBeGreaterThan(0)
    for (const object of [['Funnel', funnel] as const, ['FunnelStep', step] as const]) {
      expect((await seriesOfNode(world, object, 'VISITS', { range })).total).toBe(String(views))
      expect((await seriesOfNode(world, object, 'OPT_INS', { range })).total).toBe(String(optIns))
    }
  })

  it('are read in as many statements for twenty objects as for one', async () => {
    const world = await newWorld()
    for (let n = 0; n < 20; n += 1) await world.campaign()
    const document = `query ($first: Int) { campaigns(first: $first) { nodes {
      sends: series(figure: SENDS) { total } opens: series(figure: UNIQUE_OPENS) { points { value } } } } }`
    const count = (first: number) => world.statements(() => world.run(document, { first }))
    expect(await count(20)).toBe(await count(1))
  })
})

describe('a series', () => {
  it('fails with the path of the argument', async () => {
    const { world, form } = month
    const fault = async (args: object) => {
      const { extensions } = await world.fault(AccountSeries, { figure: 'SENDS', ...args })
      return [extensions.code, ...Object.keys(extensions.details ?? {})]
    }
    expect(await fault({ timezone: 'Mars/Olympus' })).toEqual(['VALIDATION_ERROR', 'timezone'])
    expect(await fault({ currency: 'EUR' })).toEqual(['VALIDATION_ERROR', 'currency'])
    expect(await fault({ period: 'ALL' })).toEqual(['INVALID_PERIOD', 'period'])
    expect(await fault({ period: 'BETWEEN' })).toEqual(['INVALID_PERIOD', 'range'])
    expect(await fault({ range: { from: '2026-02-01', to: '2026-01-01' } })).toEqual(['INVALID_PERIOD', 'range'])
    expect(await fault({ period: 'TODAY', range })).toEqual(['VALIDATION_ERROR', 'range'])
    expect(await fault({ interval: 'HOUR', range: { from: '2026-01-01', to: '2026-02-11' } })).toEqual([
      'VALIDATION_ERROR',
      'interval',
    ])
    expect(await fault({ range: { from: '0001-01-01', to: '9999-12-31' } })).toEqual(['VALIDATION_ERROR', 'interval'])
    const hours = { interval: 'HOUR', range: { from: '2026-01-01', to: '2026-02-10' } }
    expect((await seriesOf(world, 'SENDS', hours)).points).toHaveLength(984)
    const { node } = await world.run(
      'query ($id: ID!) { node(id: $id) { ... on Form { series(figure: SUBMISSIONS_STARTED) { total } } } }',
      form,
    )
    expect(node.series.total).toBeDefined()
  })

  it('needs the scope of its figure, and leaves the other fields', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['account:read', 'finance:read'] })
    const { body } = await world.ask(
      '{ account { name contacts: series(figure: NEW_CONTACTS) { total } revenue: series(figure: REVENUE) { total } } }',
      {},
      { key },
    )
    expect(body.data.account).toMatchObject({ contacts: null, revenue: { total: '0.00' } })
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'FORBIDDEN',
    ])
  })

  it('contains nothing of another account', async () => {
    const { world, form } = month
    const other = await newWorld({ server: world.server })
    expect((await seriesOf(other, 'ORDERS', { range })).total).toBe('0')
    const document = 'query ($id: ID!) { form(id: $id) { series(figure: SUBMISSIONS_STARTED) { total } } }'
    expect((await other.ask(document, form)).body.data.form).toBeNull()
  })
})
