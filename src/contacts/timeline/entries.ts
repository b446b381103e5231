import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { TimelineSource } from '../ports.ts'

/** An entry of a timeline. */
export interface TimelineEntry<Data = object> {
  readonly type: string
  readonly id: bigint
  readonly occurredAt: Date
  readonly data: Data
}

/** Position of an entry: its time, the rank of its source and its id. */
export interface TimelinePlace {
  readonly at: string
  readonly rank: number
  readonly id: string
}

/** Returns the query of the newest entries of a source, at most `limit`, that are older than a position. */
export function entriesOf(
  ctx: Ctx,
  type: string,
  source: TimelineSource,
  { after, limit }: { readonly after: TimelinePlace | undefined; readonly limit: number },
): Sql {
  const { rank, at, id, data } = source
  const entries = sql`
    SELECT ${type}::text AS type, ${at} AS "occurredAt", ${rank}::int AS rank, ${id}::bigint AS id, ${data} AS data
    ${source.from(ctx)} ${after ? isOlder(source, after) : sql``} ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit}::int`
  return source.around?.(ctx, entries) ?? entries
}

/** Returns the condition that an entry is behind a position. Of equal times, the lower rank is behind the higher one. */
function isOlder({ rank, at, id }: TimelineSource, after: TimelinePlace): Sql {
  if (rank < after.rank) return sql`AND ${at} <= ${after.at}::timestamptz`
  if (rank > after.rank) return sql`AND ${at} < ${after.at}::timestamptz`
  return sql`AND (${at}, ${id}) < (${after.at}::timestamptz, ${after.id}::bigint)`
}
