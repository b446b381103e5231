import { expect, it } from 'vitest'
import { newBlocker } from '../support/blocker.ts'
import { newWorld, type World } from '../support/world.ts'

const fields = 'label isOther funnel { name } series { currency total previousTotal points { value previous } }'

/** Returns the groups as `label total`, with the currency of the series. */
async function groups(world: World, args: string): Promise<string[]> {
  const { revenueSeries } = await world.run(`{ revenueSeries(period: LAST_7_DAYS, ${args}) { ${fields} } }`)
  return revenueSeries.map(
    ({ label, isOther, series }: { label: string; isOther: boolean; series: { total: string; currency: string } }) =>
      `${isOther ? 'others' : label} ${series.total} ${series.currency}`,
  )
}

const complete = { status: 'COMPLETED' }

it('revenue is grouped by currency, each with all days and the days before', async () => {
  const world = await newWorld()
  await world.order({ ...complete, amount: '5.00' })
  const earlier = await world.order({ ...complete, amount: '2.00' })
  await world.order({ ...complete, amount: '7.50', currency: 'USD' })
  await world.order({ amount: '100.00' })
  const read = () =>
    world.run(`{ revenueSeries(period: LAST_7_DAYS, groupBy: CURRENCY) { ${fields} }
      account { series(figure: REVENUE, period: LAST_7_DAYS) { total points { value } } } }`)
  expect(await groups(world, 'groupBy: CURRENCY')).toEqual(['USD 7.50 USD', 'EUR 7.00 EUR'])
  const { revenueSeries, account } = await read()
  const values = (points: { value: string }[]) => points.map(({ value }) => value)
  expect(values(revenueSeries[1].series.points)).toEqual(values(account.series.points))
  expect(revenueSeries[1].series.points).toHaveLength(7)
  await world.rows(`UPDATE "order" SET created_at = now() - interval '8 days' WHERE id = ${earlier.databaseId}`)
  const [, euros] = (await read()).revenueSeries
  expect(euros.series).toMatchObject({ total: '5.00', previousTotal: '2.00' })
  const other = await world.other()
  expect(await groups(other, 'groupBy: CURRENCY')).toEqual([])
})

it('revenue is grouped by product, in any case and VAT included, with the orders without lines', async () => {
  const world = await newWorld()
  const line = (name: string, unitPrice: string) => ({ name, quantity: 1, unitPrice, vatRate: '20' })
  await world.order({ ...complete, lines: [line('Course', '10.00'), line('Book', '1.00')] })
  await world.order({ ...complete, lines: [line('COURSE', '20.00')] })
  await world.order({ ...complete, amount: '3.00' })
  expect(await groups(world, 'groupBy: PRODUCT')).toEqual(['COURSE 36.00 EUR', ' 3.00 EUR', 'Book 1.20 EUR'])
})

it('revenue is grouped by funnel', async () => {
  const world = await newWorld()
  const funnel = await world.funnel({ name: 'Spring' })
  const step = await world.step(funnel)
  const order = await world.order({ ...complete, amount: '9.00' })
  await world.order({ ...complete, amount: '4.00' })
  await world.rows(`UPDATE "order" SET step_id = ${step.databaseId} WHERE id = ${order.databaseId}`)
  const { revenueSeries } = await world.run(`{ revenueSeries(period: TODAY, groupBy: FUNNEL) { ${fields} } }`)
  expect(revenueSeries).toMatchObject([
    { label: '', funnel: { name: 'Spring' }, series: { total: '9.00' } },
    { label: '', funnel: null, series: { total: '4.00' } },
  ])
})

it('the groups after the 50 largest are one', async () => {
  const world = await newWorld()
  const lines = Array.from({ length: 55 }, (_, index) => ({
    name: `p${index}`,
    quantity: 1,
    unitPrice: String(index + 1),
  }))
  await world.order({ ...complete, lines })
  const found = await groups(world, 'groupBy: PRODUCT')
  expect(found).toHaveLength(51)
  expect(found[0]).toBe('p54 55.00 EUR')
  expect(found.at(-1)).toBe('others 15.00 EUR')
})

it.each([
  ['groupBy: CURRENCY, currency: "EUR"', 'currency'],
  ['groupBy: PRODUCT, period: ALL', 'period'],
  ['groupBy: PRODUCT, range: { from: "2025-01-01", to: "2026-03-01" }', 'interval'],
])('refuses %s, and names it', async (args, name) => {
  const world = await newWorld()
  const { extensions } = await world.fault(`{ revenueSeries(${args}) { label } }`)
  expect(Object.keys(extensions.details ?? {})).toEqual([name])
})

it('names the period if adding up takes longer than its limit', async () => {
  const world = await newWorld()
  const blocker = await newBlocker(world)
  await blocker.query('LOCK TABLE order_line IN ACCESS EXCLUSIVE MODE')
  const { extensions } = await world.fault('{ revenueSeries(groupBy: PRODUCT, period: TODAY) { label } }')
  expect(Object.keys(extensions.details ?? {})).toEqual(['period'])
})
