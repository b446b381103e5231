import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'

/**
 * Marks the contacts that `contactIds` selects as written to in a month (`YYYY-MM`), and answers in `added`, to be summed
 * up, how many were not marked before: the quota counts these.
 *
 * A row per contact would cost a campaign as much as its recipients themselves; a bit costs next to nothing. Blocks are
 * taken in order, so that two campaigns that begin at once wait for each other and do not block each other.
 */
export function seenIn(ctx: Ctx, month: string, contactIds: Sql): Sql {
  return sql`INSERT INTO monthly_recipient AS m (account_id, month, block, contacts, added)
    SELECT ${ctx.sql.account}::int, ${month}, contact_id / 1024, bit_or(set_bit(0::bit(1024), contact_id % 1024, 1)),
      bit_count(bit_or(set_bit(0::bit(1024), contact_id % 1024, 1)))
    FROM (${contactIds}) written GROUP BY contact_id / 1024 ORDER BY contact_id / 1024
    ON CONFLICT (account_id, month, block) DO UPDATE
      SET contacts = m.contacts | excluded.contacts,
        added = bit_count(m.contacts | excluded.contacts) - bit_count(m.contacts)
    RETURNING added`
}
