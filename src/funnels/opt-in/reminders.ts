import { newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { suppressions } from '../../mail/index.ts'
import { linkTtlMs } from './confirmation-link.ts'
import { type PendingConfirmation, pendingColumns, sendConfirmationMessage } from './confirmation-message.ts'

export const reminderJob = 'funnels:remind_to_confirm'

/** Time from the confirmation e-mail until its reminder: a day. */
export const reminderDelayMs = 24 * 60 * 60 * 1000

/** Number of reminders that one statement enqueues. */
const batchSize = 1_000

/** Other jobs run first, because reminders become due in large numbers. */
const priority = 10

interface ReminderPayload {
  accountId: number
  submissionId: number
}

/** Enqueues a job for each reminder that is due, in batches: once, because its due time is removed in the same statement. */
export async function enqueueReminders({ db, clock }: Pick<System, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  for (let enqueued = batchSize; enqueued === batchSize; ) {
    const [row] = await db.$unscoped<{ n: number }>(
      'reminders of all accounts become due together',
      sql`WITH due AS (
          UPDATE confirmation SET remind_at = NULL WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM confirmation WHERE remind_at <= ${now}::timestamptz
            ORDER BY remind_at LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
          RETURNING account_id, submission_id
        )
        SELECT count(job.id)::int AS n FROM due CROSS JOIN LATERAL graphile_worker.add_job(${reminderJob},
          json_build_object('accountId', due.account_id, 'submissionId', due.submission_id), priority => ${priority}::int) job`,
    )
    enqueued = row?.n ?? 0
  }
}

/**
 * Sends the reminder of a confirmation. Does nothing if the account has switched reminders off, if the confirmation was given or
 * its link has expired, if the address is suppressed, or if the contact was asked again or confirmed another opt-in since: one
 * request at a time is enough. The time of the attempt is stored before it, because programs follow the links of a message as
 * soon as it arrives.
 */
export async function runReminderJob(system: System, { accountId, submissionId }: ReminderPayload): Promise<void> {
  const ctx = newCtx(system, { accountId })
  const now = ctx.clock.now()
  const oldest = new Date(now.getTime() - linkTtlMs)
  const [pending] = await ctx.sql<PendingConfirmation>`
    UPDATE confirmation w SET reminded_at = ${now}::timestamptz
    FROM contact c, account a
    WHERE w.account_id = ${ctx.sql.account} AND w.submission_id = ${submissionId}::int AND w.confirmed_at IS NULL
      AND w.asked_at > ${oldest}::timestamptz AND a.id = w.account_id AND a.confirmation_reminder
      AND c.account_id = w.account_id AND c.id = w.contact_id
      AND NOT ${suppressions.isSuppressed(ctx.signer, sql`c.account_id`, sql`c.email`)}
      AND NOT EXISTS (SELECT FROM confirmation o WHERE o.account_id = w.account_id AND o.contact_id = w.contact_id
        AND ((o.asked_at, o.submission_id) > (w.asked_at, w.submission_id) OR o.confirmed_at > w.asked_at))
    RETURNING ${pendingColumns}`
  if (pending) await sendConfirmationMessage(ctx, pending, 'confirm-again')
}
