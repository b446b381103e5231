import type { FormStatus, FormType } from '../../prisma/generated/client/client.ts'
import { announcePageChange, spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../db/list.ts'
import { type Loader, one } from '../db/load.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'

/** A form; its thresholds are exact, as text. */
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
  /** When it was first published; null where it never was, and nobody can have answered it. */
  readonly publishedAt: Date | null
}

/** Which forms a list is about; conditions are joined by AND. */
export interface FormFilter {
  status?: FormStatus | null | undefined
  type?: FormType | null | undefined
  period?: Period | null | undefined
  range?: DateRange | null | undefined
  search?: string | null | undefined
}
export type FormOrderField = 'CREATED_AT' | 'NAME'
export type FormListArgs = ListArgs<FormFilter, FormOrderField>

export const formColumns = sql`f.account_id AS "accountId", f.id, f.type::text AS type, f.name, f.status::text AS status,
  f.warm_from::text AS "warmFrom", f.hot_from::text AS "hotFrom", f.created_at AS "createdAt", f.updated_at AS "updatedAt",
  f.published_at AS "publishedAt"`

/** All forms of an account. */
export const forms: List<Form, FormFilter, FormOrderField> = {
  name: 'forms',
  columns: formColumns,
  from: (ctx) => sql`FROM form f WHERE f.account_id = ${ctx.sql.account}`,
  id: sql`f.id`,
  orders: { CREATED_AT: { by: sql`f.created_at`, kind: 'time' }, NAME: { by: sql`f.name`, kind: 'text' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: conditions,
}

/** The account's forms, the newest first unless ordered otherwise. Fails with INVALID_PERIOD. */
export async function list(ctx: Ctx, args: FormListArgs): Promise<Page<Form>> {
  return pageOf(ctx, forms, args)
}

/** Reads forms by id. */
export const byId = one<number, Form>(async (ctx, ids) => {
  const rows = await ctx.sql<Form>`
    SELECT ${formColumns} FROM form f WHERE f.account_id = ${ctx.sql.account} AND f.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** How many submissions forms have, those in progress among them. */
export const submissionsCountOf: Loader<number, number> = {
  otherwise: () => 0,
  batch: async (ctx, ids) => {
    const rows = await ctx.sql<{ id: number; n: number }>`
      SELECT asked.id, (SELECT count(*)::int FROM submission s
        WHERE s.account_id = ${ctx.sql.account} AND s.form_id = asked.id) AS n
      FROM unnest(${ids}::int[]) AS asked(id)`
    return new Map(rows.map(({ id, n }) => [id, n]))
  },
}

/** The form of this id, locked until the transaction ends: whoever else changes it comes after. Fails with NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number, field = 'id'): Promise<Form> {
  return select(tx, idOf('Form', id, field), sql`FOR UPDATE`)
}

/** The form of this id, kept as it is until the transaction ends; others may do the same. Fails with NOT_FOUND. */
export async function hold(tx: Ctx, id: string | number, field = 'id'): Promise<Form> {
  return select(tx, idOf('Form', id, field), sql`FOR SHARE`)
}

/** Notes that a form, whose row the caller has locked, has changed. */
export async function touch(tx: Ctx, id: number): Promise<Form> {
  announcePageChange(tx)
  const [form] = await tx.sql<Form>`
    UPDATE form f SET updated_at = ${tx.clock.now()}::timestamptz
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} RETURNING ${formColumns}`
  return form as Form
}

/** NOT_FOUND, to be thrown: also where a form is in a state that does not allow what was asked for. */
export function notFound(hint = 'There is no such form.') {
  return refuse('NOT_FOUND', hint)
}

async function select(tx: Ctx, id: number, locking: Sql): Promise<Form> {
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
