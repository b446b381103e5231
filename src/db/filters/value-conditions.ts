import { type PeriodArgs, periodOf, type Span, spanOf } from '../../kernel/values/period.ts'
import { containing, join, type Sql, sql, startingWith } from '../sql.ts'
import { zoneOf } from '../zone.ts'
import { columnLeaf, constant, existence, type Leaf } from './conditions.ts'
import { filterLimits, type Maybe, type Place, problem } from './filter.ts'

export interface TextFilter {
  readonly eq?: Maybe<string>
  readonly in?: Maybe<readonly string[]>
  readonly contains?: Maybe<string>
  readonly startsWith?: Maybe<string>
  readonly exists?: Maybe<boolean>
}

/** Bounds are decimals, as text or as a number. Both ends are included. */
export interface NumberFilter {
  readonly gte?: Maybe<string | number>
  readonly lte?: Maybe<string | number>
}

/** `gte` is included, `lt` is not. `At` is a time, or a day as `YYYY-MM-DD`. */
interface SpanFilter<At> extends PeriodArgs {
  readonly gte?: Maybe<At>
  readonly lt?: Maybe<At>
}
export type TimeFilter = SpanFilter<Date | string> & { readonly exists?: Maybe<boolean> }
export type DateFilter = SpanFilter<string>

/** How an index finds texts, if it is not an index of the text in lower case. */
export interface TextOptions {
  /** Returns the condition that the text is equal to another one. */
  readonly equals?: (other: string) => Sql
  /** Returns a condition that follows if the text contains a part or starts with it, and that an index answers. */
  readonly hint?: (part: string, isStart: boolean) => Sql | undefined
}

/** Returns the conditions of a text. Comparisons ignore case. A text that is empty or null does not exist. */
export function textLeaves(
  text: Sql,
  value: TextFilter,
  { path }: Pick<Place, 'path'>,
  options: TextOptions = {},
): Leaf[] {
  const { hint, equals = (other: string) => sql`lower(${text}) = lower(${other}::text)` } = options
  const like = (part: string, isStart: boolean) => {
    const test = sql`lower(${text}) LIKE lower(${isStart ? startingWith(part) : containing(part)}::text)`
    const implied = hint?.(part, isStart)
    return implied ? sql`(${test} AND ${implied})` : test
  }
  const leaves: Leaf[] = []
  if (value.eq != null) leaves.push(columnLeaf(equals(value.eq)))
  if (value.in != null) {
    const { in: values } = value
    if (values.length > filterLimits.values)
      throw problem(`${path}.in`, `must have at most ${filterLimits.values} values`)
    leaves.push(values.length === 0 ? constant(false) : columnLeaf(sql`(${join(values.map(equals), ' OR ')})`))
  }
  if (value.contains != null) {
    const { contains: part } = value
    if ([...part].length < filterLimits.contains) {
      throw problem(`${path}.contains`, `must have at least ${filterLimits.contains} characters`)
    }
    leaves.push(columnLeaf(like(part, false)))
  }
  if (value.startsWith != null) leaves.push(columnLeaf(like(value.startsWith, true)))
  if (value.exists != null)
    leaves.push(columnLeaf(value.exists ? sql`${text} <> ''` : sql`(${text} <> '') IS NOT TRUE`, false))
  return leaves
}

/** Returns the conditions of a number. */
export function numberLeaves(number: Sql, { gte, lte }: NumberFilter): Leaf[] {
  return [
    ...(gte == null ? [] : [columnLeaf(sql`${number} >= ${String(gte)}::text::numeric`)]),
    ...(lte == null ? [] : [columnLeaf(sql`${number} <= ${String(lte)}::text::numeric`)]),
  ]
}

/** Returns the conditions of a time. **Throws** INVALID_PERIOD and VALIDATION_ERROR. */
export async function timeLeaves(time: Sql, value: TimeFilter, place: Place): Promise<Leaf[]> {
  const { from, until } = await spanIn(value, place)
  const ends = [value.gte, from].filter((end) => end != null)
  const starts = [value.lt, until].filter((start) => start != null)
  return [
    ...ends.map((end) => columnLeaf(sql`${time} >= ${new Date(end)}::timestamptz`)),
    ...starts.map((start) => columnLeaf(sql`${time} < ${new Date(start)}::timestamptz`)),
    ...existence(value.exists, () => columnLeaf(sql`${time} IS NOT NULL`, false)),
  ]
}

/** Returns the conditions of a day. A period is the days of the time zone. **Throws** INVALID_PERIOD, VALIDATION_ERROR. */
export async function dateLeaves(day: Sql, value: DateFilter, place: Place): Promise<Leaf[]> {
  const { from, until } = await spanIn(value, place)
  const zone = from || until ? await zoneOf(place.ctx) : 'UTC'
  const dayIn = (moment: Date) => sql`(${moment}::timestamptz AT TIME ZONE ${zone}::text)::date`
  return [
    ...(value.gte == null ? [] : [columnLeaf(sql`${day} >= ${value.gte}::text::date`)]),
    ...(value.lt == null ? [] : [columnLeaf(sql`${day} < ${value.lt}::text::date`)]),
    ...(from ? [columnLeaf(sql`${day} >= ${dayIn(from)}`)] : []),
    ...(until ? [columnLeaf(sql`${day} < ${dayIn(until)}`)] : []),
  ]
}

async function spanIn(value: PeriodArgs, { ctx, path }: Place): Promise<Span> {
  const period = periodOf(value, `${path}.range`)
  return period === 'ALL' ? {} : spanOf(period, value.range, await zoneOf(ctx), ctx.clock.now())
}
