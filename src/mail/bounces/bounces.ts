import { contacts, emailBefore, merging } from '../../contacts/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { insertFigures } from '../../db/figures/figures.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { isStorable, oneLine } from '../../kernel/values/storable-text.ts'
import { type FailureCause, isFaultOfSender } from '../failures/failure-causes.ts'
import { addProblem } from '../failures/sender-problems.ts'
import { changedFigure } from '../figures.ts'
import { findMessage, type MessageRef } from '../messages/message-tokens.ts'
import { countSoftBounce } from '../suppressions/soft-bounces.ts'
import { suppress } from '../suppressions/suppressions.ts'
import { type BounceReport, judgeReport, type ProviderReport } from './report-judgement.ts'

/** How long after a message a report that names only an address is assigned to it. */
const maxReportDelayDays = 7

/** Maximum number of stored characters of a report's detail. */
const maxDetailLength = 500

interface Message {
  id: bigint
  state: string
  failureCause: string | null
  contactId: number
  campaignId: number | null
  stageId: number | null
  email: string
}

/**
 * Records reports, one after another. Idempotent. Returns the number of reports about messages of this server.
 *
 * A hard bounce marks its message and suppresses the address that the message was sent to, however the report spells it. A soft
 * bounce is stored with its message and counted (`countSoftBounce`), or is a problem of the sender. A complaint suppresses the
 * address and unsubscribes the contact; an opt-out unsubscribes it. `isTrusted` is false for reports that anybody can send: of
 * these, one without the token of a message counts as a soft bounce at most. **Emits** `email.bounced` and `email.complained`.
 */
export async function recordReports(
  system: System,
  reports: readonly ProviderReport[],
  { isTrusted = true } = {},
): Promise<number> {
  let known = 0
  const seen = new Map<string, boolean>()
  for (const report of reports) {
    const named = findMessage(system.signer.secret, report.message)
    const ref = named ?? (await lastMessageTo(system, report.email))
    if (!ref) continue
    const judged = judgeReport(report)
    const counted: BounceReport =
      named || isTrusted ? judged : { ...judged, kind: 'SOFT', cause: judged.cause ?? 'UNKNOWN' }
    // A report about many recipients of a forwarded message is one about the message.
    const key = `${ref.accountId} ${ref.recipientId} ${counted.kind} ${counted.cause}`
    const isKnown =
      seen.get(key) ??
      (await recordReport(newCtx(system, { ...ref, actor: { kind: 'MAIL_PROVIDER' } }), ref.recipientId, counted))
    seen.set(key, isKnown)
    if (isKnown) known += 1
  }
  return known
}

async function recordReport(ctx: Ctx, recipientId: bigint, report: BounceReport): Promise<boolean> {
  const detail = oneLine(report.detail, maxDetailLength)
  const cause = report.cause ?? 'UNKNOWN'
  return inTransaction(ctx, async (tx) => {
    const message = await lockMessage(tx, recipientId)
    if (!message) return false
    const { contactId, campaignId, stageId, email } = message
    const subject = { contactId, campaignId, stageId }
    const announceBounce = () => emit(tx, 'email.bounced', { ...subject, cause })
    switch (report.kind) {
      case 'SOFT': {
        await updateMessage(tx, message, { state: report.isDelay ? 'delayed' : 'failed', answer: detail, cause })
        if (isFaultOfSender(cause)) {
          // A report that comes again is counted once.
          if (message.failureCause !== cause) await addProblem(tx, { email, cause, detail })
        } else if (!report.isDelay && (await countSoftBounce(tx, { recipientId, contactId, email, cause, detail })))
          await announceBounce()
        break
      }
      case 'HARD': {
        if (message.state === 'BOUNCED') break
        const isMarked = await updateMessage(tx, message, { state: 'bounced', answer: detail, cause })
        const isNew = await suppress(tx, { email, reason: 'BOUNCE', cause, detail })
        if (isMarked || isNew) await announceBounce()
        break
      }
      case 'COMPLAINT':
        // The message and the suppression record that the complaint was handled.
        await markComplaint(tx, recipientId)
        if (!(await suppress(tx, { email, reason: 'COMPLAINT', detail }))) break
        await contacts.unsubscribe(tx, { contact: { id: contactId }, consent: { source: 'complaint', text: detail } })
        await emit(tx, 'email.complained', subject)
        break
      case 'OPT_OUT':
        await contacts.unsubscribe(tx, { contact: { id: contactId }, consent: { source: 'opt-out', text: detail } })
    }
    return true
  })
}

