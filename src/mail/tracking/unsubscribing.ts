import { ownAccount } from '../../account/index.ts'
import { contacts } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { refuse } from '../../kernel/errors.ts'

/** Whom an unsubscribe link is about. */
export interface Holder {
  readonly accountName: string
  readonly email: string
}

/** Whom the unsubscribe link of a message is about, or null where that contact is gone. */
export async function holderOf(ctx: Ctx, recipientId: bigint): Promise<Holder | null> {
  const [row] = await ctx.sql<{ email: string }>`
    SELECT c.email FROM mail_recipient r JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
    WHERE r.account_id = ${ctx.sql.account} AND r.id = ${String(recipientId)}::bigint`
  return row ? { accountName: (await ownAccount(ctx)).name, email: row.email } : null
}

/**
 * Takes whoever got a message out of all e-mail marketing and all sequences, and notes at the message that it led to this.
 * Safe to repeat. Keeps on record where the wish came from. Announces `contact.unsubscribed`. Fails with NOT_FOUND.
 */
export async function unsubscribe(
  ctx: Ctx,
  input: { recipientId: bigint; source: string; text: string; ip: string },
): Promise<void> {
  const { recipientId, ...consent } = input
  const id = String(recipientId)
  await inTransaction(ctx, async (tx) => {
    const [row] = await tx.sql<{ contactId: number }>`
      SELECT contact_id AS "contactId" FROM mail_recipient
      WHERE account_id = ${tx.sql.account} AND id = ${id}::bigint`
    if (!row) throw refuse('NOT_FOUND', 'There is no such message.')
    // The contact's row is locked before its messages', as by everyone who takes both.
    await contacts.unsubscribe(tx, { contact: { id: row.contactId }, consent })
    await tx.sql`
      UPDATE mail_recipient SET unsubscribed_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${id}::bigint AND unsubscribed_at IS NULL`
  })
}
