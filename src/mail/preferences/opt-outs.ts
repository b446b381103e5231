import { consents, contacts, merging, topicMemberships } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { refuse } from '../../kernel/errors.ts'
import { setReaction } from '../tracking/latest-messages.ts'

/** The sources of opt-outs through the link of a message: of a mail program, and of the page. */
export const optOutSources = ['list-unsubscribe', 'unsubscribe-page'] as const

/** The source of other decisions on the page. */
export const pageSource = 'preference-page'

/** How long an opt-out can be undone. */
const undoMs = 24 * 60 * 60 * 1000

/** The time after which an opt-out can still be undone. */
export function undoSince({ clock }: Pick<Ctx, 'clock'>): Date {
  return new Date(clock.now().getTime() - undoMs)
}

/** The message of a link, with the evidence of what its recipient decides. */
interface Decision {
  readonly recipientId: bigint
  readonly source: string
  readonly text: string
  readonly ip: string
}

/**
 * Unsubscribes the contact of a message from marketing e-mail and all sequences, and stores the time with the message.
 * Idempotent. **Emits** `contact.unsubscribed`. **Throws** NOT_FOUND.
 */
export async function unsubscribe(ctx: Ctx, { recipientId, ...consent }: Decision): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    // The contact is locked before its messages, as everywhere.
    await contacts.unsubscribe(tx, { contact: { id: await contactOf(tx, recipientId) }, consent })
    await setReaction(tx, recipientId, 'unsubscribed_at', tx.clock.now(), 'UNSUBSCRIBES')
  })
}

/**
 * Lets the contact of a message leave a topic, and stores the time with the message. Idempotent. **Emits** `contact.topic_left`.
 * **Throws** NOT_FOUND.
 */
export async function leaveTopic(ctx: Ctx, { recipientId, topicId, ...consent }: Decision & { topicId: number }) {
  await inTransaction(ctx, async (tx) => {
    await topicMemberships.leave(tx, { contact: { id: await contactOf(tx, recipientId) }, topicId, consent })
    await setReaction(tx, recipientId, 'unsubscribed_at', tx.clock.now(), 'UNSUBSCRIBES')
  })
}

/**
 * Undoes an opt-out that the contact of a message made through a link less than a day ago: from a topic, or from everything.
 * One of another source stays, such as a complaint. Sequences that the contact left are not continued. Does nothing if there is
 * none. **Emits** `contact.topic_joined` or `contact.resubscribed`. **Throws** NOT_FOUND.
 */
export async function undo(
  ctx: Ctx,
  { recipientId, topicId, ...consent }: Decision & { topicId: number | null },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const contact = { id: await contactOf(tx, recipientId) }
    const since = { topicId, since: undoSince(tx), sources: optOutSources }
    if (!(await consents.isWithdrawnSince(tx, contact.id, since))) return
    if (topicId !== null) await topicMemberships.join(tx, { contact, topicId, consent })
    else await contacts.update(tx, { contact, emailMarketing: true, consent })
  })
}

/** Returns the id of the contact of a message, or of the one that it was merged into. **Throws** NOT_FOUND. */
export async function contactOf(tx: Ctx, recipientId: bigint): Promise<number> {
  const [row] = await tx.sql<{ contactId: number }>`
    SELECT ${merging.currentId(sql`r.account_id`, sql`r.contact_id`)} AS "contactId" FROM mail_recipient r
    WHERE r.account_id = ${tx.sql.account} AND r.id = ${String(recipientId)}::bigint`
  if (!row) throw refuse('NOT_FOUND', 'The message was not found.')
  return row.contactId
}
