import { expect } from 'vitest'
import { type Named, newWorld, type World } from '../support/world.ts'

/** The types of the rows of each list. */
export const types = {
  customers: 'Customer',
  orders: 'Order',
  transactions: 'Transaction',
  invoices: 'Invoice',
  creditNotes: 'CreditNote',
  billingSubscriptions: 'BillingSubscription',
} as const
export type ListName = keyof typeof types
export const names = Object.keys(types) as ListName[]
export const purchases = names.filter((name) => name !== 'customers')
export const tableOf = (name: ListName) => types[name].replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Customers with one purchase of each kind. The e-mail address of each begins with its key. */
export const buyers = {
  a: {
    ...{ email: 'ada@example.com', firstName: 'Ada', lastName: 'lovelace', companyName: 'Engine Works' },
    ...{ vatNumber: 'FR123456', address: '1 Rue Vauban\nLyon' },
  },
  b: { email: 'bgrace@navy.example', firstName: 'Grace', lastName: 'Hopper', companyName: 'Works of Navy' },
  c: { email: 'claude_s@example.org', firstName: 'Claude', lastName: 'Shannon' },
}
export const letters = Object.keys(buyers) as (keyof typeof buyers)[]
export const times = { a: '2026-01-01T10:00:00Z', b: '2026-01-02T10:00:00Z', c: '2026-01-03T10:00:00Z' }
export const changes = { a: '2026-02-03T10:00:00Z', b: '2026-02-02T10:00:00Z', c: '2026-02-01T10:00:00Z' }

export type Purchases = Record<ListName, Partial<Record<keyof typeof buyers, Named>>>

export async function sell(world: World): Promise<Purchases> {
  const all = Object.fromEntries(names.map((name) => [name, {}])) as Purchases
  await world.contact({ email: buyers.a.email })
  await world.run(
    'mutation { billingProfileUpdate(input: { invoicePrefix: "F-", creditNotePrefix: "CN-" }) { billingProfile { footer } } }',
  )
  for (const [index, letter] of letters.entries()) {
    const customer = buyers[letter]
    const type = ['stripe', 'paypal', ''][index]
    const currency = letter === 'b' ? 'USD' : 'EUR'
    const [amount, createdAt] = [`${(index + 1) * 10}`, times[letter]]
    const base = { customer, currency, createdAt }
    const order = await world.order({
      idOrder: `A-${index + 1}00`,
      amount,
      type,
      status: index ? 'WAITING' : 'COMPLETED',
      ...base,
    })
    const invoice = await world.invoice({
      ...{ customer, currency, type, ...(letter === 'c' && { prefix: 'G-' }) },
      lines: [{ name: 'Bowl', unitPrice: amount, vatRate: '20' }],
    })
    const payment = { type, currency, createdAt, idTransaction: `pay_${letter}${index + 1}` }
    const paid = { a: { orderId: order.id }, b: { invoiceId: invoice.id, amount: '5' }, c: { customer, amount } }[
      letter
    ]
    const transaction = await world.transaction({
      amount,
      status: letter === 'a' ? 'WAITING' : 'COMPLETED',
      ...payment,
      ...paid,
    })
    const subscription = await world.subscription({
      ...{
        idSubscription: `sub_${letter}`,
        name: ['Zen', 'basic', 'Pro plan'][index],
        amount,
        rateMonths: index + 1,
        ...base,
      },
      ...(letter === 'a' && {
        trial: true,
        paymentsLeft: 3,
        rebillDate: '2026-03-01T00:00:00Z',
        paymentSource: 'card',
      }),
    })
    const creditNote = await world.creditNote(invoice, { reason: `Reason ${letter}` })
    Object.assign(all.customers, { [letter]: order.customer })
    Object.assign(all.orders, { [letter]: order })
    Object.assign(all.transactions, { [letter]: transaction })
    Object.assign(all.invoices, { [letter]: invoice })
    Object.assign(all.creditNotes, { [letter]: creditNote })
    Object.assign(all.billingSubscriptions, { [letter]: subscription })
    for (const name of names) {
      const update = ['customers', 'creditNotes'].includes(name) ? '' : ', updated_at = $4'
      const values = [world.accountId, all[name][letter]?.databaseId, createdAt, changes[letter]]
      await world.rows(
        `UPDATE "${tableOf(name)}" SET created_at = $3${update} WHERE account_id = $1 AND id = $2`,
        update ? values : values.slice(0, 3),
      )
    }
  }
  return all
}

export const documentOf = (
  name: ListName,
) => `query ($filter: ${types[name]}FilterInput, $orderBy: [${types[name]}OrderInput!],
  $first: Int, $after: String, $last: Int, $before: String) {
  page: ${name}(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) { totalCount
    nodes { ${name === 'customers' ? 'email' : 'customer { email }'} } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`
export type Row = { email?: string; customer?: { email: string } }
export const letterOf = ({ email, customer }: Row) => (email ?? customer?.email ?? '').charAt(0)
export const oldestFirst = { field: 'CREATED_AT', direction: 'ASC' }

/** Two accounts with the same sales. */
export interface Sales {
  readonly world: World
  readonly sold: Purchases
  readonly other: World
  readonly foreign: Purchases
}

export async function newSales(): Promise<Sales> {
  const world = await newWorld()
  const sold = await sell(world)
  await world.rows('UPDATE billing_subscription SET rebill_date = NULL WHERE account_id = $1 AND id = $2', [
    world.accountId,
    sold.billingSubscriptions.b?.databaseId,
  ])
  const other = await world.other()
  const foreign = await sell(other)
  return { world, sold, other, foreign }
}

/** Returns the keys of the customers of the rows that match. */
export async function found({ world }: Sales, name: ListName, filter: object, orderBy?: object): Promise<string> {
  const { page } = await world.run(documentOf(name), { filter, orderBy })
  expect(page.totalCount).toBe(page.nodes.length)
  return page.nodes.map(letterOf).join('')
}

export const day = (from: string, to = from) => ({ period: 'BETWEEN', range: { from, to } })
