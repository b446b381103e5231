import { newList, pagesOf } from '../db/list.ts'
import { containing, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'

export interface SegmentFilter {
  search?: string | null | undefined
}

export const segmentTable = table('Segment', 's')
export type Segment = RowOf<typeof segmentTable>

/** All segments of an account. */
const segments = newList(segmentTable, {
  name: 'segments',
  orders: { CREATED_AT: 'createdAt', NAME: 'name' },
  where: ({ search }: SegmentFilter) => (search ? [sql`lower(s.name) LIKE lower(${containing(search)})`] : []),
})

/** Returns the segments of the account. Newest first by default. */
export const list = pagesOf(segments)

/** Loads segments by id. */
export const { byId } = segmentTable
