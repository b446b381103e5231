import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { moving } from './documents.ts'

const fields = 'orders lifetimeValue { amount currency } firstOrderAt lastOrderAt'
const Purchases = `{ contacts(orderBy: { direction: ASC }) { nodes { purchases { ${fields} } } } }`
const none = { orders: 0, lifetimeValue: [], firstOrderAt: null, lastOrderAt: null }
const read = async (world: World) =>
  (await world.run(Purchases)).contacts.nodes.map(({ purchases }: { purchases: object }) => purchases)

describe('Contact.purchases', () => {
  it('counts completed orders, by currency and time', async () => {
    const world = await newWorld()
    const [ada] = [await world.contact({ email: 'ada@x.io' }), await world.contact({ email: 'bob@x.io' })]
    const customer = { email: ada.email }
    const order = (input: object) => world.order({ customer, status: 'COMPLETED', ...input })
    await order({ amount: '10', createdAt: '2026-01-02T10:00:00Z' })
    await order({ amount: '2.50', createdAt: '2026-01-01T10:00:00Z' })
    await order({ amount: '30', currency: 'USD', createdAt: '2026-01-03T10:00:00Z' })
    await order({ amount: '500', status: 'WAITING', createdAt: '2025-01-01T10:00:00Z' })
    const refunded = await order({ amount: '700', createdAt: '2025-01-01T10:00:00Z' })
    await world.run(moving('orderRefund', 'order { id }'), { input: { id: refunded.id } })
    const cancelled = await order({ amount: '900', status: 'WAITING' })
    await world.run(moving('orderCancel', 'order { id }'), { input: { id: cancelled.id } })
    expect(await read(world)).toEqual([
      {
        orders: 3,
        lifetimeValue: [
          { amount: '30.00', currency: 'USD' },
          { amount: '12.50', currency: 'EUR' },
        ],
        firstOrderAt: '2026-01-01T10:00:00.000Z',
        lastOrderAt: '2026-01-03T10:00:00.000Z',
      },
      none,
    ])
    const other = await world.other()
    await other.contact({ email: 'ada@x.io' })
    expect(await read(other)).toEqual([none])
  })

  it('subtracts partial refunds once, and not more than the order', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const order = (amount: string) => world.order({ amount, status: 'COMPLETED', customer: { email: contact.email } })
    const value = async () => (await read(world))[0].lifetimeValue[0].amount
    const refund = (orderId: string, amount: string) => world.transaction({ orderId, amount, status: 'REFUNDED' })

    const [one, two] = [await order('100'), await order('20')]
    await world.transaction({ orderId: one.id, amount: '100', status: 'COMPLETED' })
    expect(await value()).toBe('120.00')
    await refund(one.id, '30')
    expect(await value()).toBe('90.00')
    const invoice = await world.invoice({ orderId: one.id })
    await world.creditNote(invoice, { amount: '30' })
    expect(await value()).toBe('90.00')
    await world.creditNote(invoice, { amount: '5' })
    expect(await value()).toBe('85.00')
    await refund(two.id, '50')
    expect(await value()).toBe('65.00')
  })

  it('adds up several refunds of an order, and ignores those of other orders, currencies and contacts', async () => {
    const world = await newWorld()
    const [ada, bob] = [await world.contact({ email: 'ada@x.io' }), await world.contact({ email: 'bob@x.io' })]
    const order = (email: string, amount: string, currency = 'EUR') =>
      world.order({ amount, currency, status: 'COMPLETED', customer: { email } })
    const refund = (orderId: string, amount: string, more: object = {}) =>
      world.transaction({ orderId, amount, status: 'REFUNDED', ...more })
    const [one, two, dollars, bobs] = [
      await order(ada.email, '100'),
      await order(ada.email, '40'),
      await order(ada.email, '70', 'USD'),
      await order(bob.email, '30'),
    ]
    await refund(one.id, '10')
    await refund(one.id, '15', { customer: { email: 'payer@x.io' } })
    await refund(one.id, '50', { currency: 'USD' })
    await refund(one.id, '60', { status: 'WAITING' })
    await refund(dollars.id, '5.50')
    await refund(bobs.id, '1')
    await world.creditNote(await world.invoice({ orderId: one.id }), { amount: '20' })
    const invoice = await world.invoice({ orderId: two.id })
    await world.creditNote(invoice, { amount: '3' })
    await world.creditNote(invoice, { amount: '4' })
    expect((await read(world)).map(({ lifetimeValue }: { lifetimeValue: object }) => lifetimeValue)).toEqual([
      [
        { amount: '108.00', currency: 'EUR' },
        { amount: '64.50', currency: 'USD' },
      ],
      [{ amount: '29.00', currency: 'EUR' }],
    ])
  })

  it('needs the scope finance:read', async () => {
    const world = await newWorld()
    await world.contact()
    const key = await world.key({ scopes: ['contacts:read'] })
    const { body } = await world.ask('{ contacts { nodes { id purchases { orders } } } }', {}, { key })
    expect(body.data.contacts.nodes).toEqual([{ id: expect.any(String), purchases: null }])
    expect(body.errors?.[0].extensions).toMatchObject({ code: 'FORBIDDEN', scope: 'FINANCE_READ' })
  })
})
