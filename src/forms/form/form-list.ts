import { announcePageChange } from '../../account/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { emit } from '../../events/index.ts'

export const formTable = table('Form', 'f')

/** A form. The thresholds are exact decimals, as text. A form that was never published has no submissions. */
export type Form = RowOf<typeof formTable>

/** The words of a form by which it is searched. */
const document = documentOf(sql`f.name`)

/** The filter of forms. */
export const formFilter = filterOn(formTable, {
  id: identity('Form'),
  ...onColumns(text, formTable, 'name'),
  type: oneOf<Form['type']>('FormType', sql`f.type`, 'form_type'),
  status: oneOf<Form['status']>('FormStatus', sql`f.status`, 'form_status'),
  ...onColumns(time, formTable, 'createdAt', 'updatedAt', 'publishedAt', 'archivedAt'),
  search: search(document),
})

/** The list of the forms of an account. */
export const forms = newList(formTable, {
  name: 'forms',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    NAME: 'name',
    STATUS: 'status',
    RELEVANCE: relevance(document),
  },
  filter: formFilter,
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

/** Sets `updatedAt` of a form. The caller must have locked the row. **Emits** `form.updated`. */
export async function markUpdated(tx: Ctx, id: number): Promise<Form> {
  await announcePageChange(tx)
  await emit(tx, 'form.updated', { formId: id })
  const [form] = await tx.sql<Form>`
    UPDATE form f SET updated_at = ${tx.clock.now()}::timestamptz
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} RETURNING ${formTable.columns}`
  return form as Form
}
