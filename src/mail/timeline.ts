import type { TimelineSource } from '../contacts/index.ts'
import { sql } from '../db/sql.ts'
import { recipientTable } from './recipients/recipients.ts'

const needs = 'mail:read'

/** The entries of this module in timelines, by type. Opens and clicks of programs are left out, as in statistics. */
export const mailTimeline = {
  MESSAGE_SENT: {
    rank: 21,
    kind: 'MessageSentEntry',
    needs,
    description: 'A mail server accepted an e-mail to the contact, or the SMS gateway a text message.',
    at: sql`r.sent_at`,
    id: sql`r.id`,
    data: sql`jsonb_build_object('recipientId', r.id::text)`,
    from: (ctx) => sql`${recipientTable.within('contactId').from(ctx)} AND r.sent_at IS NOT NULL`,
  },
  MESSAGE_FAILED: {
    rank: 25,
    kind: 'MessageFailedEntry',
    needs,
    description: 'A message to the contact failed for good, or was returned after it had been sent.',
    at: sql`r.failed_at`,
    id: sql`r.id`,
    data: sql`jsonb_build_object('recipientId', r.id::text)`,
    from: (ctx) => sql`${recipientTable.within('contactId').from(ctx)} AND r.failed_at IS NOT NULL`,
  },
  MESSAGE_SKIPPED: {
    rank: 27,
    kind: 'MessageSkippedEntry',
    needs,
    description: 'A message to the contact was skipped.',
    at: sql`r.skipped_at`,
    id: sql`r.id`,
    data: sql`jsonb_build_object('recipientId', r.id::text)`,
    from: (ctx) => sql`${recipientTable.within('contactId').from(ctx)} AND r.skipped_at IS NOT NULL`,
  },
  MESSAGE_DELAYED: {
    rank: 28,
    kind: 'MessageDelayedEntry',
    needs,
    description: 'A message to the contact began to wait. Only the last time of each message.',
    at: sql`r.delayed_at`,
    id: sql`r.id`,
    data: sql`jsonb_build_object('recipientId', r.id::text)`,
    from: (ctx) => sql`${recipientTable.within('contactId').from(ctx)} AND r.delayed_at IS NOT NULL`,
  },
  MESSAGE_COMPLAINED: {
    rank: 26,
    kind: 'MessageComplainedEntry',
    needs,
    description: 'The recipient reported a message as spam.',
    at: sql`r.complained_at`,
    id: sql`r.id`,
    data: sql`jsonb_build_object('recipientId', r.id::text)`,
    from: (ctx) => sql`${recipientTable.within('contactId').from(ctx)} AND r.complained_at IS NOT NULL`,
  },
  MESSAGE_OPENED: {
    rank: 22,
    kind: 'MessageOpenedEntry',
    needs,
    description: 'The contact opened an e-mail.',
    at: sql`o.created_at`,
    id: sql`o.id`,
    data: sql`jsonb_build_object('recipientId', o.recipient_id::text, 'times', o.times)`,
    from: (ctx) =>
      sql`FROM mail_open o WHERE o.account_id = ${ctx.sql.account} AND o.contact_id = parent.id AND NOT o.is_bot`,
  },
  MESSAGE_CLICKED: {
    rank: 23,
    kind: 'MessageClickedEntry',
    needs,
    description: 'The contact clicked on a link in an e-mail.',
    at: sql`k.created_at`,
    id: sql`k.id`,
    data: sql`jsonb_build_object('recipientId', k.recipient_id::text, 'times', k.times, 'url', k.url)`,
    from: (ctx) =>
      sql`FROM mail_click k WHERE k.account_id = ${ctx.sql.account} AND k.contact_id = parent.id AND NOT k.is_bot`,
  },
  ADDRESS_SUPPRESSED: {
    rank: 24,
    kind: 'AddressSuppressedEntry',
    needs,
    description:
      'The e-mail address of the contact was suppressed after a bounce or a complaint, or manually. Only while it is suppressed.',
    at: sql`x.created_at`,
    id: sql`x.id`,
    data: sql`jsonb_build_object('suppressionId', x.id::text)`,
    from: (
      ctx,
    ) => sql`FROM contact c JOIN suppression x ON x.account_id = c.account_id AND address_key(x.email) = address_key(c.email)
      WHERE c.account_id = ${ctx.sql.account} AND c.id = parent.id`,
  },
} as const satisfies Readonly<Record<string, TimelineSource>>
