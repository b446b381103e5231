import type { GraphQLEnumType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { rowsOf } from '../account/exporting.ts'
import { newWorld } from '../support/world.ts'
import { documentOf, found, type ListName, letterOf, names, newSales, type Sales, types } from './listed-sales.ts'

let sales: Sales
beforeAll(async () => {
  sales = await newSales()
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
    expect(await found(sales, name, { search })).toBe(letters)
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
    const exported = await rowsOf(sales.world, 'INVOICES', { invoices: { search: 'F-1', contacts: { exists: true } } })
    expect(exported.map(({ email }) => email)).toEqual(['ada@example.com'])
    expect(
      await rowsOf(sales.world, 'CUSTOMERS', { customers: { search: 'works', not: { contacts: { exists: true } } } }),
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
          const { page } = await sales.world.run(documentOf(name), { filter, orderBy, first: 1, after })
          forward.push(...page.nodes.map(letterOf))
          after = page.pageInfo.endCursor
          hasMore = page.pageInfo.hasNextPage
        }
        for (let before: string | null = null, hasMore = true; hasMore && backward.length < 9; ) {
          const { page } = await sales.world.run(documentOf(name), { filter, orderBy, last: 2, before })
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
    const { extensions } = await sales.world.fault(documentOf(name), { orderBy, filter: { search: ' ' } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'orderBy.0.field': [expect.any(String)] } })
  })

  it('are the same inside parents', async () => {
    const document = `query ($id: ID!) { customer(id: $id) {
      orders(filter: { search: "grace" }, orderBy: { field: RELEVANCE, direction: ASC }) { totalCount }
      invoices(filter: { status: [PAID], contacts: { exists: false } }) { totalCount }
      transactions(filter: { invoices: { exists: true } }) { totalCount }
      billingSubscriptions(filter: { trial: true }) { totalCount } } }`
    const counts = { orders: 1, invoices: 1, transactions: 1, billingSubscriptions: 0 }
    expect((await sales.world.run(document, { id: sales.sold.customers.b?.id })).customer).toEqual(
      Object.fromEntries(Object.entries(counts).map(([name, totalCount]) => [name, { totalCount }])),
    )
    const [contact] = (
      await sales.world.run(
        '{ contacts { nodes { orders(filter: { search: "ada", contacts: { exists: true } }) { totalCount } } } }',
      )
    ).contacts.nodes
    expect(contact.orders.totalCount).toBe(1)
  })
})
