import type { MailRecipient } from '../../../prisma/generated/client/client.ts'
import { use, zoneOf } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, type Within } from '../../db/list.ts'
import { one } from '../../db/load.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { monthOf } from '../../kernel/period.ts'
import { seenIn } from './monthly-recipients.ts'

/** Which messages a list is about; conditions are joined by AND. */
export interface RecipientFilter {
  states?: readonly MailRecipient['state'][] | null | undefined
  opened?: boolean | null | undefined
  clicked?: boolean | null | undefined
}

/** No index holds the recipients of a campaign in another order, and there may be hundreds of thousands of them. */
export type RecipientListArgs = ListArgs<RecipientFilter, 'CONTACT'>
export type MessageListArgs = ListArgs<RecipientFilter, 'ID'>

/** All messages of an account, to whomever. */
export const list: List<MailRecipient, RecipientFilter, 'CONTACT' | 'ID'> = {
  name: 'recipients',
  columns: sql`r.account_id AS "accountId", r.id, r.campaign_id AS "campaignId", r.sequence_id AS "sequenceId",
    r.stage_id AS "stageId", r.enrolment_id AS "enrolmentId", r.contact_id AS "contactId", r.state::text AS state,
    r.email_id AS "emailId", r.attempts, r.worker_id AS "workerId", r.answer, r.due_at AS "dueAt",
    r.created_at AS "createdAt", r.sent_at AS "sentAt", r.opened_at AS "openedAt", r.clicked_at AS "clickedAt",
    r.unsubscribed_at AS "unsubscribedAt", r.is_redacted AS "isRedacted"`,
  from: (ctx) => sql`FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account}`,
  id: sql`r.id`,
  orders: { CONTACT: { by: sql`r.contact_id`, kind: 'number' }, ID: { by: sql`r.id`, kind: 'number' } },
  usual: { field: 'CONTACT', direction: 'ASC' },
  where: ({ states, opened, clicked }) => [
    ...(states == null ? [] : [sql`r.state = ANY(${[...states]}::text[]::recipient_state[])`]),
    ...(opened == null ? [] : [sql`(r.opened_at IS NOT NULL) = ${opened}`]),
    ...(clicked == null ? [] : [sql`(r.clicked_at IS NOT NULL) = ${clicked}`]),
  ],
}

const within = (name: string, column: string): Within => ({
  name,
  from: (ctx) => sql`FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND r.${raw(column)} = parent.id`,
})
const ofCampaign = within('campaign', 'campaign_id')
const ofContact = within('contact', 'contact_id')

/** Whom a campaign is sent to, the oldest contact first unless ordered otherwise. */
export async function listOfCampaign(
  ctx: Ctx,
  campaignId: number,
  args: RecipientListArgs,
): Promise<Page<MailRecipient>> {
  return nestedPageOf(ctx, list, ofCampaign, campaignId, args)
}

/** What was or will be sent to a contact, the latest first unless ordered otherwise. */
export async function listOfContact(ctx: Ctx, contactId: number, args: MessageListArgs): Promise<Page<MailRecipient>> {
  const orderBy = args.orderBy ?? { field: 'ID', direction: 'DESC' }
  return nestedPageOf(ctx, list, ofContact, contactId, { ...args, orderBy })
}

/** How many messages have come how far. */
export type RecipientCounts = Readonly<Record<MailRecipient['state'], number>>

/** None of them. */
export const noCounts: RecipientCounts = {
  QUEUED: 0,
  CLAIMED: 0,
  HANDING_OVER: 0,
  SENT: 0,
  BOUNCED: 0,
  FAILED: 0,
  SKIPPED: 0,
  UNKNOWN: 0,
}

/** How far the messages of campaigns have come, by campaign. */
export const countsOfCampaign = one<number, RecipientCounts>(async (ctx, campaignIds) => {
  const rows = await ctx.sql<{ campaignId: number; state: MailRecipient['state']; n: number }>`
    SELECT r.campaign_id AS "campaignId", r.state::text AS state, count(*)::int AS n FROM mail_recipient r
    WHERE r.account_id = ${ctx.sql.account} AND r.campaign_id = ANY(${campaignIds}::int[]) GROUP BY r.campaign_id, r.state`
  const byCampaign = new Map<number, Record<MailRecipient['state'], number>>()
  for (const { campaignId, state, n } of rows) {
    byCampaign.set(campaignId, { ...(byCampaign.get(campaignId) ?? noCounts), [state]: n })
  }
  return byCampaign
})

/** How someone took a campaign that was sent to them. */
export type Reaction = 'Opened' | 'NotOpened' | 'Clicked' | 'NotClicked'

/** Not opening is something that only those can do to whom it was sent. */
const reactions: Readonly<Record<Reaction, Sql>> = {
  Opened: sql`r.opened_at IS NOT NULL`,
  NotOpened: sql`r.sent_at IS NOT NULL AND r.opened_at IS NULL`,
  Clicked: sql`r.clicked_at IS NOT NULL`,
  NotClicked: sql`r.sent_at IS NOT NULL AND r.clicked_at IS NULL`,
}

/** The ids of the contacts who took any of the campaigns so, once for each of them, to be selected from. */
export function contactsWho(ctx: Ctx, reaction: Reaction, campaignIds: readonly number[]): Sql {
  return sql`SELECT r.contact_id FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account}
    AND r.campaign_id = ANY(${campaignIds}::int[]) AND ${reactions[reaction]}`
}

/**
 * Writes down whom a campaign is sent to: those of `members` (`FROM contact c WHERE …`) who have agreed to marketing
 * e-mail. One statement, whatever their number; who is written down already stays. Answers how many are new.
 *
 * Counts them in the quota of monthly recipients, so nothing may come after it in the transaction but what is quick.
 * Fails with QUOTA_EXCEEDED.
 */
export async function freeze(tx: Ctx, campaign: { id: number; emailId: number }, members: Sql): Promise<number> {
  const now = tx.clock.now()
  const month = monthOf(now, await zoneOf(tx))
  // A contact that is deleted at this moment is waited for and left out, and a deletion that comes later waits: it must find
  // the contact's message.
  const [row] = await tx.sql<{ frozen: number; unseen: number }>`
    WITH frozen AS (
      INSERT INTO mail_recipient (account_id, campaign_id, contact_id, email_id, created_at, due_at)
      SELECT c.account_id, ${campaign.id}::int, c.id, ${campaign.emailId}::int, ${now}::timestamptz, ${now}::timestamptz
      ${members} AND c.email_marketing
      ORDER BY c.id FOR KEY SHARE OF c
      ON CONFLICT (account_id, campaign_id, contact_id) DO NOTHING RETURNING contact_id
    ), seen AS (${seenIn(tx, month, sql`SELECT contact_id FROM frozen`)})
    SELECT (SELECT count(*)::int FROM frozen) AS frozen, (SELECT coalesce(sum(added), 0)::int FROM seen) AS unseen`
  const { frozen = 0, unseen = 0 } = row ?? {}
  await use(tx, 'monthly_recipients', unseen)
  return frozen
}
