import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { segmentTable } from '../filters/segment-table.ts'

export { byId } from '../filters/segment-table.ts'

const document = documentOf(sql`s.name`)

/** The filter of segments. */
export const segmentFilter = filterOn(segmentTable, {
  id: identity('Segment'),
  ...onColumns(text, segmentTable, 'name'),
  ...onColumns(time, segmentTable, 'createdAt', 'updatedAt'),
  search: search(document),
})

/** All segments of an account. */
const segments = newList(segmentTable, {
  name: 'segments',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    NAME: 'name',
    RELEVANCE: relevance(document),
  },
  filter: segmentFilter,
})

/** Returns the segments of the account. Newest first by default. */
export const list = pagesOf(segments)
