import { ownAccount } from '../../account/index.ts'
import { contacts, merging } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { refuse } from '../../kernel/errors.ts'
import { setReaction } from './latest-messages.ts'

/** The contact of a message, as the unsubscribe page shows it. */
interface MessageContact {
  readonly accountName: string
  readonly email: string
  /** Whether the contact used the link of this message before, and has not agreed to e-mail again. */
  readonly isUnsubscribed: boolean
}

/** Finds the contact of a message. Null if it was deleted. */
export async function findMessageContact(ctx: Ctx, recipientId: bigint): Promise<MessageContact | null> {
  const [row] = await ctx.sql<{ email: string; isUnsubscribed: boolean }>`
    SELECT c.email, r.unsubscribed_at IS NOT NULL AND NOT c.email_marketing AS "isUnsubscribed"
    FROM mail_recipient r JOIN contact c ON c.account_id = r.account_id AND c.id = ${merging.currentId(sql`r.account_id`, sql`r.contact_id`)}
    WHERE r.account_id = ${ctx.sql.account} AND r.id = ${String(recipientId)}::bigint`
  return row ? { accountName: (await ownAccount(ctx)).name, ...row } : null
}

/**
 * Unsubscribes the contact of a message from marketing e-mail and all sequences, and stores the time with the message.
 * Idempotent. `source`, `text` and `ip` are stored as evidence. **Emits** `contact.unsubscribed`. **Throws** NOT_FOUND.
 */
export async function unsubscribe(
  ctx: Ctx,
  input: { recipientId: bigint; source: string; text: string; ip: string },
): Promise<void> {
  const { recipientId, ...consent } = input
  await inTransaction(ctx, async (tx) => {
    const [row] = await tx.sql<{ contactId: number }>`
      SELECT ${merging.currentId(sql`r.account_id`, sql`r.contact_id`)} AS "contactId" FROM mail_recipient r
      WHERE r.account_id = ${tx.sql.account} AND r.id = ${String(recipientId)}::bigint`
    if (!row) throw refuse('NOT_FOUND', 'The message was not found.')
    // The contact is locked before its messages, as everywhere.
    await contacts.unsubscribe(tx, { contact: { id: row.contactId }, consent })
    await setReaction(tx, recipientId, 'unsubscribed_at', tx.clock.now(), 'UNSUBSCRIBES')
  })
}
