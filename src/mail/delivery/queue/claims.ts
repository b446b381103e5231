import { quotas, use } from '../../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../../db/context.ts'
import { inIndexOrder, planInIndexOrder } from '../../../db/plans.ts'
import { sql } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { ports } from '../../ports.ts'
import type { ClaimPosition, ClaimPositions } from './claim-positions.ts'

/** A queue of messages: those of a campaign, or of all sequences of an account (`campaignId` 0). */
export interface QueueSource {
  readonly accountId: number
  readonly campaignId: number
}

/** A message that a worker has claimed. */
export interface ClaimedMessage {
  readonly accountId: number
  readonly id: bigint
  readonly campaignId: number | null
  readonly stageId: number | null
  readonly enrolmentId: number | null
  readonly contactId: number
  readonly emailId: number | null
  readonly attempts: number
  readonly dueAt: Date
}

/** A position before all messages. */
const beginning = { dueAt: new Date(0), id: 0n }

/** Maximum number of sources in one round. */
const maxSources = 1_000

/** Delay after which a source is looked at again if its last messages are claimed. */
const claimedRetryMs = 1_000

/** Delay after which a source is looked at again if the monthly quota is used up, which a larger plan may change. */
const quotaRetryMs = 15 * 60_000

/** Lists the sources with messages that are due, the longest waiting first, of all accounts or of one. */
export async function listDueSources(system: System, accountId?: number): Promise<QueueSource[]> {
  return system.db.$unscoped<QueueSource>(
    'a worker serves all accounts',
    sql`SELECT account_id AS "accountId", campaign_id AS "campaignId" FROM mail_source
      WHERE is_open AND due_at <= ${system.clock.now()}::timestamptz
        AND (${accountId ?? null}::int IS NULL OR account_id = ${accountId ?? null}::int) ORDER BY due_at LIMIT ${maxSources}::int`,
  )
}

/** Counts the messages of an account that are due, at most `max`. */
export async function countDue(system: System, accountId: number, max: number): Promise<number> {
  return inTransaction(newCtx(system, { accountId }), async (tx) => {
    const now = tx.clock.now()
    const [row] = await planInIndexOrder(
      tx,
      () => tx.sql<{ n: number }>`
        SELECT count(*)::int AS n FROM (
          SELECT FROM mail_source s, LATERAL (
            SELECT FROM mail_recipient q WHERE q.account_id = ${tx.sql.account} AND coalesce(q.campaign_id, 0) = s.campaign_id
              AND q.state = 'QUEUED' AND q.due_at <= ${now}::timestamptz ORDER BY q.due_at, q.id LIMIT ${max}::int) q
          WHERE s.account_id = ${tx.sql.account} AND s.is_open AND s.due_at <= ${now}::timestamptz LIMIT ${max}::int) AS due`,
    )
    return row?.n ?? 0
  })
}

/**
 * Claims up to `max` due messages of a source, after its position if it has one, and counts them in the monthly quota
 * (`refundQuota` refunds those that are not sent). Returns no messages while another worker claims from the same source.
 *
 * A campaign stops with QUOTA_EXCEEDED if the quota is used up, and ends if it has no open message. Sequences wait.
 */
export async function claimMessages(
  system: System,
  source: QueueSource,
  workerId: number,
  max: number,
  positions: ClaimPositions,
): Promise<ClaimedMessage[]> {
  const ctx = newCtx(system, source)
  const { campaignId } = source
  const key = keyOf(source)
  const after = positions.next(key)
  try {
    const { rows, status } = await inTransaction(ctx, (tx) => claimRows(tx, campaignId, workerId, max, after))
    // No rows of an open source: perhaps another worker claims from it.
    if (rows.length > 0 || status === 'EMPTY') positions.record(key, rows.length === max ? rows.at(-1) : undefined)
    if (campaignId !== 0 && status === 'QUOTA_EXCEEDED') await ports.stopCampaign(ctx, campaignId, 'QUOTA_EXCEEDED')
    if (campaignId !== 0 && status === 'EMPTY') await ports.finishCampaign(ctx, campaignId)
    return rows
  } catch (error) {
    // Another process used the rest of the quota in the meantime. The next round reads it again.
    if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED') return []
    throw error
  }
}

