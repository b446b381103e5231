import type { Direction } from '../../db/lists/list.ts'
import { empty, join, raw, type Sql, type Statement, sql } from '../../db/sql.ts'
import type { Subjects } from '../../kernel/feed.ts'

/** Stored events of an account to read, in the order of their positions. */
interface StoredQuery {
  readonly types: readonly string[]
  readonly subjects: Subjects
  /** Excluded bounds of the positions. */
  readonly after?: bigint | undefined
  readonly before?: bigint | undefined
}

/** Columns of an event `o`. */
const columns = sql`o.account_id AS "accountId", o.position, o.id, o.type, o.data, o.created_at AS "createdAt"`

/**
 * Returns the statement that reads events. It looks up each type and id in an index, so that it reads only events that match,
 * and of each no more than the result can contain.
 */
export function storedEvents(
  account: Statement['account'],
  query: StoredQuery & { readonly direction: Direction; readonly limit: number; readonly offset?: number },
): Sql {
  const { direction, limit, offset = 0 } = query
  const order = raw(direction)
  return sql`
    SELECT e.* FROM ${lookups(query)} CROSS JOIN LATERAL (
      SELECT ${columns} ${matching(account, query)} ORDER BY o.position ${order} LIMIT ${limit + offset}
    ) e ORDER BY e.position ${order} LIMIT ${limit} OFFSET ${offset}`
}

/** Returns the statement that counts events as `n`. */
export function storedCount(account: Statement['account'], query: StoredQuery): Sql {
  return sql`
    SELECT coalesce(sum(e.n), 0)::int AS n FROM ${lookups(query)} CROSS JOIN LATERAL (
      SELECT count(*) AS n ${matching(account, query)}) e`
}

/** The types `t`, each with each id `s` of the first subject. */
function lookups({ types, subjects }: StoredQuery): Sql {
  const [first] = Object.values(subjects)
  const ids = first ? sql`CROSS JOIN unnest(${first.map(String)}::text[]) AS s(id)` : empty
  return sql`unnest(${types}::text[]) AS t(type) ${ids}`
}

function matching(account: Statement['account'], { subjects, after = 0n, before }: StoredQuery): Sql {
  const [first, ...others] = Object.entries(subjects)
  const conditions = [
    sql`o.account_id = ${account} AND o.type = t.type AND o.position > ${after}`,
    ...(before === undefined ? [] : [sql`o.position < ${before}`]),
    ...(first ? [sql`${fieldOf(first[0])} = s.id`] : []),
    ...others.map(([field, ids]) => sql`${fieldOf(field)} = ANY(${ids.map(String)}::text[])`),
  ]
  return sql`FROM outbox_event o WHERE ${join(conditions, ' AND ')}`
}

/** The id in a field of the data, as in the indexes. The name is from `event-filter.ts`. */
function fieldOf(field: string): Sql {
  return sql`(o.data->>${raw(`'${field}'`)})`
}
