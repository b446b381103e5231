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
