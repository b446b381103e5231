import { columnLeaf } from '../../db/filters/conditions.ts'
import { type Field, filterLimits, filterOn, problem } from '../../db/filters/filter.ts'
import { reference, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'

const entryTable = table('AuditEntry', 'a', { noun: 'entry of the audit log' })

/** A change that a key or a user made: the mutation, the objects and the paths of the input, without values. */
export type AuditEntry = RowOf<typeof entryTable>

/** The objects of which an entry contains any. */
const objectIds: Field<'globalIds', readonly (string | number)[]> = {
  kind: 'globalIds',
  leaves: (ids, { path }) => {
    if (ids.length > filterLimits.ids) throw problem(path, `must have at most ${filterLimits.ids} ids`)
    return [columnLeaf(sql`a.objects && ${ids.map(String)}::text[]`)]
  },
}

/** The filter of the audit log. */
export const entryFilter = filterOn(entryTable, {
  action: text(sql`a.action`),
  apiKeys: reference('ApiKey', sql`a.key_id`),
  users: reference('User', sql`a.user_id`),
  address: text(sql`a.address`),
  createdAt: time(sql`a.created_at`),
  objects: objectIds,
})

const entries = newList(entryTable, { name: 'auditLog', orders: { CREATED_AT: 'createdAt' }, filter: entryFilter })

/** Lists the changes of the account, by default the latest first. */
export const list = pagesOf(entries)

/** Loads entries by id. */
export const { byId } = entryTable
