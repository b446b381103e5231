import { invalid } from '../../kernel/errors.ts'
import type { PageRequest, Place } from '../../kernel/values/page.ts'
import { type Sql, sql } from '../sql.ts'
import type { OrderKey } from './list.ts'

/** A sort key whose expression does not depend on a filter. */
interface SortKey extends Pick<OrderKey, 'kind'> {
  readonly by: Sql
}

/** Returns the value of a sort key as text, as `placeIn` returns that of a field. */
export function textOf({ by, kind }: SortKey): Sql {
  return kind === 'time' ? sql`to_char(${by} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : sql`(${by})::text`
}

/** Returns the value of the sort key of a row. */
export function placeIn(row: object, field: string): string {
  const value = (row as Record<string, unknown>)[field]
  return value instanceof Date ? value.toISOString() : String(value)
}

/**
 * Returns the position of a cursor as an SQL row to compare with. Throws VALIDATION_ERROR if the value does not fit the
 * sort key.
 */
export function placeOf({ kind }: Pick<OrderKey, 'kind'>, place: Place, page: PageRequest): Sql {
  const forged = () => invalid({ [page.backward ? 'before' : 'after']: ['must be a cursor of this list'] })
  switch (kind) {
    case 'time':
      if (!isMoment(place.value)) throw forged()
      return sql`(${place.value}::timestamptz, ${place.id}::bigint)`
    case 'number':
      if (!/^-?\d{1,18}$/.test(place.value)) throw forged()
      return sql`(${place.value}::bigint, ${place.id}::bigint)`
    case 'decimal':
      if (!/^-?\d{1,18}(\.\d{1,18})?$/.test(place.value)) throw forged()
      return sql`(${place.value}::numeric, ${place.id}::bigint)`
    case 'text':
      return sql`(${place.value}::text, ${place.id}::bigint)`
  }
}

/** Returns whether a time of a cursor is valid and in our format. JavaScript would read 30 February as 2 March. */
export function isMoment(text: string): boolean {
  const moment = new Date(text)
  return !text.startsWith('0000') && !Number.isNaN(moment.getTime()) && moment.toISOString() === text
}
