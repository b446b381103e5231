import type { Ctx } from '../db/context.ts'
import { addressKeysOf, type Person, type PersonPart, type PersonParts } from '../db/persons/person-parts.ts'
import { personTable } from '../db/persons/person-table.ts'
import { type Sql, sql } from '../db/sql.ts'

const needs = 'mail:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

const contactId = 'the person'
const work = 'how the delivery continues, which the state and times show'
const recipient = personTable('MailRecipient', 'r', {
  omitted: {
    contactId,
    emailId: 'its subject and its sender are exported',
    attempts: work,
    workerId: work,
    dueAt: work,
    isRedacted: 'whether the person was erased',
  },
})
const event = {
  omitted: { contactId, id: 'nothing refers to it' },
  renamed: { recipientId: 'message_id' },
}
const answer = personTable('UnsubscribeAnswer', 'u', {
  omitted: { contactId },
  renamed: { recipientId: 'message_id' },
})
const open = personTable('MailOpen', 'o', event)
const click = personTable('MailClick', 'k', event)
const suppression = personTable('Suppression', 'x')
const failing = personTable('FailingAddress', 'f', { renamed: { recipientId: 'message_id' } })

/** Returns the messages `r` to a person. */
function fromMessages(ctx: Ctx, { contactId }: Person, joined: Sql): Sql {
  return sql`FROM mail_recipient r ${joined} WHERE r.account_id = ${ctx.sql.account} AND r.contact_id = ${contactId}::int`
}

/** What this module holds about a person. */
export const mailParts = {
  messages: part([recipient], (ctx, person) => {
    const joined = sql`LEFT JOIN email m ON m.account_id = r.account_id AND m.id = r.email_id`
    return sql`
      SELECT r.id AS row_id, m.subject, m.from_email, ${recipient.columns}
      ${fromMessages(ctx, person, joined)}`
  }),
  opens: part([open], (ctx, person) => {
    const joined = sql`JOIN mail_open o ON o.account_id = r.account_id AND o.recipient_id = r.id`
    return sql`
      SELECT o.id AS row_id, ${open.columns} ${fromMessages(ctx, person, joined)}`
  }),
  clicks: part([click], (ctx, person) => {
    const joined = sql`JOIN mail_click k ON k.account_id = r.account_id AND k.recipient_id = r.id`
    return sql`
      SELECT k.id AS row_id, ${click.columns}
      ${fromMessages(ctx, person, joined)}`
  }),
  unsubscribeAnswers: part(
    [answer],
    (ctx, person) => sql`
      SELECT u.recipient_id AS row_id, ${answer.columns} FROM unsubscribe_answer u
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = ${person.contactId}::int`,
  ),
  suppressions: part(
    [suppression],
    (ctx, person) => sql`
      SELECT x.id AS row_id, ${suppression.columns} FROM suppression x
      WHERE x.account_id = ${ctx.sql.account} AND address_key(x.email) = ANY(${addressKeysOf(person)})`,
  ),
  failingAddresses: part(
    [failing],
    (ctx, person) => sql`
      SELECT f.recipient_id AS row_id, ${failing.columns} FROM failing_address f
      WHERE f.account_id = ${ctx.sql.account} AND f.email = ANY(${addressKeysOf(person)})`,
  ),
} as const satisfies PersonParts
