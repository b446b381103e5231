import { quotas, use } from '../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { inIndexOrder } from '../../db/plans.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import { ports } from '../ports.ts'

/** Something that has messages to send: a campaign, or an account's sequences (0). */
export interface Source {
  readonly accountId: number
  readonly campaignId: number
}

/** A message that a worker has taken on. */
export interface Claimed {
  readonly accountId: number
  readonly id: bigint
  readonly campaignId: number | null
  readonly stageId: number | null
  readonly enrolmentId: number | null
  readonly contactId: number
  readonly emailId: number | null
  readonly attempts: number
}

/** How many sources are looked at in a round. */
const mostSources = 1_000

/** How soon a source is looked at again whose last messages are in the hands of others, in milliseconds. */
const soon = 1_000

/** How soon the messages of sequences are looked at again where the month's quota is used up: a plan may grow. */
const quotaPause = 15 * 60_000

/** The sources that have something to send now, the longest waiting first; of all accounts, or of one. */
export async function dueSources(system: System, only?: number): Promise<Source[]> {
  return system.db.$unscoped<Source>(
    'a worker serves all accounts',
    sql`SELECT account_id AS "accountId", campaign_id AS "campaignId" FROM mail_source
      WHERE is_open AND due_at <= ${system.clock.now()}::timestamptz
        AND (${only ?? null}::int IS NULL OR account_id = ${only ?? null}::int) ORDER BY due_at LIMIT ${mostSources}::int`,
  )
}

/**
 * Takes on messages of a source, `most` at a time, and counts them in the month's quota: what is not sent after all is
 * given back (`refund`). Another worker that claims from the same source at this moment leaves nothing to this one.
 *
 * Where a campaign's quota is used up it stops, and where nothing of it is left it ends; sequences wait for a larger quota.
 */
export async function claim(system: System, source: Source, workerId: number, most: number): Promise<Claimed[]> {
  const ctx = newCtx(system, source)
  const { campaignId } = source
  try {
    const { rows, outlook } = await inTransaction(ctx, (tx) => take(tx, campaignId, workerId, most))
    if (campaignId !== 0 && outlook === 'quota used up') await ports.stopped(ctx, campaignId, 'QUOTA_EXCEEDED')
    if (campaignId !== 0 && outlook === 'through') await ports.settled(ctx, campaignId)
    return rows
  } catch (error) {
    // Another process took the last of the quota in between: the next round sees how much is left.
    if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED') return []
    throw error
  }
}

/** What comes after this: more, sooner or later; nothing; or nothing before the quota allows it. */
type Outlook = 'more' | 'through' | 'quota used up'

async function take(
  tx: Ctx,
  campaignId: number,
  workerId: number,
  most: number,
): Promise<{ rows: Claimed[]; outlook: Outlook }> {
  // The lock comes in a statement of its own, so that the next one sees all that was queued before it.
  const [held] = await tx.sql`
    SELECT campaign_id, ${inIndexOrder} FROM mail_source WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND is_open
    FOR UPDATE SKIP LOCKED`
  if (!held) return { rows: [], outlook: 'more' }
  const { remaining } = await quotas.quotaOf(tx, 'emails')
  const room = Math.min(most, remaining ?? most)
  const now = tx.clock.now()
  // By their place and by nothing else: a condition on the account invites a plan that reads all of the account instead.
  const rows = await tx.sql<Claimed>`
    UPDATE mail_recipient r SET state = 'CLAIMED', worker_id = ${workerId}::int
    WHERE r.ctid = ANY (ARRAY(
      SELECT q.ctid FROM mail_recipient q WHERE q.account_id = ${tx.sql.account} AND coalesce(q.campaign_id, 0) = ${campaignId}::int
        AND q.state = 'QUEUED' AND q.due_at <= ${now}::timestamptz ORDER BY q.due_at, q.id LIMIT ${room}::int FOR UPDATE SKIP LOCKED))
    RETURNING r.account_id AS "accountId", r.id, r.campaign_id AS "campaignId", r.stage_id AS "stageId",
      r.enrolment_id AS "enrolmentId", r.contact_id AS "contactId", r.email_id AS "emailId", r.attempts`
  const outlook = rows.length === most ? 'more' : await look(tx, campaignId, room < most && rows.length === room)
  await use(tx, 'emails', rows.length)
  return { rows: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)), outlook }
}

/** Sees what is left of a source, and notes when to look again. */
async function look(tx: Ctx, campaignId: number, isQuotaUsedUp: boolean): Promise<Outlook> {
  const now = tx.clock.now()
  const [left] = await tx.sql<{ next: Date | null; isInHand: boolean }>`
    SELECT (SELECT min(q.due_at) FROM mail_recipient q WHERE q.account_id = ${tx.sql.account}
        AND coalesce(q.campaign_id, 0) = ${campaignId}::int AND q.state = 'QUEUED') AS next,
      EXISTS (SELECT FROM mail_recipient b WHERE b.account_id = ${tx.sql.account}
        AND coalesce(b.campaign_id, 0) = ${campaignId}::int AND b.state IN ('CLAIMED', 'HANDING_OVER')) AS "isInHand"`
  const { next = null, isInHand = false } = left ?? {}
  const isOver = isQuotaUsedUp && next !== null && next <= now
  // What is in hand may yet come back: a campaign ends, or stops, after that, and a message is tried again at its time.
  const again = new Date(now.getTime() + (isOver && !isInHand ? quotaPause : soon))
  const isExpected = isOver || isInHand
  const dueAt = isExpected && (isOver || next === null || again < next) ? again : next
  await tx.sql`
    UPDATE mail_source SET due_at = ${dueAt}::timestamptz WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId}`
  if (isInHand) return 'more'
  if (isOver) return 'quota used up'
  return next === null ? 'through' : 'more'
}

/** Gives back what was counted in the month's quota for messages that were not sent after all. */
export async function refund(system: System, accountId: number, messages: number): Promise<void> {
  await inTransaction(newCtx(system, { accountId }), (tx) => use(tx, 'emails', -messages))
}
