import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { filterOn } from '../../db/filter.ts'
import { oneOf, text, time } from '../../db/filter-fields.ts'
import { search } from '../../db/filter-search.ts'
import { newList, pagesOf } from '../../db/list.ts'
import { containing, type Sql, sql, startingWith } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { address, check, email, sent, text as textOf } from '../../kernel/check.ts'
import { refuse } from '../../kernel/errors.ts'

const suppressionTable = table('Suppression', 'x')
export type Suppression = RowOf<typeof suppressionTable>
export type SuppressionReason = Suppression['reason']

/** The words of a suppression by which it is searched. The index of suppressions has this expression. */
const document = sql`lower(' ' || x.email)`

/** The filter of suppressions. */
export const suppressionFilter = filterOn(suppressionTable, {
  email: text(sql`x.email`, {
    hint: (part, isStart) =>
      sql`${document} LIKE lower(${isStart ? ` ${startingWith(part)}` : containing(part)}::text)`,
  }),
  reason: oneOf<SuppressionReason>('SuppressionReason', sql`x.reason`, 'suppression_reason'),
  detail: text(sql`x.detail`),
  createdAt: time(sql`x.created_at`),
  search: search(document),
})

/** The suppressions of an account. */
export const suppressionList = newList(suppressionTable, {
  name: 'suppressions',
  orders: { CREATED_AT: 'createdAt', EMAIL: { by: sql`lower(x.email)`, kind: 'text' } },
  filter: suppressionFilter,
})

const NewSuppression = z.object({ email, detail: textOf(500).default('') })

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
  fields: { email: string; reason: SuppressionReason; detail: string },
): Promise<boolean> {
  const rows = await tx.sql`
    INSERT INTO suppression AS x (account_id, email, reason, detail, created_at)
    VALUES (${tx.sql.account}::int, ${fields.email}, ${fields.reason}::suppression_reason, ${fields.detail},
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
  const fields = check(z.object({ email: address }), input)
  const [removed] = await ctx.sql<{ email: string }>`
    DELETE FROM suppression x WHERE x.account_id = ${ctx.sql.account} AND lower(x.email) = lower(${fields.email})
    RETURNING x.email`
  if (!removed) throw refuse('NOT_FOUND', 'The address is not suppressed.')
  return removed
}
