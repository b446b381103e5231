import { apiKeys } from '../../src/account/index.ts'
import { currencies } from '../../src/kernel/values/currencies.ts'
import { newReusableBlock, useReusableBlock } from '../content/reusable.ts'
import { storedMedia } from '../content/stored.ts'
import { newTemplate } from '../mail/templates.ts'
import { until } from '../runtime/process.ts'
import { countRows } from '../support/count-rows.ts'
import type { Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const acceptedTerms = JSON.stringify([
  {
    source: 'form:1',
    text: 'The terms.',
    document_version: '1',
    ip: '192.0.2.1',
    accepted_at: '2026-01-01T00:00:00.000Z',
  },
])

/** Creates an account with this number of objects of each type, linked to each other. */
export async function newFilledWorld(server: Server, count: number): Promise<World> {
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
  await sql(`INSERT INTO topic (account_id, name, audience, translations, created_at, updated_at)
    SELECT $1, 'topic ' || n, 'EVERYONE', '[{"language": "de", "name": "Thema", "description": ""}]', now(), now()
    FROM generate_series(1, $2::int) n`)
  await rows(
    `INSERT INTO topic_membership (account_id, contact_id, topic_id, state, changed_at)
     SELECT c.account_id, c.id, t.id, 'LEFT', now() FROM contact c JOIN topic t USING (account_id) WHERE c.account_id = $1`,
    [accountId],
  )
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
  await fillConfirmations(world)
  await fillWebhooks(world, count)
  await fillImports(world, count)
  await fillBulkJobs(world, count)
  await fillContent(world, count)
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

/** Creates this number of imports, each with a column and as many errors. */
async function fillImports({ accountId, rows }: World, count: number): Promise<void> {
  await rows(
    `INSERT INTO contact_import (account_id, file_name, status, options, columns, error_groups, created_at)
     SELECT f.account_id, 'file.csv', 'COMPLETED', '{}',
       jsonb_build_array(jsonb_build_object('column', 'Size', 'field', 'CUSTOM_FIELD', 'customFieldId', f.id,
         'meanings', '{"GRANTED": 1}'::jsonb)),
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

/**
 * Creates this number of pictures, each with a variant and used by all e-mails and steps, of links of the brand, of templates,
 * and of reusable blocks.
 */
async function fillContent(world: World, count: number): Promise<void> {
  const { accountId, rows } = world
  await Promise.all(Array.from({ length: count }, (_, n) => storedMedia(world, `${n}.png`)))
  await rows(
    `INSERT INTO media_use (account_id, media_id, email_id, step_id)
     SELECT m.account_id, m.id, p.email, p.step FROM media m, LATERAL (
       SELECT id AS email, NULL::int AS step FROM email e WHERE e.account_id = m.account_id
       UNION ALL SELECT NULL, id FROM funnel_step s WHERE s.account_id = m.account_id) p
     WHERE m.account_id = $1`,
    [accountId],
  )
  const [{ url }] = (await world.run('{ media(first: 1) { nodes { url } } }')).media.nodes
  await rows(
    `UPDATE document SET body = convert_to($2, 'UTF8')
     WHERE account_id = $1 AND id IN (SELECT html_document_id FROM email WHERE account_id = $1)`,
    [accountId, `<img src="${url}" alt="">`],
  )
  const links = Array.from({ length: count }, () => ({ network: 'X', href: 'https://example.com/' }))
  const utmExcludedDomains = Array.from({ length: count }, (_, n) => `d${n}.example`)
  const update = `mutation ($links: [BrandLinkInput!], $utmExcludedDomains: [String!]) {
    accountUpdate(input: { refusedDomains: $utmExcludedDomains }) { account { id } }
    brandUpdate(input: { links: $links, utmExcludedDomains: $utmExcludedDomains }) { brand { font } } }`
  await world.run(update, { links, utmExcludedDomains })
  const paths = Array.from({ length: count }, (_, n) => `sections.${n}`)
  const conditions = { filters: paths.map(() => ({})), paths: paths.map(() => paths), text: [] }
  await rows('UPDATE email SET conditions = $2::jsonb WHERE account_id = $1', [accountId, JSON.stringify(conditions)])
  for (let n = 0; n < count; n += 1) await newTemplate(world, `Template ${n}`)
  for (let n = 0; n < count; n += 1) await useReusableBlock(world, await newReusableBlock(world, `Block ${n}`))
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

/** Creates a confirmation e-mail for each form and each funnel, and a confirmation for each submission. */
async function fillConfirmations({ accountId, rows }: World): Promise<void> {
  for (const table of ['form', 'funnel']) {
    await rows(
      `WITH owner AS (SELECT id, nextval(pg_get_serial_sequence('email', 'id'))::int AS email_id FROM ${table} WHERE account_id = $1),
        created AS (INSERT INTO email (account_id, id, subject, html_document_id, is_confirmation, created_at, updated_at)
          SELECT $1, email_id, 'Please confirm', (SELECT max(id) FROM document WHERE account_id = $1), true, now(), now() FROM owner)
       UPDATE ${table} t SET confirmation_email_id = owner.email_id FROM owner WHERE t.account_id = $1 AND t.id = owner.id`,
      [accountId],
    )
  }
  await rows(
    `INSERT INTO confirmation (account_id, submission_id, form_id, contact_id, source, text, asked_at, sent_at)
     SELECT account_id, id, form_id, contact_id, '', '', now(), now() FROM submission WHERE account_id = $1`,
    [accountId],
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
  await sql(`INSERT INTO unsubscribe_answer (account_id, recipient_id, contact_id, campaign_id, reason, created_at)
    SELECT r.account_id, r.id, r.contact_id, r.campaign_id,
      (ARRAY['TOO_MANY', 'OTHER', 'NOT_RELEVANT', 'NEVER_SIGNED_UP'])[1 + r.contact_id % 4]::unsubscribe_reason, now()
    FROM mail_recipient r WHERE r.account_id = $1 AND r.campaign_id IS NOT NULL`)
  await sql('UPDATE mail_recipient SET clicked_at = sent_at WHERE account_id = $1')
  // Each campaign has a message that is skipped and one that waits.
  await sql(`INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, skip_reason, delay_reason)
    SELECT account_id, id, 2000000000 + n, CASE n WHEN 1 THEN 'SKIPPED' ELSE 'QUEUED' END::recipient_state, now(),
      CASE n WHEN 1 THEN 'DAY_OFF' END::skip_reason, CASE n WHEN 2 THEN 'DAY_OFF' END::delay_reason
    FROM campaign, generate_series(1, 2) n WHERE account_id = $1`)
  await sql("UPDATE account SET days_off = '{6,7}' WHERE id = $1")
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
  await sql(`INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, attribution,
      accepted_terms, created_at, updated_at)
    SELECT account_id, 'order ' || id, id, 'shop', 'COMPLETED', 12, (ARRAY[${codes}])[1 + n % ${currencies.length}],
      '{"utm_source": "spring"}', '${acceptedTerms}', now(), now()
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
      accepted_terms, started_at, created_at, updated_at)
    SELECT f.account_id, f.id, c.id, 'COMPLETED', 'COLD', '{"utm_source": "news"}', '{"utm_source": "ads"}', '{"firstName": "Ada"}',
      '${acceptedTerms}', now(), now(), now()
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