/** Status of a source after a claim. EMPTY: no message of it is queued or claimed. OPEN: there are or may be more. */
type SourceStatus = 'OPEN' | 'EMPTY' | 'QUOTA_EXCEEDED'

async function claimRows(
  tx: Ctx,
  campaignId: number,
  workerId: number,
  max: number,
  after: ClaimPosition | undefined,
): Promise<{ rows: ClaimedMessage[]; status: SourceStatus }> {
  // The lock is a separate statement, so that the next one sees everything that was queued before it.
  const [locked] = await tx.sql`
    SELECT campaign_id, ${inIndexOrder} FROM mail_source WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND is_open
    FOR UPDATE SKIP LOCKED`
  if (!locked) return { rows: [], status: 'OPEN' }
  const { remaining } = await quotas.quotaOf(tx, 'emails')
  const limit = Math.min(max, remaining ?? max)
  const now = tx.clock.now()
  // Only by ctid: with a condition on the account, the planner may read all rows of the account.
  const claimAfter = ({ dueAt, id }: ClaimPosition, size: number) => tx.sql<ClaimedMessage>`
    UPDATE mail_recipient r SET state = 'CLAIMED', worker_id = ${workerId}::int
    WHERE r.ctid = ANY (ARRAY(
      SELECT q.ctid FROM mail_recipient q WHERE q.account_id = ${tx.sql.account} AND coalesce(q.campaign_id, 0) = ${campaignId}::int
        AND q.state = 'QUEUED' AND q.due_at <= ${now}::timestamptz AND (q.due_at, q.id) > (${dueAt}::timestamptz, ${id}::bigint)
      ORDER BY q.due_at, q.id LIMIT ${size}::int FOR UPDATE SKIP LOCKED))
    RETURNING r.account_id AS "accountId", r.id, r.campaign_id AS "campaignId", r.stage_id AS "stageId",
      r.enrolment_id AS "enrolmentId", r.contact_id AS "contactId", r.email_id AS "emailId", r.attempts, r.due_at AS "dueAt"`
  const rows = await claimAfter(after ?? beginning, limit)
  if (after && rows.length < limit) rows.push(...(await claimAfter(beginning, limit - rows.length)))
  const status = rows.length === max ? 'OPEN' : await reschedule(tx, campaignId, limit < max && rows.length === limit)
  await use(tx, 'emails', rows.length)
  return { rows: rows.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1)), status }
}

/** Sets when a source is due next, and returns its status. */
async function reschedule(tx: Ctx, campaignId: number, isQuotaUsedUp: boolean): Promise<SourceStatus> {
  const now = tx.clock.now()
  const [row] = await tx.sql<{ next: Date | null; hasClaimed: boolean }>`
    SELECT (SELECT min(q.due_at) FROM mail_recipient q WHERE q.account_id = ${tx.sql.account}
        AND coalesce(q.campaign_id, 0) = ${campaignId}::int AND q.state = 'QUEUED') AS next,
      EXISTS (SELECT FROM mail_recipient b WHERE b.account_id = ${tx.sql.account}
        AND coalesce(b.campaign_id, 0) = ${campaignId}::int AND b.state IN ('CLAIMED', 'SENDING')) AS "hasClaimed"`
  const { next = null, hasClaimed = false } = row ?? {}
  const isBlocked = isQuotaUsedUp && next !== null && next <= now
  // Claimed messages may be released, so the campaign ends or stops only after their results.
  const retryAt = new Date(now.getTime() + (isBlocked && !hasClaimed ? quotaRetryMs : claimedRetryMs))
  const needsRetry = isBlocked || hasClaimed
  const dueAt = needsRetry && (isBlocked || next === null || retryAt < next) ? retryAt : next
  await tx.sql`
    UPDATE mail_source SET due_at = ${dueAt}::timestamptz WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId}`
  if (hasClaimed) return 'OPEN'
  if (isBlocked) return 'QUOTA_EXCEEDED'
  return next === null ? 'EMPTY' : 'OPEN'
}

/** Returns a string that identifies a source. */
export function keyOf({ accountId, campaignId }: QueueSource): string {
  return `${accountId} ${campaignId}`
}

/** Refunds the monthly quota for messages that were claimed and not sent. */
export async function refundQuota(system: System, accountId: number, messages: number): Promise<void> {
  await inTransaction(newCtx(system, { accountId }), (tx) => use(tx, 'emails', -messages))
}
