import type { Ctx } from '../../db/context.ts'

/** Lets those of a campaign who wait for another attempt have it now. */
export async function hasten(tx: Ctx, campaignId: number): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    UPDATE mail_recipient SET due_at = ${now}::timestamptz WHERE account_id = ${tx.sql.account}
      AND coalesce(campaign_id, 0) = ${campaignId}::int AND state = 'QUEUED' AND due_at > ${now}::timestamptz`
}

/** Whether anyone of a campaign is still to be sent to, or at it. */
export async function areOpen(tx: Ctx, campaignId: number): Promise<boolean> {
  const [row] = await tx.sql<{ open: boolean }>`
    SELECT EXISTS (SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account}
        AND coalesce(campaign_id, 0) = ${campaignId}::int AND state = 'QUEUED')
      OR EXISTS (SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account}
        AND coalesce(campaign_id, 0) = ${campaignId}::int AND state IN ('CLAIMED', 'HANDING_OVER')) AS open`
  return row?.open ?? false
}

/**
 * Leaves out whoever of a campaign still waits. Those in a worker's hands at this moment are left to it: it finds that the
 * campaign is gone, and leaves them out too.
 */
export async function skipWaiting(tx: Ctx, campaignId: number): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED' WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM mail_recipient WHERE account_id = ${tx.sql.account} AND coalesce(campaign_id, 0) = ${campaignId}::int
        AND state = 'QUEUED' FOR UPDATE SKIP LOCKED))`
}

/**
 * Deletes the recipients of a campaign that reached none of them. Returns false if a message was or may have been sent, or a
 * worker is about to send one: then the caller must not commit.
 */
export async function withdraw(tx: Ctx, campaignId: number): Promise<boolean> {
  await tx.sql`
    DELETE FROM mail_recipient WHERE account_id = ${tx.sql.account} AND coalesce(campaign_id, 0) = ${campaignId}::int
      AND state IN ('QUEUED', 'FAILED', 'SKIPPED') AND sent_at IS NULL`
  const rows = await tx.sql`
    SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} LIMIT 1`
  return rows.length === 0
}

/**
 * Puts those of a campaign of whom it is not known whether they got it into the queue again, unless they were deleted.
 * Returns how many.
 */
export async function requeueUnknown(tx: Ctx, campaignId: number): Promise<number> {
  const rows = await tx.sql<{ n: number }>`
    WITH again AS (
      UPDATE mail_recipient SET state = 'QUEUED', due_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} AND state = 'UNKNOWN'
        AND NOT is_redacted RETURNING 1
    ) SELECT count(*)::int AS n FROM again`
  return rows[0]?.n ?? 0
}
