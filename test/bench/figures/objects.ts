// Figures of single objects that have many rows each.
import type pg from 'pg'

/** A figure of an object: what it is of, and what is selected. */
export interface ObjectCase {
  readonly what: string
  readonly query: string
}

export const objectCases: readonly ObjectCase[] = [
  { what: 'Campaign.links', query: 'campaign(id: 1001) { links { url clicks uniqueClicks } }' },
  {
    what: 'Sequence.enrolmentCounts',
    query: 'sequence(id: 1) { enrolmentCounts { active completed } }',
  },
  { what: 'SequenceStage.waiting', query: 'sequence(id: 1) { stages { waiting } }' },
  {
    what: 'Funnel.stats, all time',
    query: 'funnel(id: 1) { stats(period: ALL) { totals { visitors views } } }',
  },
  {
    what: 'Funnel.stats, conversion, all time',
    query: 'funnel(id: 1) { stats(period: ALL) { steps { conversion { reachedNext reachedAnyLater } } } }',
  },
  {
    what: 'reached contacts of a year',
    query: 'mailReach(days: 365) { reached openers }',
  },
  {
    what: 'Contact.purchases of 100 contacts',
    query:
      'contacts(first: 100, orderBy: { direction: ASC }) { nodes { purchases { orders lifetimeValue { amount } } } }',
  },
  {
    what: 'Contact.purchases of one contact',
    query: 'contact(ref: { email: "buyer@example.com" }) { purchases { orders lifetimeValue { amount } } }',
  },
]

/**
 * Inserts a campaign, a sequence and a funnel with `rows` rows each: messages with three clicks of every fourth, enrolments,
 * visits of visitors that see three of five steps. Three quarters of the orders are of 100 contacts, the others of one. One order
 * of 25 has a refund.
 */
export async function fillObjects(client: pg.Client, accountId: number, rows: number): Promise<void> {
  await client.query('SET session_replication_role = replica')
  const at = "now() - n * interval '340 days' / $2::int"
  const statements = [
    `INSERT INTO campaign (account_id, id, name, email_id, created_at) SELECT $1, 1001, 'Large', min(id), now() FROM email WHERE account_id = $1 AND $2::int > 0`,
    `WITH sent AS (
       INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at, clicked_at)
       SELECT $1, 1001, n, 'SENT', ${at}, ${at}, CASE WHEN n % 3 = 0 THEN ${at} END, CASE WHEN n % 4 = 0 THEN ${at} END
       FROM generate_series(1, $2::int) n RETURNING id, clicked_at
     ) INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot)
       SELECT $1, clicked_at, id, 'https://a.io/' || (id + m) % 10, false FROM sent, generate_series(1, 3) m WHERE clicked_at IS NOT NULL`,
    `INSERT INTO sequence (account_id, id, name, type, created_at) SELECT $1, 1, 'Large', 'NORMAL', now() WHERE $2::int > 0`,
    `INSERT INTO sequence_stage (account_id, id, sequence_id, step, name, stage_type, time_value, time_type, created_at)
     SELECT $1, n, 1, n, 'Stage', 'ACTION', 1, 86400, now() FROM generate_series(1, 5) n WHERE $2::int > 0`,
    `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, state, end_reason)
     SELECT $1, n, 1, ${at}, '{}', CASE WHEN n % 3 = 0 THEN 1 + n % 5 END,
       (CASE n % 3 WHEN 0 THEN 'ACTIVE' WHEN 1 THEN 'ENDED' ELSE 'COMPLETED' END)::enrolment_state,
       (CASE n % 3 WHEN 1 THEN 'REMOVED' END)::enrolment_end_reason FROM generate_series(1, $2::int) n`,
    `INSERT INTO funnel (account_id, id, name, type, created_at) SELECT $1, 1, 'Large', (enum_range(NULL::funnel_type))[1], now() WHERE $2::int > 0`,
    `INSERT INTO funnel_step (account_id, id, funnel_id, form_id, position, name, path, type, created_at, updated_at)
     SELECT $1, n, 1, n, n, 'Step', n::text, 20, now(), now() FROM generate_series(1, 5) n WHERE $2::int > 0`,
    `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, attribution)
     SELECT $1, ${at}, 1, 1 + n % 5, md5((n / 3)::text)::uuid::text, '{"utm_source": "news"}' FROM generate_series(1, $2::int) n`,
    `INSERT INTO contact (account_id, email, created_at, updated_at) SELECT $1, 'buyer@example.com', now(), now() WHERE $2::int > 0`,
    `WITH buyer AS (
       INSERT INTO customer (account_id, email, contact_id, created_at)
       (SELECT $1::int, id || '@example.com', id, now() FROM contact WHERE account_id = $1 ORDER BY created_at, id LIMIT 100)
       UNION ALL SELECT $1, email, id, now() FROM contact WHERE account_id = $1 AND email = 'buyer@example.com'
       RETURNING id, email
     ), numbered AS (SELECT id, email, row_number() OVER (ORDER BY id) AS place FROM buyer WHERE email <> 'buyer@example.com'
     ), sold AS (
       INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
       SELECT $1, 'large-' || n, coalesce(b.id, (SELECT id FROM buyer WHERE email = 'buyer@example.com')), 'shop', 'COMPLETED', 10 + n % 90, 'EUR', ${at}, now()
       FROM generate_series(1, $2::int) n LEFT JOIN numbered b ON n % 4 > 0 AND b.place = 1 + n % 100
       RETURNING id, customer_id, amount
     ) INSERT INTO transaction (account_id, id_transaction, customer_id, order_id, status, type, amount, currency, created_at, updated_at)
       SELECT $1, id || '-' || m, customer_id, id, (CASE m WHEN 1 THEN 'COMPLETED' ELSE 'REFUNDED' END)::transaction_status, 'card',
         CASE m WHEN 1 THEN amount ELSE 1 END, 'EUR', now(), now() FROM sold, generate_series(1, 2) m WHERE m = 1 OR id % 25 = 0`,
  ]
  for (const statement of statements) await client.query(statement, [accountId, rows])
  await client.query('RESET session_replication_role')
}
