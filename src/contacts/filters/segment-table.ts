import { type RowOf, table } from '../../db/table.ts'

// Apart from the list of segments, because the filter of contacts reads the filters of segments.

export const segmentTable = table('Segment', 's')
export type Segment = RowOf<typeof segmentTable>

/** Loads segments by id. */
export const { byId } = segmentTable
