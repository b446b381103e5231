import type { System } from '../../../db/context.ts'
import { sql } from '../../../db/sql.ts'
import { inSystemTransaction } from '../../../db/transaction.ts'
import { maxFailures, suspicionHours } from '../../messages/email-templates.ts'
import { releaseReason } from '../../recipients/skip-reasons.ts'
import { refundQuota } from './claims.ts'

/** Duration of a lease. Much longer than any pause of a live worker. */
const leaseSeconds = 30

/** The `answer` of a message whose worker failed while it was being sent. */
const ambiguous = 'The process that was sending the message ended before the mail server replied.'

/** The `render_error` of an e-mail whose rendering ended processes. */
const endedReason = 'The process that rendered the e-mail ended twice, so its content may take too much memory.'

/** Registers a worker with a lease, and returns its ID. Uses the clock of the database, because those of machines differ. */
export async function registerWorker(system: System): Promise<number> {
  const [row] = await system.db.$unscoped<{ id: number }>(
    'a worker serves all accounts',
    sql`INSERT INTO mail_worker (seen_at) VALUES (now()) RETURNING id`,
  )
  return (row as { id: number }).id
}

/**
 * Renews the lease of a worker. Returns the number of registered workers, or 0 if the lease has expired and the claims of
 * this worker were released.
 */
export async function renewLease(system: System, workerId: number): Promise<number> {
  const [row] = await system.db.$unscoped<{ workers: number }>(
    'a worker serves all accounts',
    sql`UPDATE mail_worker SET seen_at = now() WHERE id = ${workerId} RETURNING (SELECT count(*)::int FROM mail_worker) AS workers`,
  )
  return row?.workers ?? 0
}

/** Removes a worker. Claims that it still has are released like those of an expired lease. */
export async function unregisterWorker(system: System, workerId: number): Promise<void> {
  await system.db.$unscoped('a worker serves all accounts', sql`DELETE FROM mail_worker WHERE id = ${workerId}`)
}

/**
 * Records that workers ended while they rendered e-mails. The second time within `suspicionHours` stops an e-mail, as content
 * that cannot be rendered does. Not the first one, because a process may render several e-mails and may end for another reason.
 */
async function countEndedRenderings(
  tx: Parameters<Parameters<typeof inSystemTransaction>[1]>[0],
  ended: readonly { rendering: unknown }[],
): Promise<void> {
  const marks = ended.flatMap(({ rendering }) => rendering)
  if (marks.length === 0) return
  await tx.db.$executeRaw`
    UPDATE email m SET render_ended_at = ${tx.clock.now()}::timestamptz,
      render_failures = CASE WHEN s."isSuspect" THEN ${maxFailures} ELSE m.render_failures END,
      render_error = CASE WHEN s."isSuspect" THEN ${endedReason} ELSE m.render_error END
    FROM (
      SELECT e.account_id, e.id,
        coalesce(e.render_ended_at > ${tx.clock.now()}::timestamptz - make_interval(hours => ${suspicionHours}::int), false) AS "isSuspect"
      FROM email e JOIN (
        SELECT DISTINCT "accountId", "emailId" FROM jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) AS x("accountId" int, "emailId" int)
      ) x ON e.account_id = x."accountId" AND e.id = x."emailId" ORDER BY e.account_id, e.id FOR UPDATE OF e
    ) s WHERE m.account_id = s.account_id AND m.id = s.id`
}

interface ReleasedRow {
  accountId: number
  isUnsent: boolean
}

/**
 * Releases the claims of workers whose lease has expired. Claimed messages become QUEUED, or SKIPPED if their campaign was
 * cancelled. Messages in flight may have been sent or not: those of campaigns become UNKNOWN, because a campaign never sends
 * one twice automatically; those of sequences are sent again under the same Message-ID. Their attempt counts. Messages to
 * deleted contacts are not sent again: they become SKIPPED, or UNKNOWN. Returns the number of messages.
 */
export async function releaseExpiredClaims(system: System): Promise<number> {
  const released = await inSystemTransaction(system, async (tx) => {
    const ended = await tx.db.$queryRaw<{ rendering: unknown }[]>`
      DELETE FROM mail_worker WHERE id IN (SELECT id FROM mail_worker
        WHERE seen_at < now() - make_interval(secs => ${leaseSeconds}) FOR UPDATE SKIP LOCKED) RETURNING rendering`
    await countEndedRenderings(tx, ended)
    return tx.db.$queryRaw<ReleasedRow[]>`
      WITH expired AS (
        SELECT r.account_id, r.id, r.state FROM mail_recipient r WHERE r.state IN ('CLAIMED', 'SENDING')
          AND NOT EXISTS (SELECT FROM mail_worker w WHERE w.id = r.worker_id) FOR UPDATE SKIP LOCKED
      ), released AS (
        UPDATE mail_recipient r SET worker_id = NULL, attempts = r.attempts + (l.state = 'SENDING')::int, (state, skip_reason, skipped_at, answer) = (
          SELECT CASE WHEN v.is_ambiguous THEN 'UNKNOWN' WHEN v.reason IS NULL THEN 'QUEUED' ELSE 'SKIPPED' END::recipient_state,
            CASE WHEN NOT v.is_ambiguous THEN v.reason END,
            CASE WHEN NOT v.is_ambiguous AND v.reason IS NOT NULL THEN ${tx.clock.now()}::timestamptz END,
            CASE WHEN v.is_ambiguous THEN ${ambiguous} ELSE r.answer END
          FROM (SELECT l.state = 'SENDING' AND (r.enrolment_id IS NULL OR r.is_redacted) AS is_ambiguous,
            ${releaseReason(sql`r`)}::skip_reason AS reason) v)
        FROM expired l WHERE r.account_id = l.account_id AND r.id = l.id
        RETURNING r.account_id, coalesce(r.campaign_id, 0) AS campaign_id, r.state
      ), woken AS (
        UPDATE mail_source s SET due_at = least(s.due_at, ${tx.clock.now()}::timestamptz) FROM (SELECT DISTINCT account_id, campaign_id FROM released) f
        WHERE s.account_id = f.account_id AND s.campaign_id = f.campaign_id
      )
      SELECT account_id AS "accountId", state <> 'UNKNOWN' AS "isUnsent" FROM released`
  })
  const unsent = Map.groupBy(
    released.filter(({ isUnsent }) => isUnsent),
    ({ accountId }) => accountId,
  )
  for (const [accountId, rows] of unsent) await refundQuota(system, accountId, rows.length)
  return released.length
}
