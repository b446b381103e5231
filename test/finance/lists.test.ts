import type { GraphQLEnumType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { linkOf, rowsOf } from '../account/exporting.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

/** The types of the rows of each list. */
const types = {
  customers: 'Customer',
  orders: 'Order',
  transactions: 'Transaction',
  invoices: 'Invoice',
  creditNotes: 'CreditNote',
  billingSubscriptions: 'BillingSubscription',
} as const
type ListName = keyof typeof types
const names = Object.keys(types) as ListName[]
const purchases = names.filter((name) => name !== 'customers')
const tableOf = (name: ListName) => types[name].replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Customers with one purchase of each kind. The e-mail address of each begins with its key. */
const buyers = {
  a: {
    ...{ email: 'ada@example.com', firstName: 'Ada', lastName: 'lovelace', companyName: 'Engine Works' },
    ...{ vatNumber: 'FR123456', address: '1 Rue Vauban\nLyon' },
  },
  b: { email: 'bgrace@navy.example', firstName: 'Grace', lastName: 'Hopper', companyName: 'Works of Navy' },
  c: { email: 'claude_s@example.org', firstName: 'Claude', lastName: 'Shannon' },
}
const letters = Object.keys(buyers) as (keyof typeof buyers)[]
const times = { a: '2026-01-01T10:00:00Z', b: '2026-01-02T10:00:00Z', c: '2026-01-03T10:00:00Z' }
const changes = { a: '2026-02-03T10:00:00Z', b: '2026-02-02T10:00:00Z', c: '2026-02-01T10:00:00Z' }

type Purchases = Record<ListName, Partial<Record<keyof typeof buyers, Named>>>

async function sell(world: World): Promise<Purchases> {
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

const documentOf = (
  name: ListName,
) => `query ($filter: ${types[name]}FilterInput, $orderBy: [${types[name]}OrderInput!],
  $first: Int, $after: String, $last: Int, $before: String) {
  page: ${name}(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) { totalCount
    nodes { ${name === 'customers' ? 'email' : 'customer { email }'} } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`
type Row = { email?: string; customer?: { email: string } }
const letterOf = ({ email, customer }: Row) => (email ?? customer?.email ?? '').charAt(0)
const oldestFirst = { field: 'CREATED_AT', direction: 'ASC' }

let world: World
let sold: Purchases
let other: World
let foreign: Purchases
beforeAll(async () => {
  world = await newWorld()
  sold = await sell(world)
  await world.rows('UPDATE billing_subscription SET rebill_date = NULL WHERE account_id = $1 AND id = $2', [
    world.accountId,
    sold.billingSubscriptions.b?.databaseId,
  ])
  other = await world.other()
  foreign = await sell(other)
})

/** Returns the keys of the customers of the rows that match. */
async function found(name: ListName, filter: object, orderBy?: object): Promise<string> {
  const { page } = await world.run(documentOf(name), { filter, orderBy })
  expect(page.totalCount).toBe(page.nodes.length)
  return page.nodes.map(letterOf).join('')
}

const ids = (name: ListName, letter: keyof typeof buyers) => [sold[name][letter]?.id, sold[name].b?.databaseId]
const day = (from: string, to = from) => ({ period: 'BETWEEN', range: { from, to } })

describe('a filter', () => {
  it.each<[ListName, () => object, string]>([
    ['customers', () => ({ email: { eq: 'ADA@example.com' } }), 'a'],
    ['customers', () => ({ email: { in: ['claude_s@example.org', 'x'] } }), 'c'],
    ['customers', () => ({ email: { startsWith: 'claude_' } }), 'c'],
    ['customers', () => ({ email: { contains: 'example' } }), 'abc'],
    ['customers', () => ({ firstName: { eq: 'grace' } }), 'b'],
    ['customers', () => ({ lastName: { startsWith: 'LOVE' } }), 'a'],
    ['customers', () => ({ companyName: { startsWith: 'works' } }), 'b'],
    ['customers', () => ({ companyName: { contains: 'works' } }), 'ab'],
    ['customers', () => ({ companyName: { exists: false } }), 'c'],
    ['customers', () => ({ vatNumber: { eq: 'fr123456' } }), 'a'],
    ['customers', () => ({ address: { contains: 'lyon' } }), 'a'],
    ['customers', () => ({ createdAt: day('2026-01-02') }), 'b'],
    ['customers', () => ({ contacts: { exists: true } }), 'a'],
    ['orders', () => ({ status: 'COMPLETED' }), 'a'],
    ['orders', () => ({ status: ['COMPLETED', 'WAITING'] }), 'abc'],
    ['orders', () => ({ status: [] }), ''],
    ['orders', () => ({ idOrder: { eq: 'a-200' } }), 'b'],
    ['orders', () => ({ idOrder: { startsWith: 'A-' } }), 'abc'],
    ['orders', () => ({ type: { eq: 'PayPal' } }), 'b'],
    ['orders', () => ({ type: { exists: true } }), 'ab'],
    ['orders', () => ({ amount: { gte: '10.01', lte: 20 } }), 'b'],
    ['orders', () => ({ completedAt: { lt: '2026-01-02T00:00:00Z' } }), 'a'],
    ['orders', () => ({ not: { completedAt: { lt: '2026-01-02T00:00:00Z' } } }), 'bc'],
    ['transactions', () => ({ idTransaction: { contains: '_b2' } }), 'b'],
    ['transactions', () => ({ type: { eq: 'stripe' } }), 'a'],
    ['transactions', () => ({ status: ['COMPLETED', 'ERROR'] }), 'bc'],
    ['transactions', () => ({ amount: { lte: 10 } }), 'ab'],
    ['transactions', () => ({ orders: { any: ids('orders', 'a') } }), 'a'],
    ['transactions', () => ({ orders: { exists: false } }), 'bc'],
    ['transactions', () => ({ invoices: { any: ids('invoices', 'a') } }), 'b'],
    ['transactions', () => ({ subscriptions: { exists: true } }), ''],
    ['invoices', () => ({ prefix: { eq: 'g-' } }), 'c'],
    ['invoices', () => ({ prefix: { eq: 'F-' }, number: { gte: 2, lte: 2 } }), 'b'],
    ['invoices', () => ({ type: { startsWith: 'pay' } }), 'b'],
    ['invoices', () => ({ status: 'PAID' }), 'abc'],
    ['invoices', () => ({ amount: { gte: 20 } }), 'bc'],
    ['invoices', () => ({ amountInclVat: { gte: 24, lte: 24 } }), 'b'],
    ['invoices', () => ({ paidAmount: { gte: 5 } }), 'b'],
    ['invoices', () => ({ orders: { exists: true } }), ''],
    ['creditNotes', () => ({ number: { lte: 1 } }), 'a'],
    ['creditNotes', () => ({ prefix: { eq: 'cn-' } }), 'abc'],
    ['creditNotes', () => ({ type: { eq: 'paypal' } }), 'b'],
    ['creditNotes', () => ({ reason: { contains: 'son c' } }), 'c'],
    ['creditNotes', () => ({ amount: { lte: -30 } }), 'c'],
    ['creditNotes', () => ({ amountInclVat: { gte: -12 } }), 'a'],
    ['creditNotes', () => ({ invoices: { none: ids('invoices', 'a') } }), 'c'],
    ['creditNotes', () => ({ orders: { exists: true } }), ''],
    ['billingSubscriptions', () => ({ idSubscription: { in: ['SUB_A', 'sub_c'] } }), 'ac'],
    ['billingSubscriptions', () => ({ name: { startsWith: 'pro' } }), 'c'],
    ['billingSubscriptions', () => ({ status: 'ACTIVE' }), 'abc'],
    ['billingSubscriptions', () => ({ amount: { gte: 30 } }), 'c'],
    ['billingSubscriptions', () => ({ paymentSource: { eq: 'card' } }), 'a'],
    ['billingSubscriptions', () => ({ rateMonths: { gte: 2, lte: 3 } }), 'bc'],
    ['billingSubscriptions', () => ({ trial: true }), 'a'],
    ['billingSubscriptions', () => ({ trial: false }), 'bc'],
    ['billingSubscriptions', () => ({ paymentsLeft: { lte: 3 } }), 'a'],
    ['billingSubscriptions', () => ({ rebillDate: { lt: '2026-03-02T00:00:00Z' } }), 'a'],
    ['billingSubscriptions', () => ({ endedAt: { lt: '2030-01-01T00:00:00Z' } }), ''],
    ...names.flatMap((name): [ListName, () => object, string][] => [
      [name, () => ({}), 'abc'],
      [name, () => ({ id: { in: ids(name, 'a') } }), 'ab'],
      [name, () => ({ createdAt: { gte: times.b } }), 'bc'],
      [name, () => ({ createdAt: day('2026-01-02') }), 'b'],
      [name, () => ({ or: [{ search: 'ada' }, { id: { in: ids(name, 'b') } }] }), 'ab'],
      [name, () => ({ not: { search: 'ada' } }), 'bc'],
      [name, () => ({ search: ' ' }), 'abc'],
      [name, () => ({ search: 'nobody' }), ''],
    ]),
    ...purchases.flatMap((name): [ListName, () => object, string][] => [
      [name, () => ({ currency: { eq: 'usd' } }), 'b'],
      [name, () => ({ customers: { any: ids('customers', 'c') } }), 'bc'],
      [name, () => ({ contacts: { exists: true } }), 'a'],
      [name, () => ({ contacts: { exists: false } }), 'bc'],
      [name, () => ({ search: 'WORKS gra' }), 'b'],
      [name, () => ({ search: 'fr12' }), 'a'],
      [name, () => ({ or: [{ search: 'hopper' }, { contacts: { exists: true } }] }), 'ab'],
    ]),
    ...purchases
      .filter((name) => name !== 'creditNotes')
      .map((name): [ListName, () => object, string] => [
        name,
        () => ({ updatedAt: day('2026-02-01', '2026-02-02') }),
        'bc',
      ]),
  ])('of %s finds the rows that match %s', async (name, filter, letters) => {
    expect(await found(name, filter(), oldestFirst)).toBe(letters)
  })

  it('finds the purchases of contacts by their ids', async () => {
    const { contacts } = await world.run('{ contacts { nodes { id databaseId } } }')
    const [contact] = contacts.nodes
    for (const name of names) {
      expect(await found(name, { contacts: { any: [contact.id] } })).toBe('a')
      expect(await found(name, { contacts: { none: [contact.databaseId] } }, oldestFirst)).toBe('bc')
    }
  })

  it('finds no rows by ids of another account, and excludes none', async () => {
    const [theirs] = (await other.run('{ contacts { nodes { databaseId } } }')).contacts.nodes
    const customer = foreign.customers.a?.id
    for (const name of names) {
      expect(await found(name, { id: { in: [foreign[name].a?.id] } })).toBe('')
      expect(await found(name, { contacts: { any: [theirs.databaseId] } })).toBe('')
      expect(await found(name, { contacts: { none: [theirs.databaseId] } }, oldestFirst)).toBe('abc')
      if (name !== 'customers') expect(await found(name, { customers: { any: [customer] } })).toBe('')
    }
  })

  it.each(names)('of %s needs contacts:read for the contacts, also in an export', async (name) => {
    const key = await world.key({ scopes: ['finance:read'] })
    const list = name === 'billingSubscriptions' ? 'SUBSCRIPTIONS' : name.replace(/[A-Z]/g, '_$&').toUpperCase()
    const field = name === 'billingSubscriptions' ? 'subscriptions' : name
    for (const condition of [{ contacts: { exists: true } }, { or: [{ not: { contacts: { any: [1] } } }] }]) {
      const { extensions, message } = await world.fault(documentOf(name), { filter: condition }, { key })
      expect([extensions.code, message]).toEqual(['FORBIDDEN', expect.stringContaining('CONTACTS_READ')])
      await expect(linkOf(world, list, 'CSV', { [field]: condition }, { key })).rejects.toThrow('FORBIDDEN')
    }
    expect((await world.run(documentOf(name), { filter: { search: 'ada' } }, { key })).page.totalCount).toBe(1)
  })

  it.each<[ListName, object, string, string]>([
    ['customers', { search: 'a b c d e f g h i j k' }, 'VALIDATION_ERROR', 'filter.search'],
    ['customers', { email: { contains: 'ab' } }, 'VALIDATION_ERROR', 'filter.email.contains'],
    ['customers', { email: 'ada@example.com' }, 'BAD_REQUEST', 'email'],
    ['orders', { status: 'PAID' }, 'BAD_REQUEST', 'PAID'],
    ['orders', { amount: { gte: '1e3' } }, 'BAD_REQUEST', 'amount'],
    ['orders', { createdAt: { period: 'BETWEEN' } }, 'INVALID_PERIOD', 'range'],
    ['orders', { period: 'TODAY' }, 'BAD_REQUEST', 'period'],
    ['transactions', { orders: { any: ['x'] } }, 'VALIDATION_ERROR', 'filter.orders.any'],
    ['invoices', { customers: { any: Array(1_001).fill(1) } }, 'VALIDATION_ERROR', 'filter.customers.any'],
    ['creditNotes', { invoices: { all: Array(41).fill(1) } }, 'VALIDATION_ERROR', '40 conditions'],
    [
      'billingSubscriptions',
      { id: { in: [Buffer.from('Order:1').toString('base64url')] } },
      'VALIDATION_ERROR',
      'filter.id.in',
    ],
  ])('of %s refuses %s with %s', async (name, filter, code, named) => {
    const fault = await world.fault(documentOf(name), { filter })
    expect(fault.extensions.code).toBe(code)
    expect(JSON.stringify(fault)).toContain(named)
  })
})

describe('a search', () => {
  it.each<[ListName, string, string]>([
    ['customers', 'works', 'ba'],
    ['customers', 'engine ADA', 'a'],
    ['customers', 'ada engine', 'a'],
    ['customers', 'example', 'cba'],
    ['customers', 'example.org', 'c'],
    ['customers', 'sh cl', 'c'],
    ['customers', 'de_s', 'c'],
    ['customers', 'race', 'b'],
    ['customers', 'lyon', ''],
    ['orders', 'A-20', 'b'],
    ['orders', '100 ada', 'a'],
    ['orders', '100 grace', ''],
    ['transactions', 'pay_b2', 'b'],
    ['invoices', 'F-1', 'a'],
    ['invoices', 'f-000002', 'b'],
    ['invoices', '1', 'ca'],
    ['invoices', 'g-1 claude', 'c'],
    ['creditNotes', 'CN-3', 'c'],
    ['creditNotes', '000001', 'a'],
    ['billingSubscriptions', 'plan pro', 'c'],
    ['billingSubscriptions', 'sub_a', 'a'],
  ])('of %s for %s finds %s', async (name, search, letters) => {
    expect(await found(name, { search })).toBe(letters)
  })

  it('ranks whole words before beginnings of words and parts, and own words before those of the customer', async () => {
    const ranked = await newWorld()
    for (const idOrder of ['X-77', 'X-7', '7X-78']) await ranked.order({ idOrder })
    await ranked.order({ idOrder: 'other', customer: { email: 'x-7@example.com' } })
    const { orders } = await ranked.run('{ orders(filter: { search: "x-7" }) { nodes { idOrder } } }')
    expect(orders.nodes.map(({ idOrder }: { idOrder: string }) => idOrder)).toEqual(['X-7', 'X-77', 'other', '7X-78'])
  })

  it('finds an invoice by the buyer at the time of issue and by the customer as it is now', async () => {
    const renamed = await newWorld()
    await renamed.invoice({ customer: { email: 'a@example.com', lastName: 'Byron', companyName: 'Old Ltd' } })
    await renamed.order({ customer: { email: 'a@example.com', lastName: 'Lovelace', companyName: 'New Ltd' } })
    for (const search of ['byron', 'lovelace', 'old', 'new']) {
      expect(
        (await renamed.run(`{ invoices(filter: { search: "${search}" }) { totalCount } }`)).invoices.totalCount,
      ).toBe(1)
    }
  })

  it('writes the number of an invoice beyond six digits completely', async () => {
    const large = await newWorld()
    await large.invoice({ prefix: 'Z-' })
    await large.rows('UPDATE invoice SET number = 12345678 WHERE account_id = $1', [large.accountId])
    expect((await large.run('{ invoices(filter: { search: "Z-12345678" }) { totalCount } }')).invoices.totalCount).toBe(
      1,
    )
  })

  it('selects the rows of an export', async () => {
    const exported = await rowsOf(world, 'INVOICES', { invoices: { search: 'F-1', contacts: { exists: true } } })
    expect(exported.map(({ email }) => email)).toEqual(['ada@example.com'])
    expect(
      await rowsOf(world, 'CUSTOMERS', { customers: { search: 'works', not: { contacts: { exists: true } } } }),
    ).toHaveLength(1)
  })
})

describe('the pages of a list', () => {
  /** The rows by each sort key, ascending. */
  const ascending: Record<ListName, Record<string, string>> = {
    customers: { CREATED_AT: 'abc', EMAIL: 'abc', LAST_NAME: 'bac', RELEVANCE: 'abc' },
    orders: { CREATED_AT: 'abc', UPDATED_AT: 'cba', AMOUNT: 'abc', STATUS: 'abc', RELEVANCE: 'abc' },
    transactions: { CREATED_AT: 'abc', UPDATED_AT: 'cba', AMOUNT: 'bac', STATUS: 'bca', RELEVANCE: 'abc' },
    invoices: { CREATED_AT: 'abc', UPDATED_AT: 'cba', AMOUNT_INCL_VAT: 'abc', STATUS: 'abc', RELEVANCE: 'abc' },
    creditNotes: { CREATED_AT: 'abc', AMOUNT_INCL_VAT: 'cba', RELEVANCE: 'abc' },
    billingSubscriptions: {
      ...{ CREATED_AT: 'abc', UPDATED_AT: 'cba', NAME: 'bca', AMOUNT: 'abc', STATUS: 'abc', REBILL_DATE: 'bac' },
      RELEVANCE: 'abc',
    },
  }
  const fieldsOf = (name: ListName) => (schema.getType(`${types[name]}OrderField`) as GraphQLEnumType).getValues()

  it.each(names.flatMap((name) => fieldsOf(name).map((field) => [name, field.name] as const)))(
    'of %s lead through all rows by %s, in both directions',
    async (name, field) => {
      const filter = field === 'RELEVANCE' ? { search: 'example' } : {}
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field, direction }
        const expected = [...(ascending[name][field] ?? '')]
        if (direction === 'DESC') expected.reverse()
        const forward: string[] = []
        const backward: string[] = []
        for (let after: string | null = null, hasMore = true; hasMore && forward.length < 9; ) {
          const { page } = await world.run(documentOf(name), { filter, orderBy, first: 1, after })
          forward.push(...page.nodes.map(letterOf))
          after = page.pageInfo.endCursor
          hasMore = page.pageInfo.hasNextPage
        }
        for (let before: string | null = null, hasMore = true; hasMore && backward.length < 9; ) {
          const { page } = await world.run(documentOf(name), { filter, orderBy, last: 2, before })
          backward.unshift(...page.nodes.map(letterOf))
          before = page.pageInfo.startCursor
          hasMore = page.pageInfo.hasPreviousPage
        }
        expect([forward, backward]).toEqual([expected, expected])
      }
    },
  )

  it.each(names)('of %s cannot be ordered by relevance without a search', async (name) => {
    const orderBy = { field: 'RELEVANCE', direction: 'DESC' }
    const { extensions } = await world.fault(documentOf(name), { orderBy, filter: { search: ' ' } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'orderBy.0.field': [expect.any(String)] } })
  })

  it('are the same inside parents', async () => {
    const document = `query ($id: ID!) { customer(id: $id) {
      orders(filter: { search: "grace" }, orderBy: { field: RELEVANCE, direction: ASC }) { totalCount }
      invoices(filter: { status: [PAID], contacts: { exists: false } }) { totalCount }
      transactions(filter: { invoices: { exists: true } }) { totalCount }
      billingSubscriptions(filter: { trial: true }) { totalCount } } }`
    const counts = { orders: 1, invoices: 1, transactions: 1, billingSubscriptions: 0 }
    expect((await world.run(document, { id: sold.customers.b?.id })).customer).toEqual(
      Object.fromEntries(Object.entries(counts).map(([name, totalCount]) => [name, { totalCount }])),
    )
    const [contact] = (
      await world.run(
        '{ contacts { nodes { orders(filter: { search: "ada", contacts: { exists: true } }) { totalCount } } } }',
      )
    ).contacts.nodes
    expect(contact.orders.totalCount).toBe(1)
  })
})
