import type { Ctx } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { identity, member, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, search } from '../../db/lists/search.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'

export const funnelTable = table('Funnel', 'n')
export type Funnel = RowOf<typeof funnelTable>

/** The words of a funnel by which it is searched. */
const document = documentOf(sql`n.name`)

/** The filter of funnels. */
export const funnelFilter = filterOn(funnelTable, {
  id: identity('Funnel'),
  name: text(sql`n.name`),
  type: oneOf<Funnel['type']>('FunnelType', sql`n.type`, 'funnel_type'),
  createdAt: time(sql`n.created_at`),
  archivedAt: time(sql`n.archived_at`),
  forms: member('Form', withForms, 'forms:read'),
  search: search(document),
})

/** The list of funnels of an account. */
export const funnels = newList(funnelTable, {
  name: 'funnels',
  orders: {
    CREATED_AT: 'createdAt',
    NAME: 'name',
    TYPE: 'type',
    RELEVANCE: relevance(document),
  },
  filter: funnelFilter,
})

/** Lists the funnels of the account, newest first by default. **Throws** INVALID_PERIOD. */
export const list = pagesOf(funnels)

/** Loads funnels by id; locks a funnel, so that other changes of its steps wait; creates a NOT_FOUND error. */
export const { byId, lock, notFound } = funnelTable

/** Selects the ids of the funnels with a step that has any of the forms, or any form at all. */
function withForms(ctx: Ctx, formIds: readonly number[] | undefined): Sql {
  const ofForms = formIds ? sql`AND p.form_id = ANY(${formIds}::int[])` : empty
  return sql`SELECT p.funnel_id FROM funnel_step p WHERE p.account_id = ${ctx.sql.account} ${ofForms}`
}
