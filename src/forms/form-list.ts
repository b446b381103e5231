import type { FormStatus, FormType } from '../../prisma/generated/client/client.ts'
import { announcePageChange, spanFor } from '../account/index.ts'
import type { Ctx, Loader } from '../db/context.ts'
import { newList, pagesOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import type { PeriodArgs } from '../kernel/period.ts'

export const formTable = table('Form', 'f')

/** A form. The thresholds are exact decimals, as text. A form that was never published has no submissions. */
export type Form = RowOf<typeof formTable>

/** Filters of a list of forms, joined by AND. */
export interface FormFilter extends PeriodArgs {
  status?: FormStatus | null | undefined
  type?: FormType | null | undefined
  search?: string | null | undefined
}

/** The list of the forms of an account. */
export const forms = newList(formTable, {
  name: 'forms',
  orders: { CREATED_AT: 'createdAt', NAME: 'name' },
  where: conditions,
})

/** Returns a page of the forms of the account, newest first by default. **Throws** INVALID_PERIOD. */
export const list = pagesOf(forms)

/** Loads forms by ID; locks a form until the transaction ends; builds NOT_FOUND. */
export const { byId, lock, notFound } = formTable

/** Loads the number of submissions of forms, including those in progress. */
export const submissionCounts: Loader<number, number> = {
  otherwise: () => 0,
  batch: async (ctx, ids) => {
    const rows = await ctx.sql<{ id: number; n: number }>`
      SELECT requested.id, (SELECT count(*)::int FROM submission s
        WHERE s.account_id = ${ctx.sql.account} AND s.form_id = requested.id) AS n
      FROM unnest(${ids}::int[]) AS requested(id)`
    return new Map(rows.map(({ id, n }) => [id, n]))
  },
}

/** Returns a form with a shared lock, which prevents changes until the transaction ends. **Throws** NOT_FOUND. */
export async function lockShared(tx: Ctx, id: string | number, field = 'id'): Promise<Form> {
  return formTable.lock(tx, id, field, 'FOR SHARE')
}

/** Sets `updatedAt` of a form. The caller must have locked the row. */
export async function markUpdated(tx: Ctx, id: number): Promise<Form> {
  announcePageChange(tx)
  const [form] = await tx.sql<Form>`
    UPDATE form f SET updated_at = ${tx.clock.now()}::timestamptz
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} RETURNING ${formTable.columns}`
  return form as Form
}

async function conditions(filter: FormFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = await spanFor(ctx, filter, 'filter.range')
  const all: (Sql | undefined)[] = [
    from && sql`f.created_at >= ${from}::timestamptz`,
    until && sql`f.created_at < ${until}::timestamptz`,
    filter.status == null ? undefined : sql`f.status = ${filter.status}::form_status`,
    filter.type == null ? undefined : sql`f.type = ${filter.type}::form_type`,
    filter.search ? sql`lower(f.name) LIKE lower(${containing(filter.search)})` : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}
