import { beforeAll, describe, expect, it } from 'vitest'
import { plansOf } from '../support/explain.ts'
import { newWorld, type World } from '../support/world.ts'

const rowsOfLarge = 20_000
const rowsOfSmall = 200

let world: World

/** A small account beside one with a hundred times as many rows, so that reading a table as a whole costs more than an index. */
beforeAll(async () => {
  world = await newWorld()
  await fill(await world.other(), rowsOfLarge)
  await fill(world, rowsOfSmall)
  // Also merges the pending entries of GIN indexes, which make the planner avoid them.
  await world.rows('VACUUM ANALYZE')
}, 120_000)

async function fill({ accountId, rows }: World, count: number): Promise<void> {
  const at = "now() - n * interval '1 minute'"
  const paid = `'shop', ${at}, ${at}, n, 'EUR'`
  const document = `'{}', '[]', 0, '{"name": "Buyer"}'`
  const numbers = `generate_series(1, ${count}) n`
  const of = `FROM (SELECT min(id) AS first FROM customer WHERE account_id = ${accountId}) u, ${numbers}`
  await rows(`BEGIN;
    SET LOCAL session_replication_role = replica;
    INSERT INTO contact (account_id, email, first_name, created_at, updated_at, last_active_at)
      SELECT ${accountId}, md5(n::text) || '@example.com', md5('f' || n), ${at}, ${at}, CASE WHEN n % 2 = 0 THEN ${at} END FROM ${numbers};
    INSERT INTO customer (account_id, email, contact_id, created_at)
      SELECT account_id, email, id, created_at FROM contact WHERE account_id = ${accountId};
    INSERT INTO "order" (account_id, id_order, customer_id, status, type, created_at, updated_at, amount, currency)
      SELECT ${accountId}, md5('i' || n), u.first + n - 1, 'COMPLETED', ${paid} ${of};
    INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
      SELECT ${accountId}, id, 1, 'Bowl ' || id % 9, 1, 1, 20, 1, 0 FROM "order" WHERE account_id = ${accountId};
    INSERT INTO transaction (account_id, id_transaction, customer_id, status, type, created_at, updated_at, amount, currency)
      SELECT ${accountId}, md5('t' || n), u.first + n - 1, 'COMPLETED', ${paid} ${of};
    INSERT INTO invoice (account_id, prefix, number, customer_id, status, type, created_at, updated_at, amount, currency, amount_incl_vat,
        seller, lines, document_id, buyer)
      SELECT ${accountId}, 'F-', n, u.first + n - 1, 'PAID', ${paid}, n, ${document} ${of};
    INSERT INTO credit_note (account_id, prefix, number, customer_id, invoice_id, type, created_at, amount, currency, amount_incl_vat,
        seller, lines, document_id, buyer)
      SELECT ${accountId}, 'C-', n, u.first + n - 1, n, 'shop', ${at}, -n, 'EUR', -n, ${document} ${of};
    INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at, clicked_at)
      SELECT account_id, 1, id, 'SENT', created_at, created_at, last_active_at, last_active_at FROM contact WHERE account_id = ${accountId};
    COMMIT`)
}

/** The tables that the statements read. */
const large = /Seq Scan (contact|customer|order|order_line|transaction|invoice|credit_note|mail_recipient)\b/

/** Returns the scans of all statements that a document sends, after checking that they read the rows of the account alone. */
async function scansOf(document: string, variables: object = {}): Promise<string> {
  const plans = await plansOf(world.server, () => world.run(document, variables))
  expect(plans.length).toBeGreaterThan(0)
  for (const { statement, scans, looked } of plans) {
    expect(scans.join(', '), statement).not.toMatch(large)
    // A statement joins up to five tables, of which one has the rows twice: for a condition, and for the page.
    expect(looked, statement).toBeLessThan(6 * rowsOfSmall)
  }
  return plans.flatMap(({ scans }) => scans).join(', ')
}

