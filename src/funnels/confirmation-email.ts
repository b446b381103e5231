import { createHash } from 'node:crypto'
import { ownAccount } from '../account/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { enqueue } from '../db/jobs.ts'
import { deleteOld } from '../db/retention.ts'
import { sql } from '../db/sql.ts'
import type { CompletedSubmission } from '../forms/index.ts'
import { html } from '../kernel/html.ts'
import type { OutgoingMessage } from '../kernel/outgoing-message.ts'
import { dkimKeys, domainOf, senderDomains, suppressions } from '../mail/index.ts'
import { confirmationLink } from './confirmation-link.ts'

export const confirmationJob = 'funnels:ask_to_confirm'

interface ConfirmationPayload {
  accountId: number
  submissionId: number
}

/** Maximum number of confirmation e-mails per contact in 24 hours, so that repeated submissions do not flood a mailbox. */
const maxPerDay = 3

/** Retention of confirmations in days. Longer than the validity of the link. */
const keptDays = 30

/** Stores an opt-in that must be confirmed, and enqueues the job that sends the confirmation e-mail. */
export async function requestConfirmation(
  tx: Ctx,
  submission: CompletedSubmission & { contactId: number },
): Promise<void> {
  const { submissionId, contactId, formId, consent } = submission
  const now = tx.clock.now()
  const dayAgo = new Date(now.getTime() - 24 * 60 * 60 * 1000)
  const inserted = await tx.sql`
    INSERT INTO confirmation (account_id, submission_id, contact_id, source, text, asked_at)
    SELECT ${tx.sql.account}::int, ${submissionId}::int, ${contactId}::int, ${consent?.source ?? `form:${formId}`},
      ${consent?.text ?? ''}, ${now}::timestamptz
    WHERE (SELECT count(*) FROM confirmation c WHERE c.account_id = ${tx.sql.account} AND c.contact_id = ${contactId}::int
      AND c.asked_at > ${dayAgo}::timestamptz) < ${maxPerDay}::int
    ON CONFLICT DO NOTHING RETURNING 1`
  if (inserted.length === 0) return
  const payload: ConfirmationPayload = { accountId: tx.accountId, submissionId }
  await enqueue(tx, confirmationJob, payload)
}

/**
 * Sends the confirmation e-mail of a submission. Does nothing if it was sent or confirmed, or if the address is suppressed.
 * Throws on a temporary error of the mail server and on an unverified sender domain, so that the job runs again.
 */
async function sendConfirmation(ctx: Ctx, submissionId: number): Promise<void> {
  const [pending] = await ctx.sql<{ email: string; askedAt: Date }>`
    SELECT c.email, w.asked_at AS "askedAt" FROM confirmation w
    JOIN contact c ON c.account_id = w.account_id AND c.id = w.contact_id
    WHERE w.account_id = ${ctx.sql.account} AND w.submission_id = ${submissionId}::int AND w.sent_at IS NULL
      AND w.confirmed_at IS NULL AND NOT ${suppressions.isSuppressed(sql`c.account_id`, sql`c.email`)}`
  if (!pending) return
  try {
    await ctx.sendMessage(await confirmationEmail(ctx, { ...pending, submissionId }))
  } catch (error) {
    const { responseCode } = error as { responseCode?: number }
    if (responseCode === undefined || responseCode < 500) throw error
    ctx.log.warn({ err: error, accountId: ctx.accountId }, 'the mail server rejected a confirmation e-mail')
  }
  await ctx.sql`
    UPDATE confirmation SET sent_at = ${ctx.clock.now()}::timestamptz
    WHERE account_id = ${ctx.sql.account} AND submission_id = ${submissionId}::int`
}

/** Deletes old confirmations. Confirmed consents are stored with the contact. */
export async function deleteOldConfirmations(system: System): Promise<void> {
  await deleteOld(system, { table: 'confirmation', since: 'asked_at', keptDays })
}

/** Runs the job that sends a confirmation e-mail. */
export async function runConfirmationJob(
  system: System,
  { accountId, submissionId }: ConfirmationPayload,
): Promise<void> {
  await sendConfirmation(newCtx(system, { accountId }), submissionId)
}

async function confirmationEmail(
  ctx: Ctx,
  { email, askedAt, submissionId }: { email: string; askedAt: Date; submissionId: number },
): Promise<OutgoingMessage> {
  const account = await ownAccount(ctx)
  const address = account.senderEmail || account.email
  const domain = domainOf(address)
  if ((await senderDomains.listUnverified(ctx, [domain])).has(domain))
    throw new Error(senderDomains.unverifiedReason(domain))
  const link = confirmationLink(ctx, { submissionId, askedAt })
  const dkim = (await dkimKeys.loadSigners(ctx, [domain])).get(domain)
  const name = account.name.replace(/\s+/g, ' ')
  // The same for each run of the job, so that a mailbox recognises a duplicate.
  const id = createHash('sha256').update(`confirm ${ctx.accountId} ${submissionId}`).digest('hex').slice(0, 32)
  return {
    messageId: `<confirm.${id}@${domain}>`,
    from: { name: account.senderName || name, address },
    to: { name: '', address: email },
    subject: `Please confirm: e-mail from ${name}`,
    html: htmlOf(name, link),
    text: textOf(name, link),
    headers: { 'Auto-Submitted': { prepared: true, value: 'auto-generated' } },
    ...(dkim && { dkim }),
  }
}

const introductionOf = (name: string) =>
  `This address was entered on a page of ${name}. If that was you, please confirm it:`
const notice = 'The link is valid for seven days. If it was not you, ignore this message: you will get no e-mail.'

function textOf(name: string, link: string): string {
  return `${introductionOf(name)}\n\n${link}\n\n${notice}\n`
}

function htmlOf(name: string, link: string): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Please confirm</title></head>
<body style="margin:0;background:#f4f5f7;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;color:#1f2430">
<div style="max-width:32rem;margin:0 auto;padding:2.5rem 1.5rem">
<div style="background:#ffffff;border-radius:12px;padding:2rem;font-size:16px;line-height:1.6">
<p style="margin:0 0 1.5rem">${introductionOf(name)}</p>
<p style="margin:0 0 1.5rem"><a href="${link}" style="display:inline-block;background:#1f2430;color:#ffffff;text-decoration:none;padding:.75rem 1.5rem;border-radius:8px">Confirm my address</a></p>
<p style="margin:0;color:#5c6370;font-size:14px">${notice}</p>
</div></div></body></html>
`.text
}
