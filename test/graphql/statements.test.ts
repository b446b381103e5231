import { beforeAll, describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/account/index.ts'
import { currencies } from '../../src/kernel/values/currencies.ts'
import { until } from '../runtime/process.ts'
import { countRows } from '../support/count-rows.ts'
import { newServer, type Server } from '../support/server.ts'
import { asUser, signIn } from '../support/session.ts'
import { type AskOptions, newWorld, type World } from '../support/world.ts'
import { listPaths } from './list-paths.ts'
import { documentOf, globalIds, itemsOf, listFields, tables } from './lists.ts'
import { links } from './parents.ts'

const sizes = [2, 20] as const

/** Creates an account with this number of objects of each type, linked to each other. */
async function newFilledWorld(server: Server, count: number): Promise<World> {
  const world = await newWorld({ server })
  const { accountId, rows } = world
  const sql = (text: string) => rows(text, [accountId, count])
  await sql(`INSERT INTO contact (account_id, email, created_at, updated_at)
    SELECT $1, n || '@example.com', now(), now() FROM generate_series(1, $2::int) n`)
  await sql(
    `INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, $2::int) n`,
  )
  await sql(
    `INSERT INTO segment (account_id, name, filter, created_at, updated_at)
     SELECT account_id, name, jsonb_build_object('tags', jsonb_build_object('any', jsonb_build_array(id::text))), now(), now()
     FROM tag WHERE account_id = $1 AND $2::int > 0`,
  )
  await sql(`INSERT INTO custom_field (account_id, name, type, "values", created_at)
    SELECT $1, 'field ' || n, 'SELECT', ARRAY['a', 'b'], now() FROM generate_series(1, $2::int) n`)
  await rows(
    'INSERT INTO contact_tag SELECT c.account_id, c.id, t.id, now() FROM contact c JOIN tag t USING (account_id) WHERE c.account_id = $1',
    [accountId],
  )
  await rows(
    "INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, updated_at) SELECT c.account_id, c.id, f.id, 'a', now() FROM contact c JOIN custom_field f USING (account_id) WHERE c.account_id = $1",
    [accountId],
  )
  await rows(
    `INSERT INTO contact_consent (account_id, contact_id, kind, granted, source, created_at)
     SELECT account_id, id, 'GDPR', n % 2 = 0, 'api', now() FROM contact, generate_series(1, 5) n WHERE account_id = $1`,
    [accountId],
  )
  await fillMail(world, count)
  await fillFinance(world)
  await fillForms(world)
  await fillFunnels(world)
  await fillWebhooks(world, count)
  await fillImports(world, count)
  await fillBulkJobs(world, count)
  await sql(`INSERT INTO "user" (account_id, email, role, created_at)
    SELECT account_id, email, 'EDITOR', now() FROM contact WHERE account_id = $1 AND $2::int > 0`)
  await sql(`INSERT INTO audit_entry (account_id, action, key_id, user_id, address, objects, fields, created_at)
    SELECT $1, 'contactUpdate', (SELECT id FROM api_key WHERE account_id = $1),
      (SELECT id FROM "user" u WHERE u.account_id = $1 AND u.email = contact.email), '127.0.0.1',
      ARRAY[translate(encode(('Contact:' || id)::bytea, 'base64'), '+/=', '-_')], ARRAY['email'], now()
    FROM contact WHERE account_id = $1 AND $2::int > 0`)
  await sql(`INSERT INTO outbox_event (account_id, type, data, created_at)
    SELECT $1, 'contact.created', jsonb_build_object('contactId', id), now() FROM contact WHERE account_id = $1 AND $2::int > 0`)
  await until(async () => (await world.run('{ events(first: 100) { nodes { name } } }')).events.nodes.length >= count)
  for (let made = 1; made < count; made += 1) {
    await apiKeys.create(server.system, { accountId, scopes: ['contacts:read', 'account:read', 'mail:read'] })
  }
  await countRows(world, ['submission_parts', 'mail_click_parts'])
  return world
}

/** Returns the options of a request that reads a list: with the main key, one with scopes, or of a user with sessions. */
async function callerOf(field: string, world: World, count: number): Promise<AskOptions> {
  if (field === 'Viewer.scopes') return { key: await world.key({ scopes: ['contacts:read', 'mail:read'] }) }
  if (field !== 'User.sessions') return {}
  const user = await signIn(world, 'OWNER')
  await world.rows(
    `INSERT INTO session (account_id, user_id, hash, address, user_agent, created_at, used_at)
     SELECT $1, $2::int, 'hash ' || $2::int || ' ' || n, '', '', now(), now() FROM generate_series(2, $3::int) n`,
    [world.accountId, user.id, count],
  )
  return asUser(user)
}

/** Creates this number of imports, each with a column and as many errors. */
async function fillImports({ accountId, rows }: World, count: number): Promise<void> {
  await rows(
    `INSERT INTO contact_import (account_id, file_name, status, options, columns, error_groups, created_at)
     SELECT f.account_id, 'file.csv', 'COMPLETED', '{}',
       jsonb_build_array(jsonb_build_object('column', 'Size', 'field', 'CUSTOM_FIELD', 'customFieldId', f.id)),
       '[{"severity": "ERROR", "code": "INVALID_VALUE", "column": "Size", "message": "is wrong", "count": 2, "lines": [2, 3]}]',
       now()
     FROM custom_field f WHERE f.account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO contact_import_error (account_id, import_id, line, "column", message)
     SELECT i.account_id, i.id, n, 'Size', 'is wrong' FROM contact_import i, generate_series(1, $2::int) n
     WHERE i.account_id = $1`,
    [accountId, count],
  )
}

/** Creates this number of bulk jobs with as many errors each. */
async function fillBulkJobs({ accountId, rows }: World, count: number): Promise<void> {
  await rows(
    `INSERT INTO bulk_job (account_id, status, action, options, created_at, selected_at)
     SELECT $1, 'COMPLETED', 'DELETE', '{}', now(), now() FROM generate_series(1, $2::int)`,
    [accountId, count],
  )
  await rows(
    `INSERT INTO bulk_job_error (account_id, job_id, contact_id, code, message)
     SELECT b.account_id, b.id, c.id, 'CONTACT_KEPT', 'was kept' FROM bulk_job b
     CROSS JOIN LATERAL (SELECT id FROM contact WHERE account_id = $1 ORDER BY id LIMIT $2::int) c WHERE b.account_id = $1`,
    [accountId, count],
  )
}

/** Creates this number of webhooks with as many deliveries each. */
async function fillWebhooks({ accountId, rows }: World, count: number): Promise<void> {
  await rows(
    `INSERT INTO webhook (account_id, url, events, scopes, secret, created_at, updated_at)
     SELECT $1, 'https://hook.invalid/' || n, '{contact.created}', '{full_access}', 'whsec_', now(), now() FROM generate_series(1, $2::int) n`,
    [accountId, count],
  )
  await rows(
    `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, message_id, type, data, occurred_at, due_at, attempts, created_at)
     SELECT account_id, id, n, 'msg_' || n, 'contact.created', '{}', now(), now(), 1, now()
     FROM webhook, generate_series(1, $2::int) n WHERE account_id = $1`,
    [accountId, count],
  )
}

/**
 * Creates this number of sequences with stages, and of campaigns. All contacts are in all sequences and got messages
 * from each.
 */
async function fillMail({ accountId, rows }: World, count: number): Promise<void> {
  const sql = (text: string) => rows(text, [accountId])
  /** Returns the rows of a table, numbered by `n` from 1. */
  const numbered = (table: string) =>
    `(SELECT x.*, row_number() OVER (ORDER BY id) AS n FROM ${table} x WHERE account_id = $1)`
  await rows(
    `INSERT INTO document (account_id, token, name, content_type, body, created_at)
     SELECT $1::int, $1 || '-' || n, 'body', 'text/html', convert_to('body ' || n, 'UTF8'), now()
     FROM generate_series(1, $2::int) n`,
    [accountId, count],
  )
  await sql(`INSERT INTO email (account_id, subject, from_email, html_document_id, text_document_id, created_at, updated_at)
    SELECT account_id, 'subject ' || n, 'ada@example.com', id, id, now(), now() FROM ${numbered('document')} d`)
  await sql(`INSERT INTO sequence (account_id, name, type, created_at)
    SELECT account_id, 'sequence ' || n, 'NORMAL', now() FROM ${numbered('tag')} t`)
  await sql(`INSERT INTO sequence_stage (account_id, sequence_id, step, name, stage_type, time_value, time_type, active,
      email_id, action, created_at)
    SELECT s.account_id, s.id, o.n, 'stage ' || o.n, (CASE o.n % 2 WHEN 0 THEN 'ACTION' ELSE 'SEND_EMAIL' END)::stage_type, 1,
      86400, true, CASE o.n % 2 WHEN 1 THEN m.id END,
      CASE WHEN o.n % 2 = 1 THEN NULL WHEN s.id % 2 = 0 THEN jsonb_build_object('kind', 'ADD_TAG', 'tagId', t.id)
        ELSE jsonb_build_object('kind', 'ENROL', 'sequenceId', o.id) END, now()
    FROM sequence s JOIN ${numbered('sequence')} o USING (account_id)
    JOIN ${numbered('email')} m ON m.n = o.n JOIN ${numbered('tag')} t ON t.n = o.n
    WHERE s.account_id = $1 AND o.n <= 10`)
  await sql(`INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, last_stage_id, next_stage_id)
    SELECT c.account_id, c.id, s.id, now(), '{}', g.first, g.last FROM contact c JOIN sequence s USING (account_id)
    JOIN (SELECT sequence_id, min(id) AS first, max(id) AS last FROM sequence_stage GROUP BY 1) g ON g.sequence_id = s.id
    WHERE c.account_id = $1`)
  // Each audience is different and has an ID in every list. The excluded IDs match no contact.
  await sql(`INSERT INTO campaign (account_id, name, email_id, status, scheduled_for, created_at, filters)
    SELECT m.account_id, 'campaign ' || m.n, m.id, 'DRAFT', now(), now(),
      '{"excludeTagIds": [0], "excludeSequenceIds": [0], "excludeOpenedIds": [0], "excludeNotOpenedIds": [0],
        "excludeClickedIds": [0], "excludeNotClickedIds": [0], "includeOpenedIds": [0], "includeNotOpenedIds": [0],
        "includeClickedIds": [0], "includeNotClickedIds": [0]}'::jsonb
      || jsonb_build_object('match', 'ANY', 'includeTagIds', jsonb_build_array(t.id), 'includeSequenceIds', jsonb_build_array(s.id))
    FROM ${numbered('email')} m JOIN ${numbered('tag')} t ON t.n = m.n JOIN ${numbered('sequence')} s ON s.n = m.n`)
  await sql(`INSERT INTO mail_recipient (account_id, contact_id, state, created_at, failed_at, failure_cause)
    SELECT $1, 2000000000, 'BOUNCED', now(), now(), cause FROM unnest('{ADDRESS_UNKNOWN,MAILBOX_DISABLED}'::failure_cause[]) cause`)
  await sql(`INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, state, created_at, sent_at)
    SELECT account_id, sequence_id, next_stage_id, id, contact_id, 'SENT', now(), now() FROM enrolment WHERE account_id = $1`)
  await sql(`INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at)
    SELECT c.account_id, k.id, c.id, 'SENT', now(), now(), now() FROM contact c JOIN campaign k USING (account_id)
    WHERE c.account_id = $1`)
  await sql('UPDATE mail_recipient SET clicked_at = sent_at WHERE account_id = $1')
  await sql(`INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot)
    SELECT account_id, sent_at, id, 'https://example.com/', false FROM mail_recipient WHERE account_id = $1 AND sent_at IS NOT NULL`)
  await rows(
    `INSERT INTO suppression (account_id, email, reason, created_at)
     SELECT $1::int, n || '@example.com', 'MANUAL', now() FROM generate_series(1, $2::int) n`,
    [accountId, count],
  )
  await rows(
    `INSERT INTO sender_problem (account_id, domain, cause, failures, detail, first_at, last_at)
     SELECT $1::int, n || '.example.com', 'POLICY', 1, '', now(), now() FROM generate_series(1, $2::int) n`,
    [accountId, count],
  )
  await rows(
    `INSERT INTO dkim_key (account_id, domain, selector, private_key, public_key, created_at)
     SELECT $1::int, n || '.example.com', 's', '', '', now() FROM generate_series(1, $2::int) n`,
    [accountId, count],
  )
  await sql(`INSERT INTO sender_domain (account_id, domain, token, created_at)
    SELECT account_id, domain, 'token', now() FROM dkim_key WHERE account_id = $1`)
}

/**
 * Creates this number of customers, each with its contact and the objects of a sale; the orders have as many
 * currencies.
 */
async function fillFinance(world: World): Promise<void> {
  const { accountId, rows } = world
  const sql = (text: string) => rows(text, [accountId])
  const codes = currencies.map((code) => `'${code}'`).join(', ')
  await sql(`INSERT INTO customer (account_id, email, contact_id, created_at)
    SELECT account_id, email, id, now() FROM contact WHERE account_id = $1`)
  await sql(`INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, attribution, created_at, updated_at)
    SELECT account_id, 'order ' || id, id, 'shop', 'COMPLETED', 12, (ARRAY[${codes}])[1 + n % ${currencies.length}],
      '{"utm_source": "spring"}', now(), now()
    FROM (SELECT u.*, row_number() OVER (ORDER BY id) AS n FROM customer u WHERE account_id = $1) u`)
  await countRows(world, ['order'])
  await sql(`INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
    SELECT account_id, id, n, 'line ' || n, 1, 5, 20, 5, 1 FROM "order", generate_series(1, 2) n WHERE account_id = $1`)
  const parts = `'{}'::jsonb, '{}'::jsonb,
    '[{"name": "line", "quantity": 1, "unitPrice": "10", "vatRate": "20", "amount": "10", "vat": "2"}]'::jsonb`
  await sql(`INSERT INTO invoice (account_id, prefix, number, customer_id, order_id, status, type, amount, amount_incl_vat,
      currency, seller, buyer, lines, document_id, created_at, updated_at)
    SELECT o.account_id, 'INV-', o.id, o.customer_id, o.id, 'PAYMENT_DUE', 'one_time', 10, 12, o.currency, ${parts}, d.id, now(), now()
    FROM "order" o JOIN (SELECT min(id) AS id FROM document WHERE account_id = $1) d ON true WHERE o.account_id = $1`)
  await sql(`INSERT INTO credit_note (account_id, prefix, number, customer_id, order_id, invoice_id, type, amount,
      amount_incl_vat, currency, seller, buyer, lines, document_id, created_at)
    SELECT account_id, 'CN-', number, customer_id, order_id, id, type, -5, -6, currency, ${parts}, document_id, now()
    FROM invoice WHERE account_id = $1`)
  await sql(`INSERT INTO billing_subscription (account_id, id_subscription, customer_id, status, name, amount, currency,
      payment_source, rate_months, created_at, updated_at)
    SELECT account_id, 'plan ' || id, id, 'ACTIVE', 'plan', 9, 'EUR', 'card', 1, now(), now() FROM customer WHERE account_id = $1`)
  await sql(`INSERT INTO transaction (account_id, id_transaction, customer_id, order_id, invoice_id, subscription_id, status,
      type, amount, currency, created_at, updated_at)
    SELECT i.account_id, 'payment ' || i.id, i.customer_id, i.order_id, i.id, b.id, 'WAITING', 'one_time', 12, i.currency, now(), now()
    FROM invoice i JOIN billing_subscription b ON b.account_id = i.account_id AND b.customer_id = i.customer_id
    WHERE i.account_id = $1`)
}

/** Creates this number of forms, each with two questions and two outcomes, and a submission by one contact each. */
async function fillForms({ accountId, rows }: World): Promise<void> {
  const sql = (text: string) => rows(text, [accountId])
  await sql(`INSERT INTO form (account_id, type, name, status, warm_from, hot_from, created_at, updated_at, published_at)
    SELECT account_id, 'QUIZ', 'form ' || id, 'PUBLISHED', 1, 10, now(), now(), now() FROM tag WHERE account_id = $1`)
  await sql(`INSERT INTO question (account_id, form_id, position, version, created_at)
    SELECT account_id, id, n, 1, now() FROM form, generate_series(1, 2) n WHERE account_id = $1`)
  await sql(`INSERT INTO question_version (account_id, question_id, version, label, type, required, options, points,
      custom_field_id, created_at)
    SELECT q.account_id, q.id, 1, 'question ' || q.id, 'SINGLE_CHOICE', false, '["a", "b"]', '[{"answer": "a", "points": "1"}]',
      (SELECT min(id) FROM custom_field WHERE account_id = $1), now() FROM question q WHERE q.account_id = $1`)
  await sql(`INSERT INTO outcome (account_id, form_id, position, key, title, bucket)
    SELECT account_id, id, n, 'end-' || n, 'end', 'COLD' FROM form, generate_series(1, 2) n WHERE account_id = $1`)
  await sql(`INSERT INTO submission (account_id, form_id, contact_id, status, bucket, attribution, first_attribution, typed,
      started_at, created_at, updated_at)
    SELECT f.account_id, f.id, c.id, 'COMPLETED', 'COLD', '{"utm_source": "news"}', '{"utm_source": "ads"}', '{"firstName": "Ada"}', now(), now(), now()
    FROM (SELECT x.*, row_number() OVER (ORDER BY id) AS n FROM form x WHERE account_id = $1) f
    JOIN (SELECT x.*, row_number() OVER (ORDER BY id) AS n FROM contact x WHERE account_id = $1) c USING (n)`)
  await sql(`INSERT INTO answer (account_id, submission_id, question_id, version, "values", search, score, created_at, updated_at)
    SELECT s.account_id, s.id, q.id, 1, ARRAY['a'], 'a', 1, now(), now()
    FROM submission s JOIN question q USING (account_id, form_id) WHERE s.account_id = $1`)
}

/**
 * Creates this number of funnels, each with a step that has its own form, tag and sequence, two versions, a visit and
 * an order.
 */
async function fillFunnels({ accountId, rows }: World): Promise<void> {
  const sql = (text: string) => rows(text, [accountId])
  const numbered = (table: string) =>
    `(SELECT x.*, row_number() OVER (ORDER BY id) AS n FROM ${table} x WHERE account_id = $1)`
  await sql(`INSERT INTO funnel (account_id, name, type, created_at)
    SELECT account_id, 'funnel ' || n, 'LEAD', now() FROM ${numbered('form')} f`)
  await sql(`INSERT INTO funnel_step (account_id, funnel_id, form_id, position, name, path, type, published_version, tag_ids,
      sequence_ids, created_at, updated_at)
    SELECT f.account_id, u.id, f.id, 1, 'step ' || f.n, 'step', 1, 2, ARRAY[t.id], ARRAY[s.id], now(), now()
    FROM ${numbered('form')} f JOIN ${numbered('funnel')} u USING (n) JOIN ${numbered('tag')} t USING (n)
    JOIN ${numbered('sequence')} s USING (n)`)
  await sql(`INSERT INTO step_version (account_id, step_id, version, content, created_at)
    SELECT account_id, id, n, jsonb_build_object('version', n), now() FROM funnel_step, generate_series(1, 2) n WHERE account_id = $1`)
  await sql(`INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, attribution)
    SELECT account_id, now(), funnel_id, id, 'ada', jsonb_build_object('utm_source', name) FROM funnel_step WHERE account_id = $1`)
  await sql(`UPDATE "order" SET step_id = p.id FROM ${numbered('funnel_step')} p JOIN ${numbered('"order"')} o USING (n)
    WHERE "order".account_id = $1 AND "order".id = o.id`)
}

/** Lists that need more statements than others: one or two per type, and one per rule of a check. */
const maxStatements: Readonly<Record<string, number>> = {
  'Query.nodes': 2 * Object.keys(tables).length,
  // One for each kind.
  'Query.search': 9,
  'CampaignCheck.findings': 8,
}

const worlds = new Map<number, World>()
beforeAll(async () => {
  const server = await newServer({ COST_LIMIT_PER_MINUTE: '1000000000' })
  for (const size of sizes) worlds.set(size, await newFilledWorld(server, size))
})

describe('every list field of the schema', () => {
  it('has a query in this test, so that its statements are counted', () => {
    expect(Object.keys(listPaths).sort()).toEqual(listFields().sort())
  })

  // Lists that have few elements, whatever the number of rows.
  const isShort = (field: string) => ['Viewer.scopes', 'Deliverability.bounces', 'Query.search'].includes(field)

  it.each(Object.entries(listPaths))('%s runs as many statements for 20 rows as for 2', async (field, steps) => {
    const counts: number[] = []
    for (const [size, world] of worlds) {
      const ids = await globalIds(world, size)
      const caller = await callerOf(field, world, size)
      const ask = () => world.run(documentOf(steps), { n: size, ids }, caller)
      // The first request also reads the key and the types.
      expect(itemsOf(await ask(), steps).length).toBeGreaterThanOrEqual(isShort(field) ? 2 : size)
      counts.push(await world.statements(ask))
    }
    expect(counts[0]).toBeLessThanOrEqual(maxStatements[field] ?? 7)
    expect(counts[1]).toBe(counts[0])
  })

  // Depending on which of two lists is loaded first, the rows of the other are loaded already. The maximum is one
  // statement for each place in the document.
  it.each([
    [
      13,
      `query ($n: Int) {
        contacts(first: $n) { totalCount nodes { account { name } tags { name } customFields { label customField { name } }
          more: consents(last: 1) { nodes { kind } } consents(first: 2) { totalCount nodes { kind } } } }
        tags(first: 10) { nodes { contacts(first: 2) { totalCount nodes { email tags { name } } } } } }`,
    ],
    [
      18,
      `query ($n: Int) {
        campaigns(first: $n) { totalCount nodes {
          audience { total contacts(first: 2) { totalCount nodes { email sequences { name } } } }
          recipients(first: 2) { totalCount nodes { contact { email tags { name } } } } } }
        sequences(first: 10) { nodes { audience { total } stages { email { subject } }
          enrolments(first: 2) { totalCount nodes { contact { email } nextStage { name } } } } } }`,
    ],
  ])('run at most %i statements within lists, and if one document selects them twice', async (most, document) => {
    for (const [size, world] of worlds) {
      await world.run(document, { n: size })
      expect(await world.statements(() => world.run(document, { n: size }))).toBeLessThanOrEqual(most)
    }
  })

  it('returns only rows of the account', async () => {
    const empty = await newWorld()
    const { id } = await (worlds.get(2) as World).tag()
    for (const [field, steps] of Object.entries(listPaths)) {
      const found = itemsOf(await empty.run(documentOf(steps), { n: 20, ids: [id] }), steps).filter(Boolean)
      // A new account has only its own key.
      const own = /^ApiKeyConnection\.|^Query\.apiKeys$/.test(field) ? 1 : 0
      expect(found, field).toHaveLength(own)
    }
  })
})

/** Numbers of parents of a field. */
const parents = [2, 20] as const

describe('every field with objects', () => {
  it.each(links())('$field runs as many statements for 20 parents as for 2', async ({ query }) => {
    const counts: number[] = []
    for (const [index, world] of [...worlds.values()].entries()) {
      const ask = () =>
        world.run(query.includes('$n') ? `query ($n: Int!) { ${query} }` : `{ ${query} }`, { n: parents[index] })
      await ask()
      counts.push(await world.statements(ask))
    }
    expect(counts[1]).toBe(counts[0])
  })
})

describe('a list that a document selects several times', () => {
  it.each([
    ['tagCreate(input: { name: "new" }) { tag { id } }', 'tags { nodes { name } }', { nodes: [{ name: 'new' }] }],
    ['tagCreate(input: { name: "new" }) { tag { id } }', 'tags { totalCount }', { totalCount: 1 }],
    [
      'customFieldCreate(input: { name: "new", type: TEXT }) { customField { id } }',
      'customFields { name }',
      [{ name: 'new' }],
    ],
    [
      'contactCreate(input: { email: "ada@example.com" }) { contact { id } }',
      'quota { contacts { used } }',
      { contacts: { used: 1 } },
    ],
  ])('is read again after %s: %s', async (change, selection, expected) => {
    const world = await newWorld()
    const account = `{ account { list: ${selection} } }`
    const data = await world.run(`mutation {
      before: accountUpdate(input: {}) ${account} ${change} after: accountUpdate(input: {}) ${account} }`)
    expect(data.before.account.list).not.toEqual(expected)
    expect(data.after.account.list).toEqual(expected)
  })

  it('is read once for equal arguments, and once for each different page', async () => {
    const world = worlds.get(20) as World
    const list = (args: string) => `account { contacts(${args}) { totalCount nodes { id } } }`
    const statements = async (selection: string) => {
      const ask = () => world.run(`{ contacts(first: 20) { nodes { ${selection} } } }`)
      await ask()
      return world.statements(ask)
    }
    const once = await statements(list('first: 2'))
    const filter = 'filter: { email: { startsWith: "1" } }'
    expect(await statements(`${list('first: 2')} more: ${list('first: 2')}`)).toBe(once)
    expect(await statements(`${list('first: 2')} more: ${list('last: 2')}`)).toBe(once + 2)
    expect(await statements(`${list('first: 2')} more: ${list(`first: 2, ${filter}`)}`)).toBe(once + 2)
  })
})