/**
 * Locks and returns a message and its contact, with the address that the message was sent to: that of the contact, or the one
 * before its first change since then. The contact is locked first, as everywhere.
 */
async function lockMessage(tx: Ctx, recipientId: bigint): Promise<Message | undefined> {
  const id = String(recipientId)
  const [contact] = await tx.sql<{ email: string }>`
    SELECT c.email FROM contact c
    WHERE c.account_id = ${tx.sql.account} AND c.id =
      (SELECT ${merging.currentId(sql`r.account_id`, sql`r.contact_id`)} FROM mail_recipient r WHERE r.account_id = c.account_id AND r.id = ${id}::bigint) FOR UPDATE`
  const [message] = await tx.sql<Message & { oldEmail: string | null }>`
    SELECT r.id, r.state::text AS state, r.failure_cause::text AS "failureCause",
      ${merging.currentId(sql`r.account_id`, sql`r.contact_id`)} AS "contactId", r.campaign_id AS "campaignId", r.stage_id AS "stageId",
      ${emailBefore(sql`r.account_id`, merging.currentId(sql`r.account_id`, sql`r.contact_id`), sql`coalesce(r.sent_at, r.created_at)`)} AS "oldEmail"
    FROM mail_recipient r WHERE r.account_id = ${tx.sql.account} AND r.id = ${id}::bigint FOR NO KEY UPDATE OF r`
  return contact && message && { ...message, email: message.oldEmail ?? contact.email }
}

/**
 * Stores the reply of a server with a message. A hard bounce also sets its state to BOUNCED, unless a worker has claimed the
 * message. Returns whether it did.
 */
async function updateMessage(
  tx: Ctx,
  message: Message,
  { state, answer, cause }: { state: 'delayed' | 'failed' | 'bounced'; answer: string; cause: FailureCause },
): Promise<boolean> {
  const isMarked = state === 'bounced' && (message.state === 'SENT' || message.state === 'UNKNOWN')
  const now = tx.clock.now()
  // A bounce keeps its time and its cause, by which it is counted.
  await tx.sql`
    WITH changed AS (
      UPDATE mail_recipient SET answer = ${answer}, failure_cause = ${cause}::failure_cause,
        failed_at = CASE WHEN ${state === 'delayed'} THEN failed_at ELSE ${now}::timestamptz END,
        state = CASE WHEN ${isMarked} THEN 'BOUNCED' ELSE state END
      WHERE account_id = ${tx.sql.account} AND id = ${String(message.id)}::bigint AND state <> 'BOUNCED'
      RETURNING account_id, campaign_id, sequence_id, stage_id, sent_at, state
    ), bounced AS (
      SELECT * FROM changed WHERE ${isMarked}
    ) ${insertFigures(sql`${changedFigure('BOUNCES', sql`bounced`, now)}
      UNION ALL ${changedFigure('REJECTIONS', sql`bounced WHERE sent_at IS NULL`, now)}`)}`
  return isMarked
}

/** Stores with a message that it was reported as spam, unless it was before. */
async function markComplaint(tx: Ctx, recipientId: bigint): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    WITH changed AS (
      UPDATE mail_recipient SET complained_at = ${now}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${String(recipientId)}::bigint AND complained_at IS NULL
      RETURNING account_id, campaign_id, sequence_id, stage_id
    ) ${insertFigures(changedFigure('COMPLAINTS', sql`changed`, now))}`
}

/**
 * Finds the last message to an address, if only one account sent to it lately: a report must not affect another account.
 */
async function lastMessageTo(system: System, reported: string): Promise<MessageRef | undefined> {
  const email = reported.replace(/\.$/, '')
  if (!isAddress(email)) return undefined
  const since = new Date(system.clock.now().getTime() - maxReportDelayDays * 24 * 60 * 60 * 1000)
  const rows = await system.db.$unscoped<{ accountId: number; recipientId: bigint }>(
    'a report that names no message does not say whose it was',
    sql`SELECT a.id AS "accountId", last.id AS "recipientId" FROM account a CROSS JOIN LATERAL (
        SELECT r.id FROM contact c JOIN mail_recipient r ON r.account_id = c.account_id AND r.contact_id = c.id
        WHERE c.account_id = a.id AND address_key(c.email) = address_key(${email}) AND r.sent_at >= ${since}::timestamptz
        ORDER BY r.sent_at DESC, r.id DESC LIMIT 1) last LIMIT 2`,
  )
  return rows.length === 1 ? rows[0] : undefined
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 && isStorable(text)
}
