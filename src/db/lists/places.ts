import { invalid } from '../../kernel/errors.ts'
import type { PageRequest, Place } from '../../kernel/values/page.ts'
import { join, raw, type Sql, sql } from '../sql.ts'
import type { OrderKey } from './list.ts'

/** A sort key whose expression does not depend on a filter. */
interface SortKey extends Pick<OrderKey, 'kind'> {
  readonly by: Sql
}

/** Returns the value of a sort key as text, as `placeIn` returns that of a field. */
export function textOf({ by, kind }: SortKey): Sql {
  return kind === 'time' ? sql`to_char(${by} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : sql`(${by})::text`
}

/** A sort key of a request, with the direction in which rows are read. */
export interface ReadKey extends SortKey {
  readonly isDescending: boolean
}

/** Returns the values of the sort keys of a row as the value of its place. */
export function placeIn(row: object, fields: readonly string[]): string {
  const values = fields.map((field) => {
    const value = (row as Record<string, unknown>)[field]
    return value instanceof Date ? value.toISOString() : String(value)
  })
  return values.length === 1 ? (values[0] as string) : JSON.stringify(values)
}

/**
 * Returns the condition that a row is read after the place of a cursor. The id, which breaks ties, has the direction of the last
 * key. **Throws** VALIDATION_ERROR if a value does not fit its sort key.
 */
export function isAfter(keys: readonly ReadKey[], id: Sql, place: Place, page: PageRequest): Sql {
  const forged = () => invalid({ [page.backward ? 'before' : 'after']: ['must be a cursor of this list'] })
  const values = keys.length === 1 ? [place.value] : valuesIn(place.value)
  if (values?.length !== keys.length) throw forged()
  const parts = keys.map(({ by, kind, isDescending }, index) => ({
    ...{ by, isDescending },
    value: operandOf(kind, values[index] as string, forged),
  }))
  const last = { by: id, isDescending: parts.at(-1)?.isDescending ?? false, value: sql`${place.id}::bigint` }
  const all = [...parts, last]
  const [first = last] = all
  const beyond = ({ isDescending }: Pick<ReadKey, 'isDescending'>) => raw(isDescending ? '<' : '>')
  if (all.every(({ isDescending }) => isDescending === first.isDescending)) {
    return sql`(${join(all.map(({ by }) => by))}) ${beyond(first)} (${join(all.map(({ value }) => value))})`
  }
  const after = all.reduceRight<Sql | undefined>((rest, part) => {
    const isBeyond = sql`${part.by} ${beyond(part)} ${part.value}`
    return rest ? sql`(${isBeyond} OR (${part.by} = ${part.value} AND ${rest}))` : isBeyond
  }, undefined)
  // The first comparison finds the rows by an index on the first key.
  return sql`${first.by} ${beyond(first)}= ${first.value} AND ${after ?? sql`true`}`
}

/** Reads the values of several sort keys. Undefined if they are not written as `placeIn` writes them. */
function valuesIn(text: string): readonly string[] | undefined {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    return undefined
  }
  const isValid = Array.isArray(values) && values.every((value) => typeof value === 'string' && !value.includes('\0'))
  return isValid && JSON.stringify(values) === text ? (values as string[]) : undefined
}

function operandOf(kind: OrderKey['kind'], value: string, forged: () => Error): Sql {
  switch (kind) {
    case 'time':
      if (!isMoment(value)) throw forged()
      return sql`${value}::timestamptz`
    case 'number':
      if (!/^-?\d{1,18}$/.test(value)) throw forged()
      return sql`${value}::bigint`
    case 'decimal':
      if (!/^-?\d{1,18}(\.\d{1,18})?$/.test(value)) throw forged()
      return sql`${value}::numeric`
    case 'text':
      return sql`${value}::text`
  }
}

/** Returns whether a time of a cursor is valid and in our format. JavaScript would read 30 February as 2 March. */
export function isMoment(text: string): boolean {
  const moment = new Date(text)
  return !text.startsWith('0000') && !Number.isNaN(moment.getTime()) && moment.toISOString() === text
}
