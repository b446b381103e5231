import type { Ctx } from '../db/context.ts'
import {
  billingProfile,
  creditNotes,
  invoices,
  orderRefunds,
  orders,
  subscriptions,
  transactions,
} from '../finance/index.ts'

const products = [
  ['Bowl, stoneware', '24.50'],
  ['Cup without a handle', '14.00'],
  ['Vase, celadon glaze', '68.00'],
  ['Plate, 26 cm', '29.90'],
  ['Teapot', '85.00'],
] as const

/** A contact who buys something. */
export interface Buyer {
  email: string
  firstName: string
  lastName: string
}

/**
 * Creates the sales of the demonstration: an order with a payment for each buyer, invoices for some orders, a partial
 * credit note, an order that is refunded in part, and subscriptions. The first order is `days` days old.
 */
export async function addSales(ctx: Ctx, buyers: readonly Buyer[], days: number): Promise<void> {
  await billingProfile.update(ctx, {
    companyName: 'Atelier Rosalie',
    address: '12 rue des Potiers\n75011 Paris\nFrance',
    vatNumber: 'FR12345678901',
    footer: 'Atelier Rosalie, made by hand in Paris. Payable within 30 days.',
  })
  const now = ctx.clock.now().getTime()
  const invoiceIds: number[] = []
  for (const [index, customer] of buyers.entries()) {
    const createdAt = new Date(now - ((buyers.length - index) / buyers.length) * days * 24 * 3_600_000)
    const orderId = await addOrder(index, customer, createdAt)
    if (index % 4 === 0) invoiceIds.push((await invoices.issue(ctx, { orderId })).invoice.id)
    if (index === 8) await orderRefunds.refund(ctx, { id: orderId, amount: '14.00', reason: 'Broken on arrival.' })
  }
  const [first, second] = invoiceIds
  if (first !== undefined) await invoices.pay(ctx, { id: first })
  if (second !== undefined) {
    await creditNotes.issue(ctx, { invoiceId: second, amount: '10.00', reason: 'A chip in the glaze.' })
  }
  for (const [index, customer] of buyers.slice(0, 6).entries()) await addSubscription(index, customer)

  async function addOrder(index: number, customer: Buyer, createdAt: Date): Promise<number> {
    const [name, unitPrice] = products[index % products.length] as (typeof products)[number]
    const isPaid = index % 5 !== 4
    const { order } = await orders.record(ctx, {
      idOrder: `ROS-${1001 + index}`,
      type: index % 3 === 0 ? 'paypal' : 'stripe',
      status: isPaid ? 'COMPLETED' : 'WAITING',
      lines: [{ name, quantity: 1 + (index % 3), unitPrice, vatRate: '20' }],
      attribution: index % 2 === 0 ? [{ key: 'utm_source', value: 'newsletter' }] : [],
      customer,
      createdAt,
    })
    const { id: orderId, amount } = order
    const status = isPaid ? 'COMPLETED' : 'PROCESSING'
    await transactions.record(ctx, { idTransaction: `pay-${1001 + index}`, orderId, amount, status, createdAt })
    if (index % 11 === 10 && isPaid) await orderRefunds.refund(ctx, { id: orderId })
    return orderId
  }

  async function addSubscription(index: number, customer: Buyer): Promise<void> {
    const { subscription } = await subscriptions.record(ctx, {
      idSubscription: `club-${index + 1}`,
      name: index % 2 === 0 ? 'Clay club' : 'Clay club, quarterly',
      amount: index % 2 === 0 ? '19.00' : '52.00',
      paymentSource: 'card',
      rateMonths: index % 2 === 0 ? 1 : 3,
      trial: index === 1,
      paymentsLeft: index === 2 ? 6 : null,
      customer,
      createdAt: new Date(now - 40 * 24 * 3_600_000),
    })
    if (index === 0) await subscriptions.renew(ctx, { id: subscription.id })
    if (index === 4) await subscriptions.fail(ctx, { id: subscription.id })
    if (index === 5) await subscriptions.end(ctx, { id: subscription.id })
  }
}
