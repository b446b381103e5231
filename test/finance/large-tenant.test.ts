import { beforeAll, describe, expect, it } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { plansOf } from '../support/explain.ts'
import { newWorld, type World } from '../support/world.ts'

const theirs = 200_000
const own = 40

/** Inserts many orders without foreign key checks and creates their indexes at the end; otherwise it takes much longer. */
async function filled({ accountId, rows }: World): Promise<void> {
  const indexes = await rows<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'order' AND indexname <> 'order_pkey'`,
  )
  await rows(`BEGIN;
    SET LOCAL session_replication_role = replica;
    SET LOCAL statement_timeout = 0;
    ${indexes.map(({ name }) => `DROP INDEX "${name}";`).join('\n')}
    INSERT INTO customer (account_id, email, created_at)
      SELECT ${accountId}, n || '@example.com', now() FROM generate_series(1, 1000) n;
    INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
      SELECT ${accountId}, to_char(n, '0000000'), u.first + n / 201, 'shop',
        (ARRAY['COMPLETED', 'WAITING', 'CANCELLED', 'REFUNDED'])[1 + n % 4]::order_status, n % 500, 'EUR',
        now() - (${theirs} - n) * interval '150 seconds', now()
      FROM (SELECT min(id) AS first FROM customer WHERE account_id = ${accountId}) u, generate_series(1, ${theirs}) n;
    ${indexes.map(({ definition }) => `${definition};`).join('\n')}
    COMMIT`)
}

/** Inserts a few orders of a small account: completed and waiting ones in turn, of today and of last month. */
async function fewOrders(world: World): Promise<void> {
  const first = await world.order({ customer: { email: 'buyer@example.com' } })
  await world.rows(
    `INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
     SELECT $1, 'order ' || n, $2, 'shop', (CASE n % 2 WHEN 0 THEN 'COMPLETED' ELSE 'WAITING' END)::order_status, n, 'EUR',
       now() - (n % 2) * interval '31 days', now() FROM generate_series(2, $3::int) n`,
    [world.accountId, first.customer.databaseId, own],
  )
}

describe('a small account beside one with 200,000 orders', () => {
  let world: World
  let large: World
  let orderId: string
  beforeAll(async () => {
    world = await newWorld()
    await world.contact({ email: 'buyer@example.com' })
    large = await world.other()
    await filled(large)
    await fewOrders(world)
    for (const each of [world, large]) await countRows(each, ['order'])
    // The sample is the part that PostgreSQL reads of a million rows, so it may miss the small account.
    await world.rows('BEGIN; SET LOCAL default_statistics_target = 20; ANALYZE "order"; ANALYZE customer; COMMIT')
    orderId = (await world.run('{ orders(first: 1) { nodes { id } } }')).orders.nodes[0].id
  })

  it.each([
    [
      'a page of orders',
      '{ orders(first: 20) { nodes { id customer { email } lines { name } } pageInfo { endCursor } } }',
    ],
    ['the last page', '{ orders(last: 20) { nodes { id } } }'],
    ['a page far in', '{ orders(first: 5, offset: 30) { nodes { id } } }'],
    ['a count', '{ orders { totalCount } }'],
    ['a count by status', '{ orders(filter: { status: COMPLETED }) { totalCount nodes { id } } }'],
    ['a count of today', '{ orders(filter: { createdAt: { period: TODAY }, status: COMPLETED }) { totalCount } }'],
    ['orders of yesterday', '{ orders(filter: { createdAt: { period: YESTERDAY } }) { totalCount nodes { id } } }'],
    ['an order by idOrder', '{ order(ref: { idOrder: "order 7" }) { id amount { amount } } }'],
    [
      'the fields of an order',
      'query ($id: ID!) { order(ref: { id: $id }) { lines { name } transactions { totalCount } invoices { totalCount } } }',
    ],
    [
      'the orders of customers',
      '{ customers { totalCount nodes { email orders(first: 10) { totalCount nodes { id } } } } }',
    ],
    [
      'the orders of contacts',
      '{ contacts(first: 5) { nodes { orders(first: 10) { totalCount nodes { id } } subscriptionSummaries { name } } } }',
    ],
    ['the revenue of all time', '{ revenue(period: ALL) { orders amount { amount } } }'],
    ['the revenue of today', '{ revenue { orders amount { amount } } }'],
    ['the sales amount', '{ salesAmount(period: ALL) { amount } }'],
    ['the sales amount of a month', '{ salesAmount(period: LAST_30_DAYS) { amount } }'],
  ])('reads only its own rows for %s', async (_what, document) => {
    await world.run(document, { id: orderId })
    const plans = await plansOf(world.server, () => world.run(document, { id: orderId }))
    const reading = plans.filter(({ statement }) =>
      /"order"|customer|transaction|invoice|order_line|billing|figure_/.test(statement),
    )
    expect(reading.length).toBeGreaterThan(0)
    for (const { looked, scans, statement } of reading) {
      expect(looked, `${statement}\n${scans.join('\n')}`).toBeLessThanOrEqual(2 * own + 10)
    }
  })

  it('reads the waiting orders of the large account with index-only scans', async () => {
    await world.rows('VACUUM "order"')
    const plans = await plansOf(large.server, () => large.run('{ salesAmount(period: LAST_7_DAYS) { amount } }'))
    const scans = plans.flatMap((plan) => plan.scans).filter((scan) => scan.includes('order'))
    expect(scans).toEqual(['Index Only Scan order_sales_idx'])
  })
})
