import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { newList, pagesOf } from '../../db/list.ts'
import { containing, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { address, check, email, sent, text } from '../../kernel/check.ts'
import { refuse } from '../../kernel/errors.ts'

const suppressionTable = table('Suppression', 'x')
export type Suppression = RowOf<typeof suppressionTable>
export type SuppressionReason = Suppression['reason']

/** Conditions of a list of suppressions. All of them must be met. */
export interface SuppressionFilter {
  reason?: SuppressionReason | null | undefined
  email?: string | null | undefined
  search?: string | null | undefined
}

/** The suppressions of an account. */
export const suppressionList = newList(suppressionTable, {
  name: 'suppressions',
  orders: { CREATED_AT: 'createdAt', EMAIL: { by: sql`lower(x.email)`, kind: 'text' } },
  where: (filter: SuppressionFilter) => {
    const { reason, email, search } = check(Filter, sent(filter))
    return [
      ...(reason === undefined ? [] : [sql`x.reason = ${reason}::suppression_reason`]),
      ...(email === undefined ? [] : [sql`lower(x.email) = lower(${email})`]),
      ...(search === undefined ? [] : [sql`lower(x.email) LIKE lower(${containing(search)})`]),
    ]
  },
})

const Filter = z
  .object({ reason: z.enum(['BOUNCE', 'COMPLAINT', 'MANUAL']), email: address, search: text(254) })
  .partial()

const NewSuppression = z.object({ email, detail: text(500).default('') })

/** Loads suppressions by id. */
export const { byId } = suppressionTable

/** Lists the suppressed addresses of the account. Defaults to the newest first. */
export const list = pagesOf(suppressionList)

/** Returns the SQL condition that an address is suppressed. `accountId` and `address` are columns of the statement. */
export function isSuppressed(accountId: Sql, address: Sql): Sql {
  return sql`EXISTS (SELECT FROM suppression x WHERE x.account_id = ${accountId} AND lower(x.email) = lower(${address}))`
}

/**
 * Suppresses an address. An existing suppression stays as it is, except that a complaint replaces other reasons. Returns
 * whether anything changed.
 */
export async function suppress(
  tx: Ctx,
  given: { email: string; reason: SuppressionReason; detail: string },
): Promise<boolean> {
  const rows = await tx.sql`
    INSERT INTO suppression AS x (account_id, email, reason, detail, created_at)
    VALUES (${tx.sql.account}::int, ${given.email}, ${given.reason}::suppression_reason, ${given.detail},
      ${tx.clock.now()}::timestamptz)
    ON CONFLICT (account_id, lower(email)) DO UPDATE SET reason = excluded.reason, detail = excluded.detail
      WHERE excluded.reason = 'COMPLAINT' AND x.reason <> 'COMPLAINT'
    RETURNING 1`
  return rows.length > 0
}

/** Suppresses an address with reason MANUAL. An existing suppression is returned unchanged. **Throws** VALIDATION_ERROR. */
export async function add(
  ctx: Ctx,
  input: { email: string; detail?: string | null | undefined },
): Promise<{ suppression: Suppression }> {
  const entry = check(NewSuppression, sent(input))
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      await suppress(tx, { ...entry, reason: 'MANUAL' })
      const [suppression] = await suppressionTable.select(
        tx,
        sql`AND lower(x.email) = lower(${entry.email}) FOR KEY SHARE`,
      )
      // Missing only if it was removed between the two statements.
      if (suppression) return { suppression }
    }
  })
}

/** Removes a suppression, so that messages are sent to the address again. **Throws** NOT_FOUND. */
export async function remove(ctx: Ctx, input: { email: string }): Promise<{ email: string }> {
  const given = check(z.object({ email: address }), input)
  const [removed] = await ctx.sql<{ email: string }>`
    DELETE FROM suppression x WHERE x.account_id = ${ctx.sql.account} AND lower(x.email) = lower(${given.email})
    RETURNING x.email`
  if (!removed) throw refuse('NOT_FOUND', 'The address is not suppressed.')
  return removed
}
