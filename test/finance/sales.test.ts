import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { moving } from './documents.ts'

const Sales =
  'query ($period: Period!, $range: DateRangeInput) { salesAmount(period: $period, range: $range) { amount currency } }'
const Revenue = '{ revenue(period: ALL) { amount { amount currency } orders } }'

describe('salesAmount', () => {
  it("returns the total of completed and waiting orders in the account's currency and time zone", async () => {
    const world = await newWorld({ timezone: 'Asia/Tokyo' })
    await world.order({ amount: '10.10', status: 'COMPLETED', createdAt: '2026-01-01T14:59:59.999Z' })
    await world.order({ amount: '5.05', createdAt: '2026-01-01T15:00:00.000Z' })
    await world.order({ amount: '700', currency: 'USD' })
    const cancelled = await world.order({ amount: '1000' })
    await world.run(moving('orderCancel', 'order { id }'), { input: { id: cancelled.id } })
    const day = (from: string) => world.run(Sales, { period: 'BETWEEN', range: { from, to: from } })
    expect((await day('2026-01-01')).salesAmount).toEqual({ amount: '10.10', currency: 'EUR' })
    expect((await day('2026-01-02')).salesAmount).toEqual({ amount: '5.05', currency: 'EUR' })
    expect((await world.run(Sales, { period: 'ALL' })).salesAmount).toEqual({ amount: '15.15', currency: 'EUR' })
    expect((await world.run(Sales, { period: 'TODAY' })).salesAmount).toEqual({ amount: '0.00', currency: 'EUR' })
    expect((await world.fault(Sales, { period: 'BETWEEN' })).extensions.code).toBe('INVALID_PERIOD')
  })

  it('rounds to two decimals if the currency has more', async () => {
    const world = await newWorld()
    await world.run(moving('accountUpdate', 'account { id }'), { input: { currency: 'KWD' } })
    for (const amount of ['1.111', '1.114']) await world.order({ amount })
    expect((await world.run(Sales, { period: 'ALL' })).salesAmount).toEqual({ amount: '2.230', currency: 'KWD' })
  })
})

describe('revenue', () => {
  it('returns the total of completed orders by currency, the largest first', async () => {
    const world = await newWorld()
    for (const [currency, amount] of [
      ['USD', '5'],
      ['EUR', '7.5'],
      ['JPY', '1000'],
      ['EUR', '0.01'],
      ['CHF', '5'],
    ]) {
      await world.order({ currency, amount, status: 'COMPLETED' })
    }
    await world.order({ amount: '99' })
    const refunded = await world.order({ amount: '77', status: 'COMPLETED' })
    await world.run(moving('orderRefund', 'order { id }'), { input: { id: refunded.id } })
    const rows = [
      { amount: { amount: '1000', currency: 'JPY' }, orders: 1 },
      { amount: { amount: '7.51', currency: 'EUR' }, orders: 2 },
      { amount: { amount: '5.00', currency: 'CHF' }, orders: 1 },
      { amount: { amount: '5.00', currency: 'USD' }, orders: 1 },
    ]
    expect((await world.run(Revenue)).revenue).toEqual(rows)
    await world.order({ amount: '3', status: 'COMPLETED', createdAt: '2020-01-01T00:00:00Z' })
    expect((await world.run('{ revenue { amount { amount currency } orders } }')).revenue).toEqual(rows)
    expect((await (await world.other()).run(Revenue)).revenue).toEqual([])
  })
})

describe('billingProfile', () => {
  it('defaults to the name of the account, and absent fields stay', async () => {
    const world = await newWorld()
    const update = moving('billingProfileUpdate', 'billingProfile { companyName address footer invoicePrefix }')
    const profile = '{ billingProfile { companyName address invoicePrefix creditNotePrefix } }'
    expect((await world.run(profile)).billingProfile).toEqual({
      companyName: 'Ada & Co',
      address: '',
      invoicePrefix: 'INV-',
      creditNotePrefix: 'CN-',
    })
    await world.run(update, { input: { address: '1 Road\nTown', creditNotePrefix: null } })
    await Promise.all([1, 2, 3].map((n) => world.run(update, { input: { invoicePrefix: `${n}-` } })))
    expect((await world.run(profile)).billingProfile).toMatchObject({
      address: '1 Road\nTown',
      invoicePrefix: expect.stringMatching(/^[123]-$/),
    })
    for (const [input, field] of [
      [{ invoicePrefix: '-x' }, 'invoicePrefix'],
      [{ creditNotePrefix: 'a/b' }, 'creditNotePrefix'],
      [{ footer: 'a\0b' }, 'footer'],
      [{ companyName: 'x'.repeat(256) }, 'companyName'],
    ] as const) {
      expect(Object.keys((await world.fault(update, { input })).extensions.details ?? {})).toEqual([`input.${field}`])
    }
  })
})
