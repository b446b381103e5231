import { z } from 'zod'
import type { Suppression } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../../db/list.ts'
import { containing, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { address, check, email, sent, text } from '../../kernel/check.ts'
import { refuse } from '../../kernel/errors.ts'

export type Reason = Suppression['reason']

/** Which suppressions a list is about; conditions are joined by AND. */
export interface SuppressionFilter {
  reason?: Reason | null | undefined
  email?: string | null | undefined
  search?: string | null | undefined
}
export type SuppressionListArgs = ListArgs<SuppressionFilter, 'CREATED_AT' | 'EMAIL'>

const columns = sql`x.account_id AS "accountId", x.id, x.email, x.reason::text AS reason, x.detail, x.created_at AS "createdAt"`

/** All suppressions of an account. */
export const suppressions: List<Suppression, SuppressionFilter, 'CREATED_AT' | 'EMAIL'> = {
  name: 'suppressions',
  columns,
  from: (ctx) => sql`FROM suppression x WHERE x.account_id = ${ctx.sql.account}`,
  id: sql`x.id`,
  orders: { CREATED_AT: { by: sql`x.created_at`, kind: 'time' }, EMAIL: { by: sql`lower(x.email)`, kind: 'text' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: (filter) => {
    const given = check(Filter, sent(filter))
    return [
      ...(given.reason === undefined ? [] : [sql`x.reason = ${given.reason}::suppression_reason`]),
      ...(given.email === undefined ? [] : [sql`lower(x.email) = lower(${given.email})`]),
      ...(given.search === undefined ? [] : [sql`lower(x.email) LIKE lower(${containing(given.search)})`]),
    ]
  },
}

const Filter = z
  .object({ reason: z.enum(['BOUNCE', 'COMPLAINT', 'MANUAL']), email: address, search: text(254) })
  .partial()

const Added = z.object({ email, detail: text(500).default('') })

/** The addresses that the account writes to no more, the latest first unless ordered otherwise. */
export async function list(ctx: Ctx, args: SuppressionListArgs): Promise<Page<Suppression>> {
  return pageOf(ctx, suppressions, args)
}

/** Whether an address is suppressed, as a condition of a statement: the account and the address are its columns. */
export function isSuppressed(accountId: Sql, address: Sql): Sql {
  return sql`EXISTS (SELECT FROM suppression x WHERE x.account_id = ${accountId} AND lower(x.email) = lower(${address}))`
}

/**
 * Writes an address down as one that is written to no more. What is already there stays, but for its reason: a complaint
 * outweighs all others. Answers whether anything is new by it.
 */
export async function suppress(tx: Ctx, given: { email: string; reason: Reason; detail: string }): Promise<boolean> {
  const rows = await tx.sql`
    INSERT INTO suppression AS x (account_id, email, reason, detail, created_at)
    VALUES (${tx.sql.account}::int, ${given.email}, ${given.reason}::suppression_reason, ${given.detail},
      ${tx.clock.now()}::timestamptz)
    ON CONFLICT (account_id, lower(email)) DO UPDATE SET reason = excluded.reason, detail = excluded.detail
      WHERE excluded.reason = 'COMPLAINT' AND x.reason <> 'COMPLAINT'
    RETURNING 1`
  return rows.length > 0
}

/** Adds an address by hand; one that is there already stays as it is. Fails with VALIDATION_ERROR. */
export async function add(
  ctx: Ctx,
  input: { email: string; detail?: string | null | undefined },
): Promise<{ suppression: Suppression }> {
  const given = check(Added, sent(input))
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      await suppress(tx, { ...given, reason: 'MANUAL' })
      const [suppression] = await tx.sql<Suppression>`
        SELECT ${columns} FROM suppression x
        WHERE x.account_id = ${tx.sql.account} AND lower(x.email) = lower(${given.email}) FOR KEY SHARE`
      // Unless it was taken off the list in this very moment, it is there.
      if (suppression) return { suppression }
    }
  })
}

/** Takes an address off the list: it may be written to again. Fails with NOT_FOUND. */
export async function remove(ctx: Ctx, input: { email: string }): Promise<{ email: string }> {
  const given = check(z.object({ email: address }), input)
  const [gone] = await ctx.sql<{ email: string }>`
    DELETE FROM suppression x WHERE x.account_id = ${ctx.sql.account} AND lower(x.email) = lower(${given.email})
    RETURNING x.email`
  if (!gone) throw refuse('NOT_FOUND', 'This address is not suppressed.')
  return gone
}
