import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { rowsAtOnce } from '../../kernel/work/pacing.ts'

// The statements find the rows of a batch by ctid alone: with other conditions, the planner may compare all messages of an
// account that is newer than its statistics. A row that another transaction changes meanwhile has another ctid, and is not
// changed.

/** Maximum number of messages that one statement changes, so that it takes less than a second. */
const batchSize = 10_000

/**
 * Makes queued messages of a campaign due now: those to the next contacts after an id, except those that wait for their time.
 * Returns the last of their ids, or undefined if no contacts follow.
 */
export async function retryNow(tx: Ctx, campaignId: number, afterContactId: number): Promise<number | undefined> {
  const now = tx.clock.now()
  const size = rowsAtOnce(tx, batchSize)
  const of = sql`account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND contact_id > ${afterContactId}`
  const [batch] = await tx.sql<{ last: number | null; n: number }>`
    WITH batch AS (
      SELECT ctid, contact_id, state, due_at, delay_reason IS NULL OR attempts > 0 AS was_tried FROM mail_recipient WHERE ${of} ORDER BY contact_id LIMIT ${size}::int
    ), changed AS (
      UPDATE mail_recipient SET due_at = ${now}::timestamptz WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM batch WHERE state = 'QUEUED' AND was_tried AND due_at > ${now}::timestamptz))
    ) SELECT max(contact_id) AS last, count(*)::int AS n FROM batch`
  return batch?.last == null || batch.n < size ? undefined : batch.last
}

/** Returns whether a campaign has messages that are queued, claimed or in flight. */
export async function hasOpen(tx: Ctx, campaignId: number): Promise<boolean> {
  const [row] = await tx.sql<{ open: boolean }>`
    SELECT EXISTS (SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account}
        AND coalesce(campaign_id, 0) = ${campaignId}::int AND state = 'QUEUED')
      OR EXISTS (SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account}
        AND coalesce(campaign_id, 0) = ${campaignId}::int AND state IN ('CLAIMED', 'SENDING')) AS open`
  return row?.open ?? false
}

/**
 * Marks queued messages of a campaign as SKIPPED, up to a number of them. Returns true if none are left. Claimed ones follow when
 * their worker requests or releases them, because the campaign's source was removed.
 */
export async function skipQueued(tx: Ctx, campaignId: number): Promise<boolean> {
  const size = rowsAtOnce(tx, batchSize)
  const [changed] = await tx.sql<{ n: number }>`
    WITH skipped AS (
      UPDATE mail_recipient SET state = 'SKIPPED', skip_reason = 'CAMPAIGN_CANCELLED', skipped_at = ${tx.clock.now()}::timestamptz
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM mail_recipient WHERE account_id = ${tx.sql.account} AND coalesce(campaign_id, 0) = ${campaignId}::int
          AND state = 'QUEUED' LIMIT ${size}::int FOR UPDATE SKIP LOCKED)) RETURNING 1
    ) SELECT count(*)::int AS n FROM skipped`
  return (changed?.n ?? 0) < size
}

/**
 * Returns whether no message of a campaign was sent, may have been sent, or is claimed. It stays so if the campaign's source was
 * removed before.
 */
export async function areUnsent(tx: Ctx, campaignId: number): Promise<boolean> {
  const others = await tx.sql`
    SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND NOT (${isUnsent}) LIMIT 1`
  return others.length === 0
}

const isUnsent = sql`state IN ('QUEUED', 'FAILED', 'SKIPPED') AND sent_at IS NULL`

/** Deletes recipients of a campaign that got no message, up to a number of them. Returns true if none are left. */
export async function removeUnsent(tx: Ctx, campaignId: number): Promise<boolean> {
  const size = rowsAtOnce(tx, batchSize)
  const [removed] = await tx.sql<{ n: number }>`
    WITH removed AS (
      DELETE FROM mail_recipient WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM mail_recipient WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND ${isUnsent}
        LIMIT ${size}::int)) RETURNING 1
    ) SELECT count(*)::int AS n FROM removed`
  return (removed?.n ?? 0) < size
}

/** Puts the UNKNOWN messages of a campaign into the queue again, except those to deleted contacts. Returns their number. */
export async function requeueUnknown(tx: Ctx, campaignId: number): Promise<number> {
  const rows = await tx.sql<{ n: number }>`
    WITH again AS (
      UPDATE mail_recipient SET state = 'QUEUED', due_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND state = 'UNKNOWN'
        AND NOT is_redacted RETURNING 1
    ) SELECT count(*)::int AS n FROM again`
  return rows[0]?.n ?? 0
}
