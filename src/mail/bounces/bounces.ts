import { contacts } from '../../contacts/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { findMessage, type Mark } from '../tracking/tokens.ts'
import { suppress } from './suppression.ts'

/** What someone who delivers mail says became of one message. */
export interface Report {
  /** HARD: the address takes no mail, now or ever. SOFT: not this time. COMPLAINT: its reader called it spam. */
  readonly kind: 'HARD' | 'SOFT' | 'COMPLAINT'
  /** Where the message is named, by its Message-ID or our own header; may be any text that holds it. */
  readonly message: string
  /** The address that it is about; empty where it is not named. */
  readonly email: string
  /** The words of the server, or of whoever reports. */
  readonly detail: string
}

/** How long a report that names only an address may come after the message. */
const patienceDays = 7

/** The longest words that are kept. */
const longestDetail = 500

interface Message {
  id: bigint
  state: string
  contactId: number
  campaignId: number | null
  stageId: number | null
  email: string
}

/**
 * Takes reports in, one after another; what they say is done once, however often they come. Answers how many were about a
 * message of ours.
 *
 * A hard bounce marks its message and suppresses the address; a soft one is noted at its message; a complaint suppresses
 * the address and unsubscribes the contact. Announces `email.bounced` and `email.complained`.
 */
export async function take(system: System & { readonly secret: string }, reports: readonly Report[]): Promise<number> {
  let known = 0
  for (const report of reports) {
    const mark = findMessage(system.secret, report.message) ?? (await lastMessageTo(system, report.email))
    if (!mark) continue
    if (await settle(newCtx(system, mark), mark.recipientId, report)) known += 1
  }
  return known
}

async function settle(ctx: Ctx, recipientId: bigint, report: Report): Promise<boolean> {
  const detail = printable(report.detail)
  return inTransaction(ctx, async (tx) => {
    const message = await lock(tx, recipientId)
    if (!message) return false
    const { contactId, campaignId, stageId } = message
    // Where mail was passed on to another address, it is that one which takes none.
    const email = isAddress(report.email) ? report.email : message.email
    switch (report.kind) {
      case 'SOFT':
        await note(tx, message, false, detail)
        break
      case 'HARD': {
        if (message.state === 'BOUNCED') break
        const isMarked = await note(tx, message, true, detail)
        const isNew = await suppress(tx, { email, reason: 'BOUNCE', detail })
        if (isMarked || isNew) await emit(tx, 'email.bounced', { contactId, campaignId, stageId })
        break
      }
      case 'COMPLAINT':
        // The address is what remembers that it has complained.
        if (!(await suppress(tx, { email, reason: 'COMPLAINT', detail }))) break
        await contacts.unsubscribe(tx, { contact: { id: contactId }, consent: { source: 'complaint', text: detail } })
        await emit(tx, 'email.complained', { contactId, campaignId, stageId })
    }
    return true
  })
}

/** The message and its reader, locked in the order in which everyone takes them. */
async function lock(tx: Ctx, recipientId: bigint): Promise<Message | undefined> {
  const id = String(recipientId)
  const [contact] = await tx.sql<{ email: string }>`
    SELECT c.email FROM contact c
    WHERE c.account_id = ${tx.sql.account} AND c.id =
      (SELECT contact_id FROM mail_recipient r WHERE r.account_id = c.account_id AND r.id = ${id}::bigint) FOR UPDATE`
  const [message] = await tx.sql<Message>`
    SELECT r.id, r.state::text AS state, r.contact_id AS "contactId", r.campaign_id AS "campaignId", r.stage_id AS "stageId"
    FROM mail_recipient r WHERE r.account_id = ${tx.sql.account} AND r.id = ${id}::bigint FOR NO KEY UPDATE`
  return contact && message && { ...message, ...contact }
}

/**
 * Writes at the message what a server said; where it is dead, also that it bounced, and answers whether it did so. One that a
 * worker holds in its hands is left to that.
 */
async function note(tx: Ctx, message: Message, isDead: boolean, answer: string): Promise<boolean> {
  const isMarked = isDead && (message.state === 'SENT' || message.state === 'UNKNOWN')
  await tx.sql`
    UPDATE mail_recipient SET answer = ${answer}, state = CASE WHEN ${isMarked} THEN 'BOUNCED' ELSE state END
    WHERE account_id = ${tx.sql.account} AND id = ${String(message.id)}::bigint`
  return isMarked
}

/**
 * The last message to an address, where only one account has written to it lately: what one account's mail has met is not
 * held against another's.
 */
async function lastMessageTo(system: System, email: string): Promise<Mark | undefined> {
  if (!isAddress(email)) return undefined
  const since = new Date(system.clock.now().getTime() - patienceDays * 24 * 60 * 60 * 1000)
  const found = await system.db.$unscoped<{ accountId: number; recipientId: bigint }>(
    'a report that names no message does not say whose it was',
    sql`SELECT a.id AS "accountId", last.id AS "recipientId" FROM account a CROSS JOIN LATERAL (
        SELECT r.id FROM contact c JOIN mail_recipient r ON r.account_id = c.account_id AND r.contact_id = c.id
        WHERE c.account_id = a.id AND lower(c.email) = lower(${email}) AND r.sent_at >= ${since}::timestamptz
        ORDER BY r.sent_at DESC, r.id DESC LIMIT 1) last LIMIT 2`,
  )
  return found.length === 1 ? found[0] : undefined
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 && !text.includes('\0') && text.isWellFormed()
}

/** A server may say anything; what is kept fits into a text column, on one line. */
function printable(words: string): string {
  return words
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longestDetail)
    .toWellFormed()
}
