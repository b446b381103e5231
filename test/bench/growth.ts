// node test/bench/growth.ts [rows]    prints the bytes of a row with its indexes, and those of the indexes, by table
import pg from 'pg'
import { contactsPerAccount, fillDatabase } from './database.ts'

const [size = 50_000] = process.argv.slice(2).map(Number)

/** Contact of a row: each in turn, in no order, as in a running system. */
const person = `1 + (i::bigint * 7919) % ${2 * contactsPerAccount}`
const at = "timestamptz '2026-01-01' + i * interval '20 seconds'"
const attribution = `jsonb_build_object('utm_source', 'newsletter', 'utm_campaign', 'spring ' || i % 50, 'referrer', 'https://example.com/')`
const event = `jsonb_build_object('contactId', ${person}, 'campaignId', 1 + i / 10000, 'stageId', null)`
const buyer = `jsonb_build_object('name', 'Grace Hopper', 'email', 'grace' || i || '@example.com', 'address', '1 Main Street, Paris')`
const figure = "'Campaign:' || 1 + i / 2000"

/** Columns and values of a usual row `i` of the measured account. Columns that are absent are null or have their default. */
const rowsOf: Record<string, Record<string, string>> = {
  contact_consent: { contact_id: person, kind: "'GDPR'", granted: 'true', source: "'form 12'", created_at: at },
  contact_change: {
    ...{ contact_id: person, created_at: at, kind: "'FIELD'", actor: "'API_KEY'", actor_id: '1' },
    ...{ field: "'firstName'", old_value: "'Ada'", new_value: "'Grace'" },
  },
  contact_claim: { contact_id: person, visitor_id: 'md5(i::text)', submission_id: 'i' },
  topic_membership: { contact_id: 'i', topic_id: '1 + i % 5', state: "'LEFT'", changed_at: at },
  contact_preference: { contact_id: 'i', frequency: "'WEEKLY'", updated_at: at },
  unsubscribe_answer: {
    recipient_id: 'i',
    contact_id: person,
    campaign_id: '1 + i / 10000',
    reason: "'OTHER'",
    created_at: at,
  },
  contact_merge: { contact_id: 'i', into_id: person, created_at: at },
  suppression: {
    email: "'gone' || i || '@example.com'",
    reason: "'BOUNCE'",
    detail: "'550 5.1.1 unknown user'",
    created_at: at,
  },
  failing_address: {
    email: "'full' || i || '@example.com'",
    failures: '2',
    first_failed_at: at,
    last_failed_at: at,
    recipient_id: 'i',
  },
  sender_problem: {
    ...{
      domain: "'mx' || i || '.example.com'",
      cause: "'POLICY'",
      failures: '3',
      detail: "'550 5.7.1 refused by policy'",
    },
    ...{ first_at: at, last_at: at },
  },
  suppression_hash: { hash: 'sha256(i::text::bytea)', created_at: at },
  customer: {
    email: "'buyer' || i || '@example.com'",
    first_name: "'Ada'",
    last_name: "'Lovelace'",
    address: "'1 Main Street, Paris'",
    contact_id: person,
    created_at: at,
  },
  mail_recipient: {
    campaign_id: '1 + i / 10000',
    contact_id: person,
    state: "'SENT'",
    created_at: at,
    sent_at: at,
    answer: "'250 2.0.0 Ok: queued as 4F1A2B'",
    email_id: '1',
    // One of twenty fails.
    failed_at: `CASE WHEN i % 20 = 0 THEN ${at} END`,
    failure_cause: "CASE WHEN i % 20 = 0 THEN 'ADDRESS_UNKNOWN' END::failure_cause",
  },
  mail_open: { created_at: at, recipient_id: 'i', is_bot: 'false', contact_id: person },
  mail_click: {
    created_at: at,
    recipient_id: 'i',
    url: "'https://shop.example.com/products/' || i % 100",
    is_bot: 'false',
    contact_id: person,
  },
  enrolment: {
    contact_id: person,
    sequence_id: '1 + i % 20',
    state: "'COMPLETED'",
    enrolled_at: at,
    done_stage_ids: "'{1,2,3}'",
    last_stage_id: '3',
    last_done_at: at,
    ended_at: at,
  },
  visit: { created_at: at, funnel_id: '1', step_id: '1 + i % 5', visitor_id: 'md5((i / 3)::text)', attribution },
  visitor: { id: 'md5(i::text)', first_touch: attribution, first_at: at, last_touch: attribution, last_at: at },
  confirmation: {
    submission_id: 'i',
    form_id: '1 + i % 20',
    contact_id: person,
    source: "'form 12'",
    text: "'I want to receive e-mails'",
    asked_at: at,
    sent_at: at,
  },
  submission: {
    form_id: '1 + i % 10',
    contact_id: person,
    client_submission_id: 'gen_random_uuid()',
    status: "'COMPLETED'",
    bucket: "'HOT'",
    attribution,
    started_at: at,
    completed_at: at,
    created_at: at,
    updated_at: at,
  },
  answer: {
    submission_id: '1 + i / 5',
    question_id: '1 + i % 5',
    version: '1',
    values: "ARRAY['option ' || i % 4]",
    search: "' option ' || i % 4",
    score: '1',
    created_at: at,
    updated_at: at,
  },
  order: {
    id_order: "'order-' || i",
    customer_id: person,
    type: "'shop'",
    status: "'COMPLETED'",
    amount: '12',
    currency: "'EUR'",
    attribution,
    created_at: at,
    updated_at: at,
    completed_at: at,
  },
  order_line: {
    order_id: 'i',
    position: '0',
    name: "'Bowl of a usual name'",
    quantity: '1',
    unit_price: '10',
    vat_rate: '20',
    amount: '12',
    vat: '2',
  },
  transaction: {
    id_transaction: "'payment-' || i",
    customer_id: person,
    order_id: 'i',
    status: "'COMPLETED'",
    type: "'card'",
    amount: '12',
    currency: "'EUR'",
    created_at: at,
    updated_at: at,
  },
  invoice: {
    prefix: "'A'",
    number: 'i',
    customer_id: person,
    order_id: 'i',
    status: "'PAID'",
    type: "'shop'",
    amount: '10',
    amount_incl_vat: '12',
    currency: "'EUR'",
    seller: buyer,
    buyer,
    lines: `jsonb_build_array(${buyer})`,
    document_id: 'i',
    created_at: at,
    updated_at: at,
  },
  credit_note: {
    prefix: "'C'",
    number: 'i',
    customer_id: person,
    order_id: 'i',
    invoice_id: 'i',
    type: "'shop'",
    amount: '-10',
    amount_incl_vat: '-12',
    currency: "'EUR'",
    seller: buyer,
    buyer,
    lines: `jsonb_build_array(${buyer})`,
    document_id: 'i',
    created_at: at,
  },
  billing_subscription: {
    id_subscription: "'sub_' || i",
    customer_id: person,
    status: "'ACTIVE'",
    name: "'Monthly bowl'",
    amount: '9',
    currency: "'EUR'",
    payment_source: "'card'",
    rate_months: '1',
    created_at: at,
    updated_at: at,
  },
  used_report: { hash: 'sha256(i::text::bytea)', used_at: at },
  figure_delta: { figure: "'EMAILS_SENT'", object: figure, currency: "''", at, value: '10' },
  figure_part_delta: {
    figure: "'CLICKS'",
    object: figure,
    at,
    part: "'https://shop.example.com/products/' || i % 100",
    value: '10',
  },
  provider_event: {
    provider: "'stripe'",
    event_id: "'evt_' || md5(i::text)",
    input_hash: 'md5(i::text)',
    result: `'{"orderId": 1}'`,
    created_at: at,
  },
  figure_total: { figure: "'EMAILS_SENT'", object: figure, currency: "''", minutes: '15', at, value: '10' },
  figure_part_total: {
    figure: "'CLICKS'",
    object: figure,
    minutes: '15',
    at,
    hash: 'md5(i::text)::uuid',
    part: "'https://shop.example.com/products/' || i % 100",
    value: '10',
  },
  outbox_event: { created_at: at, type: "'email.sent'", data: event, position: 'i' },
  parked_event: {
    reader: "'reaction one'",
    position: 'i',
    id: 'i',
    type: "'email.sent'",
    data: event,
    created_at: at,
    attempts: '1',
    error: "'an error'",
    due_at: at,
  },
  webhook_delivery: {
    webhook_id: '1',
    event_id: 'i',
    position: 'i',
    message_id: "'msg_' || md5(i::text)",
    type: "'email.sent'",
    data: event,
    occurred_at: at,
    body: `${event}::text || repeat(' ', 200)`,
    state: "'DELIVERED'",
    attempts: '1',
    due_at: at,
    response_status: '200',
    created_at: at,
    delivered_at: at,
  },
  audit_entry: {
    action: "'contactUpdate'",
    key_id: '1',
    address: "'192.0.2.1'",
    objects: `ARRAY['Contact:' || ${person}]`,
    fields: `'{firstName,city}'`,
    created_at: at,
  },
  idempotency_key: {
    key: 'gen_random_uuid()',
    field: "'contactCreate'",
    input_hash: 'md5(i::text)',
    result: `jsonb_build_object('contact', ${person})`,
    created_at: at,
  },
  contact_import_error: {
    import_id: '1',
    line: 'i',
    '"column"': "'email'",
    message: "'must be a valid e-mail address.'",
  },
  bulk_job_error: { job_id: '1', contact_id: 'i', code: "'NOT_FOUND'", message: "'The contact does not exist.'" },
  media: {
    name: "'picture ' || i || '.jpg'",
    content_type: "'JPEG'",
    hash: "encode(sha256(i::text::bytea), 'hex')",
    ...{ bytes: '80000', width: '1600', height: '900', is_animated: 'false', created_at: at, updated_at: at },
  },
  media_use: { media_id: 'i', email_id: 'i' },
  email_template: {
    name: "'Template ' || i",
    content: `'{"version": 1, "sections": []}'`,
    ...{ created_at: at, updated_at: at },
  },
  template_block_use: { template_id: 'i', reusable_block_id: 'i' },
  reusable_block: {
    name: "'Block ' || i",
    content: `'[{"type": "divider"}]'`,
    ...{ created_at: at, updated_at: at },
  },
  reusable_block_use: { email_id: 'i', reusable_block_id: 'i' },
  media_upload: { name: "'picture ' || i || '.jpg'", alternative_text: "''", expires_at: at },
  media_removal: { object_key: "'1/' || encode(sha256(i::text::bytea), 'hex') || '-0123456789abcdef01'", due_at: at },
  session: {
    user_id: '1 + i % 1000',
    hash: 'md5(i::text)',
    address: "'192.0.2.1'",
    user_agent: "'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'",
    created_at: at,
    used_at: at,
  },
}

const { url, accountId, drop } = await fillDatabase()
const client = new pg.Client({ connectionString: url })
try {
  await client.connect()
  await client.query('SET session_replication_role = replica')
  for (const [table, columns] of Object.entries(rowsOf)) {
    const row = table === 'used_report' ? columns : { account_id: String(accountId), ...columns }
    await client.query(
      `INSERT INTO ${pg.escapeIdentifier(table)} (${Object.keys(row).join(', ')})
       SELECT ${Object.values(row).join(', ')} FROM generate_series(1, ${size}) AS i`,
    )
  }
  await client.query('VACUUM ANALYZE')
  const { rows } = await client.query<{ table: string; bytes: number; indexes: number }>(
    `SELECT root::text AS "table", round(sum(pg_total_relation_size(part)) / sum(reltuples))::int AS bytes,
       round(sum(pg_indexes_size(part)) / sum(reltuples))::int AS indexes
     FROM (SELECT coalesce(pg_partition_root(oid), oid)::regclass AS root, oid AS part, reltuples FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples >= ${size}) t GROUP BY 1 ORDER BY 1`,
  )
  console.table(rows)
} finally {
  await client.end()
  await drop()
}
