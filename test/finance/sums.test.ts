import pg from 'pg'
import { expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

it('the sums of orders are those of the rows that match the filter, by currency', async () => {
  const world = await newWorld()
  await world.order({ status: 'COMPLETED', amount: '5.00' })
  await world.order({ status: 'COMPLETED', amount: '7.50' })
  await world.order({ status: 'COMPLETED', amount: '3.00', currency: 'USD' })
  await world.order({ amount: '100.00' })
  const { orderSums, transactionSums } = await world.run(`{
    orderSums(filter: { status: [COMPLETED] }) { amount { amount currency } count }
    transactionSums(filter: { status: [REFUNDED], updatedAt: { period: THIS_MONTH } }) { count } }`)
  expect(orderSums).toEqual([
    { amount: { amount: '12.50', currency: 'EUR' }, count: 2 },
    { amount: { amount: '3.00', currency: 'USD' }, count: 1 },
  ])
  expect(transactionSums).toEqual([])
  const other = await world.other()
  expect((await other.run('{ orderSums { count } }')).orderSums).toEqual([])
})

it('sums that take longer than 2 seconds end, also without a filter', async () => {
  const world = await newWorld()
  const blocker = new pg.Client({ connectionString: world.server.app.database.directUrl })
  await blocker.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE "order"')
    const { extensions } = await world.fault('{ orderSums { count } }')
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(extensions.details).toEqual({ filter: [expect.stringContaining('takes longer than 2 seconds')] })
  } finally {
    await blocker.end()
  }
})
