import type { Ctx } from '../db/context.ts'
import { addressKeysOf, type Person, type PersonPart, type PersonParts } from '../db/persons/person-parts.ts'
import { type Sql, sql } from '../db/sql.ts'

const needs = 'mail:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

/** Returns the messages `r` to a person. */
function fromMessages(ctx: Ctx, { contactId }: Person, joined: Sql): Sql {
  return sql`FROM mail_recipient r ${joined} WHERE r.account_id = ${ctx.sql.account} AND r.contact_id = ${contactId}::int`
}

/** What this module holds about a person. */
export const mailParts = {
  messages: part(['mail_recipient'], (ctx, person) => {
    const joined = sql`LEFT JOIN email m ON m.account_id = r.account_id AND m.id = r.email_id`
    return sql`
      SELECT r.id AS row_id, r.id, m.subject, m.from_email, r.campaign_id, r.sequence_id, r.stage_id, r.state, r.answer, r.failure_cause, r.failed_at,
        r.created_at, r.sent_at, r.opened_at, r.clicked_at, r.unsubscribed_at ${fromMessages(ctx, person, joined)}`
  }),
  opens: part(['mail_open'], (ctx, person) => {
    const joined = sql`JOIN mail_open o ON o.account_id = r.account_id AND o.recipient_id = r.id`
    return sql`
      SELECT o.id AS row_id, o.recipient_id AS message_id, o.is_bot, o.times, o.created_at ${fromMessages(ctx, person, joined)}`
  }),
  clicks: part(['mail_click'], (ctx, person) => {
    const joined = sql`JOIN mail_click k ON k.account_id = r.account_id AND k.recipient_id = r.id`
    return sql`
      SELECT k.id AS row_id, k.recipient_id AS message_id, k.url, k.is_bot, k.times, k.created_at
      ${fromMessages(ctx, person, joined)}`
  }),
  suppressions: part(
    ['suppression'],
    (ctx, person) => sql`
      SELECT x.id AS row_id, x.id, x.email, x.reason, x.cause, x.detail, x.created_at FROM suppression x
      WHERE x.account_id = ${ctx.sql.account} AND address_key(x.email) = ANY(${addressKeysOf(person)})`,
  ),
  failingAddresses: part(
    ['failing_address'],
    (ctx, person) => sql`
      SELECT f.recipient_id AS row_id, f.email, f.failures, f.first_failed_at, f.last_failed_at FROM failing_address f
      WHERE f.account_id = ${ctx.sql.account} AND f.email = ANY(${addressKeysOf(person)})`,
  ),
} as const satisfies PersonParts
