import type { FormStatus, FormType } from '../../prisma/generated/client/client.ts'
import { announcePageChange, spanFor } from '../account/index.ts'
import { type Ctx, type Loader, one } from '../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'

/** A form. The thresholds are exact decimals, as text. */
export interface Form {
  readonly accountId: number
  readonly id: number
  readonly type: FormType
  readonly name: string
  readonly status: FormStatus
  readonly warmFrom: string
  readonly hotFrom: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Time of the first publication; null if the form was never published, and so has no submissions. */
  readonly publishedAt: Date | null
}

/** Filters of a list of forms, joined by AND. */
export interface FormFilter {
  status?: FormStatus | null | undefined
  type?: FormType | null | undefined
  period?: Period | null | undefined
  range?: DateRange | null | undefined
  search?: string | null | undefined
}
type FormOrderField = 'CREATED_AT' | 'NAME'
type FormListArgs = ListArgs<FormFilter, FormOrderField>

export const formColumns = sql`f.account_id AS "accountId", f.id, f.type::text AS type, f.name, f.status::text AS status,
  f.warm_from::text AS "warmFrom", f.hot_from::text AS "hotFrom", f.created_at AS "createdAt", f.updated_at AS "updatedAt",
  f.published_at AS "publishedAt"`

/** The list of the forms of an account. */
export const forms: List<Form, FormFilter, FormOrderField> = {
  name: 'forms',
  columns: formColumns,
  from: (ctx) => sql`FROM form f WHERE f.account_id = ${ctx.sql.account}`,
  id: sql`f.id`,
  orders: { CREATED_AT: { by: sql`f.created_at`, kind: 'time' }, NAME: { by: sql`f.name`, kind: 'text' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: conditions,
}

/** Returns a page of the forms of the account, newest first by default. **Throws** INVALID_PERIOD. */
export async function list(ctx: Ctx, args: FormListArgs): Promise<Page<Form>> {
  return pageOf(ctx, forms, args)
}

/** Loads forms by ID. */
export const byId = one<number, Form>(async (ctx, ids) => {
  const rows = await ctx.sql<Form>`
    SELECT ${formColumns} FROM form f WHERE f.account_id = ${ctx.sql.account} AND f.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

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

/** Returns a form, locked against changes and other locks until the transaction ends. **Throws** NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number, field = 'id'): Promise<Form> {
  return selectForm(tx, idOf('Form', id, field), sql`FOR UPDATE`)
}

/** Returns a form with a shared lock, which prevents changes until the transaction ends. **Throws** NOT_FOUND. */
export async function lockShared(tx: Ctx, id: string | number, field = 'id'): Promise<Form> {
  return selectForm(tx, idOf('Form', id, field), sql`FOR SHARE`)
}

/** Sets `updatedAt` of a form. The caller must have locked the row. */
export async function markUpdated(tx: Ctx, id: number): Promise<Form> {
  announcePageChange(tx)
  const [form] = await tx.sql<Form>`
    UPDATE form f SET updated_at = ${tx.clock.now()}::timestamptz
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} RETURNING ${formColumns}`
  return form as Form
}

/** Builds NOT_FOUND, also for a form whose status does not allow the operation. */
export function notFound(message = 'There is no such form.') {
  return refuse('NOT_FOUND', message)
}

async function selectForm(tx: Ctx, id: number, locking: Sql): Promise<Form> {
  const [row] = await tx.sql<Form>`
    SELECT ${formColumns} FROM form f WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} ${locking}`
  if (!row) throw notFound()
  return row
}

async function conditions(filter: FormFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = filter.period ? await spanFor(ctx, filter.period, filter.range) : {}
  const all: (Sql | undefined)[] = [
    from && sql`f.created_at >= ${from}::timestamptz`,
    until && sql`f.created_at < ${until}::timestamptz`,
    filter.status == null ? undefined : sql`f.status = ${filter.status}::form_status`,
    filter.type == null ? undefined : sql`f.type = ${filter.type}::form_type`,
    filter.search ? sql`lower(f.name) LIKE lower(${containing(filter.search)})` : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}