const purchases = [
  { orders: { gte: 1 } },
  { orders: { eq: 0 } },
  { orders: { lt: 3 } },
  { currency: 'EUR', lifetimeValue: { gte: '100' } },
  { currency: 'EUR', lifetimeValue: { lt: '100' } },
  { firstOrderAt: { withinDays: 1 } },
  { lastOrderAt: { beforeDays: 1 } },
  { lastOrderAt: { exists: false } },
]
const activity = [
  { withinDays: 1 },
  { beforeDays: 1 },
  { gte: '2026-01-01T00:00:00Z' },
  { lt: '2026-01-01T00:00:00Z' },
  { period: 'TODAY' },
  { exists: true },
  { exists: false },
]

describe('a small account beside a large one is read by indexes', () => {
  it.each([...purchases.map((each) => ({ purchases: each })), ...activity.map((each) => ({ lastActiveAt: each }))])(
    'for contacts with %j',
    async (filter) => {
      await scansOf(
        'query ($filter: ContactFilterInput) { contacts(filter: $filter, first: 5) { totalCount nodes { id } } }',
        { filter },
      )
    },
  )

  it('for contacts in the order of their last activity', async () => {
    for (const direction of ['ASC', 'DESC'])
      await scansOf(
        `{ contacts(first: 5, orderBy: { field: LAST_ACTIVE_AT, direction: ${direction} }) { nodes { id } } }`,
      )
  })

  it('for the search of all kinds', async () => {
    const scans = await scansOf('{ search(text: "c4ca4238") { kind title } }')
    for (const index of ['contact_words_idx', 'customer_search_idx', 'order_search_idx', 'invoice_search_idx'])
      expect(scans).toContain(index)
  })

  it.each([
    ['ID', 'mail_recipient_pkey'],
    ['SENT_AT', 'mail_recipient_'],
    ['OPENED_AT', 'mail_recipient_'],
    ['CLICKED_AT', 'mail_recipient_'],
  ])('for the messages of the account in the order of %s', async (field, index) => {
    for (const direction of ['ASC', 'DESC']) {
      const page = `recipients(first: 5, orderBy: { field: ${field}, direction: ${direction} }`
      const { endCursor } = (await world.run(`{ ${page}) { pageInfo { endCursor } } }`)).recipients.pageInfo
      expect(await scansOf(`{ ${page}, after: "${endCursor}") { nodes { id } } }`)).toContain(index)
    }
  })

  it.each([
    [{ sentAt: { withinDays: 1 } }, 'mail_recipient_account_id_sent_at_idx'],
    [{ openedAt: { exists: true } }, 'mail_recipient_'],
    [{ state: ['SENT'] }, 'mail_recipient_'],
    [{ contacts: { any: [1] } }, 'mail_recipient_account_id_contact_id_'],
    [{ search: 'c4ca4238' }, 'contact_words_idx'],
  ])('for messages with %j', async (filter, index) => {
    const document = 'query ($filter: RecipientFilterInput) { recipients(filter: $filter, first: 5) { totalCount } }'
    expect(await scansOf(document, { filter })).toContain(index)
  })

  it.each([
    ['order', 'order_sales_idx'],
    ['transaction', 'transaction_account_id_created_at_id_idx'],
    ['invoice', 'invoice_account_id_created_at_id_idx'],
    ['creditNote', 'credit_note_'],
  ])('for the sums of each %s', async (name, index) => {
    const filter = `${name.charAt(0).toUpperCase()}${name.slice(1)}FilterInput`
    const document = `query ($filter: ${filter}) { ${name}Sums(filter: $filter) { count amount { amount } } }`
    const sums = (await world.run(document))[`${name}Sums`]
    expect(sums).toMatchObject([{ count: rowsOfSmall }])
    await scansOf(document)
    expect(await scansOf(document, { filter: { createdAt: { withinDays: 1 } } })).toContain(index)
  })

  it.each(['CURRENCY', 'PRODUCT', 'FUNNEL'])('for the revenue by %s', async (groupBy) => {
    const document = `{ revenueSeries(groupBy: ${groupBy}, period: LAST_7_DAYS) { label } }`
    expect(await scansOf(document)).toContain('order_')
  })
})
