import { use } from '../../account/index.ts'
import { contactFields } from '../../contacts/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { type Filter, filterOn } from '../../db/filters/filter.ts'
import { number, oneOf, reference, text, time } from '../../db/filters/filter-fields.ts'
import { type ListArgs, newList, type OrderKey, type Page } from '../../db/lists/list.ts'
import { nestedPageOf, pageOf, pagesWithin } from '../../db/lists/pages.ts'
import { isOneOf, raw, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { zoneOf } from '../../db/zone.ts'
import { monthOf } from '../../kernel/values/period.ts'
import { rowsAtOnce } from '../../kernel/work/pacing.ts'
import type { FailureCause } from '../failures/failure-causes.ts'
import { clickedUrl } from '../tracking/clicks.ts'
import { markMonthlyRecipients } from './monthly-recipients.ts'
import { type CampaignTimes, plannedTimes } from './planned-times.ts'

export const recipientTable = table('MailRecipient', 'r')
export type MailRecipient = RowOf<typeof recipientTable>

/** Why a message is not sent. */
export type SkipReason = NonNullable<MailRecipient['skipReason']>

/** Why a message waits. */
export type DelayReason = NonNullable<MailRecipient['delayReason']>

/** The filter of messages. */
export const recipientFilter = filterOn(recipientTable, {
  state: oneOf<MailRecipient['state']>('RecipientState', sql`r.state`, 'recipient_state'),
  attempts: number(sql`r.attempts`),
  answer: text(sql`r.answer`),
  failureCause: oneOf<FailureCause>('FailureCause', sql`r.failure_cause`, 'failure_cause'),
  skipReason: oneOf<SkipReason>('SkipReason', sql`r.skip_reason`, 'skip_reason'),
  delayReason: oneOf<DelayReason>('DelayReason', sql`r.delay_reason`, 'delay_reason'),
  createdAt: time(sql`r.created_at`),
  sentAt: time(sql`r.sent_at`),
  openedAt: time(sql`r.opened_at`),
  clickedAt: time(sql`r.clicked_at`),
  unsubscribedAt: time(sql`r.unsubscribed_at`),
  failedAt: time(sql`r.failed_at`),
  complainedAt: time(sql`r.complained_at`),
  ...contactFields(recipientTable),
  campaigns: reference('Campaign', sql`r.campaign_id`, 'campaigns:read'),
  sequences: reference('Sequence', sql`r.sequence_id`, 'sequences:read'),
  stages: reference('SequenceStage', sql`r.stage_id`, 'sequences:read'),
  clickedUrl: clickedUrl(sql`r`),
})

/**
 * Sort keys of messages. Those of their times sort the messages that match: an index of each would grow with every message, and
 * be changed by every open and click. There is none by the e-mail address, which is in another table, and which redacted
 * messages do not have.
 */
type MessageOrder = 'ID' | 'SENT_AT' | 'OPENED_AT' | 'CLICKED_AT'

type MessageListArgs = ListArgs<Filter<(typeof recipientFilter)['fields']>, MessageOrder>

const timeOrder = (column: 'sent_at' | 'opened_at' | 'clicked_at'): OrderKey => ({
  by: sql`coalesce(r.${raw(column)}, timestamptz 'epoch')`,
  kind: 'time',
})

/** The messages of an account. */
export const recipientList = newList(recipientTable, {
  name: 'recipients',
  orders: {
    ...{ CONTACT: 'contactId', ID: 'id' },
    ...{ SENT_AT: timeOrder('sent_at'), OPENED_AT: timeOrder('opened_at'), CLICKED_AT: timeOrder('clicked_at') },
  },
  usual: { field: 'CONTACT', direction: 'ASC' },
  filter: recipientFilter,
})

/** Loads messages by id. */
export const { byId } = recipientTable

const ofContact = recipientTable.within('contactId')

/** Lists the messages of campaigns and sequences of the account. Defaults to the newest first. */
export async function list(ctx: Ctx, args: MessageListArgs): Promise<Page<MailRecipient>> {
  return pageOf(ctx, recipientList, { ...args, orderBy: args.orderBy ?? [{ field: 'ID', direction: 'DESC' }] })
}

/** Lists the recipients of a campaign. Defaults to the oldest contact first. */
export const listOfCampaign = pagesWithin(recipientList, recipientTable.within('campaignId'))

/** Lists the messages to a contact, sent or not. Defaults to the newest first. */
export async function listOfContact(ctx: Ctx, contactId: number, args: MessageListArgs): Promise<Page<MailRecipient>> {
  const orderBy = args.orderBy?.length ? args.orderBy : [{ field: 'ID', direction: 'DESC' } as const]
  return nestedPageOf(ctx, recipientList, ofContact, contactId, { ...args, orderBy })
}

/** Number of messages in each state. */
export type RecipientCounts = Readonly<Record<MailRecipient['state'], number>>

/** The counts of no messages. */
export const zeroCounts: RecipientCounts = {
  QUEUED: 0,
  CLAIMED: 0,
  SENDING: 0,
  SENT: 0,
  BOUNCED: 0,
  FAILED: 0,
  SKIPPED: 0,
  UNKNOWN: 0,
}

/** Loads the number of messages in each state, by campaign. */
export const countsOfCampaign = one<number, RecipientCounts>(async (ctx, campaignIds) => {
  const rows = await ctx.sql<{ campaignId: number; state: MailRecipient['state']; n: number }>`
    SELECT r.campaign_id AS "campaignId", r.state::text AS state, count(*)::int AS n FROM mail_recipient r
    WHERE r.account_id = ${ctx.sql.account} AND r.campaign_id = ANY(${campaignIds}::int[]) GROUP BY r.campaign_id, r.state`
  const byCampaign = new Map<number, Record<MailRecipient['state'], number>>()
  for (const { campaignId, state, n } of rows) {
    byCampaign.set(campaignId, { ...(byCampaign.get(campaignId) ?? zeroCounts), [state]: n })
  }
  return byCampaign
})

/** Reaction of a recipient to a message. */
export type Reaction = 'Sent' | 'Opened' | 'NotOpened' | 'Clicked' | 'NotClicked'

/** `NotOpened` and `NotClicked` include only recipients to whom the message was sent. */
const reactions: Readonly<Record<Reaction, Sql>> = {
  Sent: sql`r.sent_at IS NOT NULL`,
  Opened: sql`r.opened_at IS NOT NULL`,
  NotOpened: sql`r.sent_at IS NOT NULL AND r.opened_at IS NULL`,
  Clicked: sql`r.clicked_at IS NOT NULL`,
  NotClicked: sql`r.sent_at IS NOT NULL AND r.clicked_at IS NULL`,
}

/** Returns the condition that a message `r` belongs to any of the campaigns, or to any campaign if `ids` is undefined. */
export function toCampaigns(ids: readonly number[] | undefined): Sql {
  return ids ? isOneOf(sql`r.campaign_id`, ids) : sql`r.campaign_id IS NOT NULL`
}

/** Selects the ids of the contacts with a reaction to any message `r` that meets a condition. It may repeat an id. */
export function contactsWithReaction(ctx: Ctx, reaction: Reaction, messages: Sql): Sql {
  return sql`SELECT r.contact_id FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account}
    AND ${messages} AND ${reactions[reaction]}`
}

/** A part of a recipient snapshot: the contacts with ids after `position`, up to `end`. */
interface SnapshotPart {
  readonly position: number
  readonly end: number
}

/** Maximum number of contacts whose membership one part of a snapshot tests. */
const snapshotSize = 10_000

/** Returns the id of the account's newest contact, or 0. */
export async function lastContactId(tx: Ctx): Promise<number> {
  const [last] = await tx.sql<{ id: number | null }>`
    SELECT max(c.id) AS id FROM contact c WHERE c.account_id = ${tx.sql.account}`
  return last?.id ?? 0
}

/** Returns the last contact id of the next part of a snapshot, which is at most `end`. */
export async function endOfPart(tx: Ctx, { position, end }: SnapshotPart): Promise<number> {
  const size = rowsAtOnce(tx, snapshotSize)
  const [last] = await tx.sql<{ id: number | null; n: number }>`
    SELECT max(b.id) AS id, count(*)::int AS n FROM (
      SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id > ${position} AND c.id <= ${end}
      ORDER BY c.id LIMIT ${size}::int) b`
  return last?.id == null || last.n < size ? end : last.id
}

/**
 * Adds a part to the recipient snapshot of a campaign: the contacts that agreed to marketing e-mail and meet the condition
 * `isMember` on the alias `c`, each with the time at which it gets the message (`plannedTimes`). Contacts that are in it already
 * are kept. Returns the number of new ones.
 *
 * Counts them in the quota of monthly recipients and locks its row, so do it last in a transaction.
 * **Throws** QUOTA_EXCEEDED.
 */
export async function addRecipients(
  tx: Ctx,
  campaign: CampaignTimes & { id: number; emailId: number },
  { position, end }: SnapshotPart,
  isMember: Sql,
): Promise<number> {
  const now = tx.clock.now()
  const month = monthOf(now, await zoneOf(tx))
  // The key share lock waits for contacts that are being deleted, and makes later deletions wait: they must find the message.
  const members = sql`FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id > ${position} AND c.id <= ${end}
    AND ${isMember} AND c.email_marketing ORDER BY c.id FOR KEY SHARE OF c`
  const times = await plannedTimes(tx, campaign)
  const planned = times
    ? sql`SELECT m.account_id, m.id, p.due_at, p.reason, CASE WHEN p.reason IS NOT NULL THEN ${now}::timestamptz END
        FROM (SELECT l.*, row_number() OVER (ORDER BY l.id) AS place FROM (SELECT c.account_id, c.id, c.time_zone ${members}) l) m
          CROSS JOIN LATERAL (${times}) p ORDER BY m.id`
    : sql`SELECT c.account_id, c.id, ${now}::timestamptz, NULL::delay_reason, NULL::timestamptz ${members}`
  const [row] = await tx.sql<{ added: number; unseen: number }>`
    WITH added AS (
      INSERT INTO mail_recipient (account_id, contact_id, due_at, delay_reason, delayed_at, campaign_id, email_id, created_at)
      SELECT p.*, ${campaign.id}::int, ${campaign.emailId}::int, ${now}::timestamptz FROM (${planned}) p
      ON CONFLICT (account_id, campaign_id, contact_id) DO NOTHING RETURNING contact_id
    ), seen AS (${markMonthlyRecipients(tx, month, sql`SELECT contact_id FROM added`)})
    SELECT (SELECT count(*)::int FROM added) AS added, (SELECT coalesce(sum(seen.added), 0)::int FROM seen) AS unseen`
  const { added = 0, unseen = 0 } = row ?? {}
  await use(tx, 'monthly_recipients', unseen)
  return added
}
