import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'

/**
 * Returns a statement that marks the contacts of the subquery `contactIds` as recipients of a month (`YYYY-MM`). The sum of
 * its column `added` is the number of contacts that were not marked before: the quota counts these.
 *
 * Uses one bit per contact, because a row would cost as much as the recipient itself. Blocks are locked in order, so that
 * two campaigns that start at the same time cannot deadlock.
 */
export function markMonthlyRecipients(ctx: Ctx, month: string, contactIds: Sql): Sql {
  return sql`INSERT INTO monthly_recipient AS m (account_id, month, block, contacts, added)
    SELECT ${ctx.sql.account}::int, ${month}, contact_id / 1024, bit_or(set_bit(0::bit(1024), contact_id % 1024, 1)),
      bit_count(bit_or(set_bit(0::bit(1024), contact_id % 1024, 1)))
    FROM (${contactIds}) written GROUP BY contact_id / 1024 ORDER BY contact_id / 1024
    ON CONFLICT (account_id, month, block) DO UPDATE
      SET contacts = m.contacts | excluded.contacts,
        added = bit_count(m.contacts | excluded.contacts) - bit_count(m.contacts)
    RETURNING added`
}

/** Returns the condition that a contact is marked as recipient of a month (`YYYY-MM`). */
export function isMonthlyRecipient(ctx: Ctx, month: string, contactId: Sql): Sql {
  return sql`EXISTS (SELECT FROM monthly_recipient m WHERE m.account_id = ${ctx.sql.account} AND m.month = ${month}
    AND m.block = ${contactId} / 1024 AND get_bit(m.contacts, ${contactId} % 1024) = 1)`
}
