import { beforeAll, describe, expect, it } from 'vitest'
import { linkOf } from '../account/exporting.ts'
import {
  type buyers,
  day,
  documentOf,
  found,
  type ListName,
  names,
  newSales,
  oldestFirst,
  purchases,
  type Sales,
  times,
} from './listed-sales.ts'

let sales: Sales
beforeAll(async () => {
  sales = await newSales()
})

const ids = (name: ListName, letter: keyof typeof buyers) => [
  sales.sold[name][letter]?.id,
  sales.sold[name].b?.databaseId,
]

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
    expect(await found(sales, name, filter(), oldestFirst)).toBe(letters)
  })

  it('finds the purchases of contacts by their ids', async () => {
    const { contacts } = await sales.world.run('{ contacts { nodes { id databaseId } } }')
    const [contact] = contacts.nodes
    for (const name of names) {
      expect(await found(sales, name, { contacts: { any: [contact.id] } })).toBe('a')
      expect(await found(sales, name, { contacts: { none: [contact.databaseId] } }, oldestFirst)).toBe('bc')
    }
  })

  it('finds no rows by ids of another account, and excludes none', async () => {
    const [theirs] = (await sales.other.run('{ contacts { nodes { databaseId } } }')).contacts.nodes
    const customer = sales.foreign.customers.a?.id
    for (const name of names) {
      expect(await found(sales, name, { id: { in: [sales.foreign[name].a?.id] } })).toBe('')
      expect(await found(sales, name, { contacts: { any: [theirs.databaseId] } })).toBe('')
      expect(await found(sales, name, { contacts: { none: [theirs.databaseId] } }, oldestFirst)).toBe('abc')
      if (name !== 'customers') expect(await found(sales, name, { customers: { any: [customer] } })).toBe('')
    }
  })

  it.each(names)('of %s needs contacts:read for the contacts, also in an export', async (name) => {
    const key = await sales.world.key({ scopes: ['finance:read'] })
    const list = name === 'billingSubscriptions' ? 'SUBSCRIPTIONS' : name.replace(/[A-Z]/g, '_$&').toUpperCase()
    const field = name === 'billingSubscriptions' ? 'subscriptions' : name
    for (const condition of [{ contacts: { exists: true } }, { or: [{ not: { contacts: { any: [1] } } }] }]) {
      const { extensions, message } = await sales.world.fault(documentOf(name), { filter: condition }, { key })
      expect([extensions.code, message]).toEqual(['FORBIDDEN', expect.stringContaining('CONTACTS_READ')])
      await expect(linkOf(sales.world, list, 'CSV', { [field]: condition }, { key })).rejects.toThrow('FORBIDDEN')
    }
    expect((await sales.world.run(documentOf(name), { filter: { search: 'ada' } }, { key })).page.totalCount).toBe(1)
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
    const fault = await sales.world.fault(documentOf(name), { filter })
    expect(fault.extensions.code).toBe(code)
    expect(JSON.stringify(fault)).toContain(named)
  })
})
