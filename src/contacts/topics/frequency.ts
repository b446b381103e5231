import type { MessageFrequency } from '../../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { type Contact, type ContactRef, lock } from '../record/contact-lookup.ts'

/**
 * Selects the limit that a contact chose, as `n` messages in so many `days`. No row if it chose none. The arguments are columns
 * of the statement.
 */
export function chosenLimit(accountId: Sql, contactId: Sql): Sql {
  return sql`SELECT 1, CASE chosen.frequency WHEN 'WEEKLY' THEN 7 ELSE 30 END FROM contact_preference chosen
    WHERE chosen.account_id = ${accountId} AND chosen.contact_id = ${contactId} AND chosen.frequency <> 'ANY'`
}

/** Loads how often contacts want marketing e-mail. Absent for contacts that chose nothing. */
export const frequencyOf = one<number, MessageFrequency>(async (ctx, contactIds) => {
  const rows = await ctx.sql<{ id: number; frequency: MessageFrequency }>`
    SELECT q.contact_id AS id, q.frequency::text AS frequency FROM contact_preference q
    WHERE q.account_id = ${ctx.sql.account} AND q.contact_id = ANY(${contactIds}::int[])`
  return new Map(rows.map(({ id, frequency }) => [id, frequency]))
})

/**
 * Sets how often a contact wants marketing e-mail. Idempotent. **Emits** `contact.updated` if it changes. **Throws** NOT_FOUND.
 */
export async function setFrequency(
  ctx: Ctx,
  input: { contact: ContactRef; frequency: MessageFrequency },
): Promise<{ contact: Contact }> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const changed = await tx.sql`
      INSERT INTO contact_preference AS q (account_id, contact_id, frequency, updated_at)
      SELECT ${tx.sql.account}::int, ${contact.id}::int, ${input.frequency}::message_frequency, ${tx.clock.now()}::timestamptz
      ON CONFLICT (account_id, contact_id) DO UPDATE SET frequency = EXCLUDED.frequency, updated_at = EXCLUDED.updated_at
        WHERE q.frequency <> EXCLUDED.frequency RETURNING 1`
    if (changed.length > 0) await emit(tx, 'contact.updated', { contactId: contact.id })
    return { contact }
  })
}

/** Gives the preference of a contact to another one that has none. The rows of both contacts are locked. */
export async function mergeFrequency(tx: Ctx, sourceId: number, targetId: number): Promise<void> {
  await tx.sql`
    INSERT INTO contact_preference (account_id, contact_id, frequency, updated_at)
    SELECT q.account_id, ${targetId}::int, q.frequency, q.updated_at FROM contact_preference q
    WHERE q.account_id = ${tx.sql.account} AND q.contact_id = ${sourceId}::int ON CONFLICT DO NOTHING`
}
