import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { enqueue } from '../../db/jobs/jobs.ts'
import { sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import type { CompletedSubmission } from '../../forms/index.ts'
import { suppressions } from '../../mail/index.ts'
import { type PendingConfirmation, pendingColumns, sendConfirmationMessage } from './confirmation-message.ts'
import { reminderDelayMs } from './reminders.ts'

export const confirmationJob = 'funnels:ask_to_confirm'

interface ConfirmationPayload {
  accountId: number
  submissionId: number
}

/**
 * Maximum number of confirmation e-mails per contact in 24 hours, reminders included, so that repeated submissions do not flood a
 * mailbox.
 */
const maxPerDay = 3

/** Retention of confirmations in days. Longer than the validity of the link. */
export const keptDays = 30

/** Stores an opt-in that must be confirmed, and enqueues the job that sends the confirmation e-mail. */
export async function requestConfirmation(
  tx: Ctx,
  submission: CompletedSubmission & { contactId: number },
): Promise<void> {
  const { submissionId, contactId, formId, consent } = submission
  const now = tx.clock.now()
  const dayAgo = new Date(now.getTime() - 24 * 60 * 60 * 1000)
  const inserted = await tx.sql`
    INSERT INTO confirmation (account_id, submission_id, form_id, contact_id, source, text, asked_at)
    SELECT ${tx.sql.account}::int, ${submissionId}::int, ${formId}::int, ${contactId}::int, ${consent?.source ?? `form:${formId}`},
      ${consent?.text ?? ''}, ${now}::timestamptz
    WHERE (SELECT count(*) FILTER (WHERE c.asked_at > ${dayAgo}::timestamptz)
        + count(*) FILTER (WHERE c.reminded_at > ${dayAgo}::timestamptz)
      FROM confirmation c WHERE c.account_id = ${tx.sql.account} AND c.contact_id = ${contactId}::int) < ${maxPerDay}::int
    ON CONFLICT DO NOTHING RETURNING 1`
  if (inserted.length === 0) return
  const payload: ConfirmationPayload = { accountId: tx.accountId, submissionId }
  await enqueue(tx, confirmationJob, payload)
}

/**
 * Sends the confirmation e-mail of a submission. Does nothing if it was sent or confirmed, or if the address is suppressed.
 * Throws as `sendConfirmationMessage`, so that the job runs again.
 */
async function sendConfirmation(ctx: Ctx, submissionId: number): Promise<void> {
  const [pending] = await ctx.sql<PendingConfirmation>`
    SELECT ${pendingColumns} FROM confirmation w
    JOIN contact c ON c.account_id = w.account_id AND c.id = w.contact_id
    WHERE w.account_id = ${ctx.sql.account} AND w.submission_id = ${submissionId}::int AND w.sent_at IS NULL
      AND w.confirmed_at IS NULL AND NOT ${suppressions.isSuppressed(ctx.signer, sql`c.account_id`, sql`c.email`)}`
  if (!pending) return
  const isAccepted = await sendConfirmationMessage(ctx, pending, 'confirm')
  const now = ctx.clock.now()
  const remindAt = isAccepted ? new Date(now.getTime() + reminderDelayMs) : null
  await ctx.sql`
    UPDATE confirmation SET sent_at = ${now}::timestamptz,
      remind_at = CASE WHEN confirmed_at IS NULL THEN ${remindAt}::timestamptz END
    WHERE account_id = ${ctx.sql.account} AND submission_id = ${submissionId}::int`
}

/** Deletes old confirmations. Confirmed consents are stored with the contact. */
export async function removeOldConfirmations(system: System): Promise<void> {
  await removeOld(system, { table: 'confirmation', since: 'asked_at', keptDays })
}

/** Runs the job that sends a confirmation e-mail. */
export async function runConfirmationJob(
  system: System,
  { accountId, submissionId }: ConfirmationPayload,
): Promise<void> {
  await sendConfirmation(newCtx(system, { accountId }), submissionId)
}
