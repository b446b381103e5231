import { beforeAll, describe, expect, it } from 'vitest'
import { plansOf } from '../support/explain.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World

/** Enough rows of one account that reading all of them costs more than any index. */
beforeAll(async () => {
  world = await newWorld()
  const { accountId, rows } = world
  const [times, money] = ["now() - n * interval '1 hour', now() - n * interval '1 hour'", "n, 'EUR'"]
  const of = `FROM (SELECT min(id) AS first FROM customer WHERE account_id = ${accountId}) u, generate_series(1, 20000) n`
  await rows(`BEGIN;
    SET LOCAL session_replication_role = replica;
    INSERT INTO customer (account_id, email, first_name, last_name, company_name, vat_number, created_at)
      SELECT ${accountId}, md5(n::text) || '@example.com', md5('f' || n), md5('l' || n), md5('o' || n), md5('v' || n),
        now() - n * interval '1 hour' FROM generate_series(1, 20000) n;
    INSERT INTO "order" (account_id, id_order, customer_id, type, status, created_at, updated_at, amount, currency)
      SELECT ${accountId}, md5('i' || n), u.first + n - 1, 'shop', 'WAITING', ${times}, ${money} ${of};
    INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
      SELECT ${accountId}, o.id, 1, md5('p' || o.id), 1, 1, 20, 1, 0 FROM "order" o WHERE o.account_id = ${accountId};
    INSERT INTO transaction (account_id, id_transaction, customer_id, type, status, created_at, updated_at, amount, currency)
      SELECT ${accountId}, md5('t' || n), u.first + n - 1, 'shop', 'WAITING', ${times}, ${money} ${of};
    INSERT INTO invoice (account_id, prefix, number, customer_id, type, status, seller, lines, document_id, buyer, created_at,
        updated_at, amount, amount_incl_vat, currency)
      SELECT ${accountId}, 'F-', n, u.first + n - 1, 'shop', 'PAID', '{}', '[]', 0, json_build_object('name', md5('b' || n)),
        ${times}, n, ${money} ${of};
    COMMIT`)
  // Also merges the pending entries of GIN indexes, which make the planner avoid them.
  await rows('VACUUM ANALYZE')
}, 120_000)

async function scansOf(document: string, variables: object, statement: RegExp): Promise<string[]> {
  const plans = await plansOf(world.server, () => world.run(document, variables))
  return plans.filter((plan) => statement.test(plan.statement)).flatMap(({ scans }) => scans)
}

const purchases = { orders: 'order', transactions: 'transaction', invoices: 'invoice' } as const
const text = (name: string, index: string) =>
  ['eq', 'contains', 'startsWith'].map((operator) => [{ [name]: { [operator]: 'abcdef12' } }, index] as const)

describe('an index finds', () => {
  it.each<readonly [string, object, string]>([
    ...['firstName', 'companyName', 'vatNumber'].flatMap((name) =>
      text(name, 'customer_search_idx').map((each) => ['customers', ...each] as const),
    ),
    ['customers', { lastName: { eq: 'abcdef12' } }, 'customer_last_name_idx'],
    ['customers', { lastName: { contains: 'bcdef12' } }, 'customer_search_idx'],
    ['customers', { email: { eq: 'abcdef12@example.com' } }, 'customer_account_id_address_key'],
    ['customers', { email: { contains: 'bcdef12' } }, 'customer_search_idx'],
    ['customers', { search: 'abcdef12 bcdef' }, 'customer_search_idx'],
    ...text('products', 'order_line_name_idx').map((each) => ['orders', ...each] as const),
    ['orders', { idOrder: { startsWith: 'abcdef12' } }, 'order_search_idx'],
    ['transactions', { idTransaction: { eq: 'abcdef12' } }, 'transaction_search_idx'],
    ...Object.entries(purchases).flatMap(([name, table]) => [
      [name, { createdAt: { gte: new Date() } }, `${table}_account_id_created_at_id_idx`] as const,
      [name, { updatedAt: { gte: new Date() } }, `${table}_account_id_updated_at_id_idx`] as const,
      [
        name,
        { customers: { any: [1, 2] } },
        name === 'orders' ? 'order_customer_idx' : `${table}_account_id_customer_id_created_at_id_idx`,
      ] as const,
      [name, { contacts: { any: [1] } }, 'customer_account_id_contact_id_idx'] as const,
      [name, { search: 'abcdef12' }, `${table}_search_idx`] as const,
      [name, { search: 'abcdef12' }, 'customer_search_idx'] as const,
      [
        name,
        { [name === 'invoices' ? 'amountInclVat' : 'amount']: { gte: 7, lte: 9 } },
        `${table}_account_id_amount`,
      ] as const,
    ]),
  ])('%s by %j', async (name, filter, index) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1, -1)}FilterInput`
    const document = `query ($filter: ${type}) { ${name}(filter: $filter) { totalCount } }`
    const scans = await scansOf(document, { filter }, /count\(\*\)/)
    expect(scans.join(', ')).toContain(index)
    expect(scans.join(', ')).not.toContain('Seq Scan')
  })

  it.each<readonly [string, string, string]>([
    ['customers', 'LAST_NAME', 'customer_last_name_idx'],
    ['customers', 'EMAIL', 'customer_account_id_address_key'],
    ...Object.entries(purchases).flatMap(([name, table]) => [
      [name, 'UPDATED_AT', `${table}_account_id_updated_at_id_idx`] as const,
      [name, name === 'invoices' ? 'AMOUNT_INCL_VAT' : 'AMOUNT', `${table}_account_id_amount`] as const,
    ]),
  ])('the pages of %s by %s', async (name, field, index) => {
    for (const direction of ['ASC', 'DESC']) {
      const page = `${name}(first: 5, orderBy: { field: ${field}, direction: ${direction} }`
      const { endCursor } = (await world.run(`{ ${page}) { pageInfo { endCursor } } }`))[name].pageInfo
      const scans = await scansOf(`{ ${page}, after: "${endCursor}") { nodes { id } } }`, {}, /ORDER BY/)
      expect(scans).toEqual([expect.stringContaining(index)])
    }
  })
})
