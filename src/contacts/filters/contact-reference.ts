import { reference } from '../../db/filters/filter-fields.ts'
import { relatedRow } from '../../db/filters/related-row.ts'
import { search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import type { Table } from '../../db/table.ts'
import { contactFilter, selectMatching } from './contact-filter.ts'

/**
 * The fields by which the filters of rows of a contact find its person: the ids of contacts, their filter, and a search by
 * their words. A contact that was deleted is found only by its id.
 */
export function contactFields<Row extends { id: number | bigint; contactId: number | null }>(rows: Table<Row>) {
  const column = rows.field('contactId')
  const words = search(undefined, [
    (ctx, matches) =>
      sql`SELECT ${rows.field('id')} ${rows.from(ctx)} AND ${column} IN (${selectMatching(ctx, matches)})`,
  ])
  return {
    contacts: reference('Contact', column, 'contacts:read'),
    contact: relatedRow('contact', column, contactFilter, 'contacts:read'),
    search: { ...words, needs: 'contacts:read' as const },
  }
}
