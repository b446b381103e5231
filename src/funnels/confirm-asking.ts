import { createHash } from 'node:crypto'
import { ownAccount } from '../account/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { enqueue } from '../db/jobs.ts'
import { deleteOld } from '../db/retention.ts'
import { sql } from '../db/sql.ts'
import type { CompletedSubmission } from '../forms/index.ts'
import { html } from '../kernel/html.ts'
import type { Letter } from '../kernel/letter.ts'
import { dkimKeys, domainOf, senderDomains, suppressions } from '../mail/index.ts'
import { linkOf } from './confirm-token.ts'

export const askJob = 'funnels:ask_to_confirm'

export interface Ask {
  accountId: number
  submissionId: number
}

/** How often one address is asked within a day: whoever types it again and again shall not fill its mailbox. */
const mostADay = 3

/** For how long it is remembered who was asked, in days: longer than the link is good. */
const keptDays = 30

/**
 * Remembers an opt-in until it is confirmed, and has its address asked by e-mail: a job does that when this transaction has
 * committed.
 */
export async function askToConfirm(tx: Ctx, done: CompletedSubmission & { contactId: number }): Promise<void> {
  const { submissionId, contactId, formId, consent } = done
  const now = tx.clock.now()
  const dayAgo = new Date(now.getTime() - 24 * 60 * 60 * 1000)
  const asked = await tx.sql`
    INSERT INTO confirmation (account_id, submission_id, contact_id, source, text, asked_at)
    SELECT ${tx.sql.account}::int, ${submissionId}::int, ${contactId}::int, ${consent?.source ?? `form:${formId}`},
      ${consent?.text ?? ''}, ${now}::timestamptz
    WHERE (SELECT count(*) FROM confirmation c WHERE c.account_id = ${tx.sql.account} AND c.contact_id = ${contactId}::int
      AND c.asked_at > ${dayAgo}::timestamptz) < ${mostADay}::int
    ON CONFLICT DO NOTHING RETURNING 1 AS asked`
  if (asked.length === 0) return
  const job: Ask = { accountId: tx.accountId, submissionId }
  await enqueue(tx, askJob, job)
}

/**
 * Sends the letter that asks whether someone wants what they opted in for. Nobody is asked who was asked, has confirmed, or
 * is written to no more. Throws where the mail server may take it later, or the sender domain may be verified later.
 */
export async function ask(ctx: Ctx, submissionId: number): Promise<void> {
  const [waiting] = await ctx.sql<{ email: string; askedAt: Date }>`
    SELECT c.email, w.asked_at AS "askedAt" FROM confirmation w
    JOIN contact c ON c.account_id = w.account_id AND c.id = w.contact_id
    WHERE w.account_id = ${ctx.sql.account} AND w.submission_id = ${submissionId}::int AND w.sent_at IS NULL
      AND w.confirmed_at IS NULL AND NOT ${suppressions.isSuppressed(sql`c.account_id`, sql`c.email`)}`
  if (!waiting) return
  if (!ctx.post) throw new Error('This process sends no mail.')
  try {
    await ctx.post(await letterOf(ctx, { ...waiting, submissionId }))
  } catch (error) {
    const { responseCode } = error as { responseCode?: number }
    if (responseCode === undefined || responseCode < 500) throw error
    ctx.log.warn({ err: error, accountId: ctx.accountId }, 'a letter that asks to confirm was refused')
  }
  await ctx.sql`
    UPDATE confirmation SET sent_at = ${ctx.clock.now()}::timestamptz
    WHERE account_id = ${ctx.sql.account} AND submission_id = ${submissionId}::int`
}

/** Forgets who was asked long ago. What was confirmed is among the contact's consents. */
export async function forgetAsked(system: System): Promise<void> {
  await deleteOld(system, { table: 'confirmation', since: 'asked_at', keptDays })
}

/** What the job does. */
export async function runAsk(system: System, { accountId, submissionId }: Ask): Promise<void> {
  await ask(newCtx(system, { accountId }), submissionId)
}

async function letterOf(
  ctx: Ctx,
  { email, askedAt, submissionId }: { email: string; askedAt: Date; submissionId: number },
): Promise<Letter> {
  const account = await ownAccount(ctx)
  const address = account.senderEmail || account.email
  const domain = domainOf(address)
  if ((await senderDomains.listUnverified(ctx, [domain])).has(domain))
    throw new Error(senderDomains.unverifiedReason(domain))
  const link = linkOf(ctx, { submissionId, askedAt })
  const dkim = (await dkimKeys.loadSigners(ctx, [domain])).get(domain)
  const name = account.name.replace(/\s+/g, ' ')
  // The same however often the job runs, so that a mailbox can tell a repeat.
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

const why = (name: string) => `This address was entered on a page of ${name}. If that was you, please confirm it:`
const otherwise = 'The link is good for seven days. If it was not you, there is nothing to do: you will get no e-mail.'

function textOf(name: string, link: string): string {
  return `${why(name)}\n\n${link}\n\n${otherwise}\n`
}

function htmlOf(name: string, link: string): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Please confirm</title></head>
<body style="margin:0;background:#f4f5f7;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;color:#1f2430">
<div style="max-width:32rem;margin:0 auto;padding:2.5rem 1.5rem">
<div style="background:#ffffff;border-radius:12px;padding:2rem;font-size:16px;line-height:1.6">
<p style="margin:0 0 1.5rem">${why(name)}</p>
<p style="margin:0 0 1.5rem"><a href="${link}" style="display:inline-block;background:#1f2430;color:#ffffff;text-decoration:none;padding:.75rem 1.5rem;border-radius:8px">Confirm my address</a></p>
<p style="margin:0;color:#5c6370;font-size:14px">${otherwise}</p>
</div></div></body></html>
`.text
}
