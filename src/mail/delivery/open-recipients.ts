import type { Ctx } from '../../db/context.ts'

/** Makes the queued messages of a campaign due now. */
export async function retryNow(tx: Ctx, campaignId: number): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    UPDATE mail_recipient SET due_at = ${now}::timestamptz WHERE account_id = ${tx.sql.account}
      AND coalesce(campaign_id, 0) = ${campaignId}::int AND state = 'QUEUED' AND due_at > ${now}::timestamptz`
}

/** Returns whether a campaign has messages that are queued, claimed or in flight. */
export async function hasOpen(tx: Ctx, campaignId: number): Promise<boolean> {
  const [row] = await tx.sql<{ open: boolean }>`
    SELECT EXISTS (SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account}
        AND coalesce(campaign_id, 0) = ${campaignId}::int AND state = 'QUEUED')
      OR EXISTS (SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account}
        AND coalesce(campaign_id, 0) = ${campaignId}::int AND state IN ('CLAIMED', 'HANDING_OVER')) AS open`
  return row?.open ?? false
}

/**
 * Marks the queued messages of a campaign as SKIPPED. Claimed ones follow when their worker requests or releases them,
 * because the campaign's source was removed.
 */
export async function skipQueued(tx: Ctx, campaignId: number): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED' WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM mail_recipient WHERE account_id = ${tx.sql.account} AND coalesce(campaign_id, 0) = ${campaignId}::int
        AND state = 'QUEUED' FOR UPDATE SKIP LOCKED))`
}

/**
 * Deletes the recipients of a campaign that reached none of them. Returns false if a message was sent, may have been sent, or
 * is claimed: then the caller must roll back.
 */
export async function deleteUnsent(tx: Ctx, campaignId: number): Promise<boolean> {
  await tx.sql`
    DELETE FROM mail_recipient WHERE account_id = ${tx.sql.account} AND coalesce(campaign_id, 0) = ${campaignId}::int
      AND state IN ('QUEUED', 'FAILED', 'SKIPPED') AND sent_at IS NULL`
  const rows = await tx.sql`
    SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId} LIMIT 1`
  return rows.length === 0
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
