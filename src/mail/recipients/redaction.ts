import type { Ctx } from '../../db/context.ts'

/** Locks the messages to contacts, in the order of their ids. */
export async function lockMessages(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  await tx.sql`
    SELECT FROM mail_recipient WHERE account_id = ${tx.sql.account} AND contact_id = ANY(${contactIds}::int[])
    ORDER BY id FOR NO KEY UPDATE`
}

/**
 * Redacts the messages to contacts that are about to be deleted. They keep their contact id, state and times, and lose the
 * replies of mail servers, which may contain an address. Queued messages are skipped. A worker that has claimed a
 * message skips it if it has not begun to send it, and otherwise records the result.
 */
export async function redact(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  // Sources that wait for a message that is now skipped become due, because their campaign may be complete.
  await tx.sql`
    WITH redacted AS (
      UPDATE mail_recipient r SET is_redacted = true, answer = NULL,
        state = CASE WHEN r.state = 'QUEUED' THEN 'SKIPPED' ELSE r.state END,
        skip_reason = CASE WHEN r.state = 'QUEUED' THEN 'CONTACT_DELETED' ELSE r.skip_reason END,
        skipped_at = CASE WHEN r.state = 'QUEUED' THEN ${tx.clock.now()}::timestamptz ELSE r.skipped_at END
      WHERE r.account_id = ${tx.sql.account} AND r.contact_id = ANY(${contactIds}::int[])
      RETURNING coalesce(r.campaign_id, 0) AS campaign_id, r.state
    )
    UPDATE mail_source s SET due_at = ${tx.clock.now()}::timestamptz
    WHERE s.account_id = ${tx.sql.account} AND s.due_at > ${tx.clock.now()}::timestamptz
      AND s.campaign_id IN (SELECT campaign_id FROM redacted WHERE state = 'SKIPPED')`
}
