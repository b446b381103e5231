import type { PeriodArgs } from '../../kernel/values/period.ts'
import { containing, endingWith, inDictionaryOfAnyCase, join, raw, type Sql, sql, startingWith } from '../sql.ts'
import { periodFor, type ZonedSpan } from '../zone.ts'
import { columnLeaf, constant, existence, inverse, type Leaf } from './conditions.ts'
import { filterLimits, type Maybe, type Place, problem } from './filter.ts'

export interface TextFilter {
  readonly eq?: Maybe<string>
  readonly ne?: Maybe<string>
  readonly in?: Maybe<readonly string[]>
  readonly contains?: Maybe<string>
  readonly startsWith?: Maybe<string>
  readonly endsWith?: Maybe<string>
  readonly exists?: Maybe<boolean>
}

/** Comparisons with a value. `ne` is the negation of `eq`: it also matches if there is no value. */
interface Comparison<Value> {
  readonly eq?: Maybe<Value>
  readonly ne?: Maybe<Value>
  readonly gt?: Maybe<Value>
  readonly gte?: Maybe<Value>
  readonly lt?: Maybe<Value>
  readonly lte?: Maybe<Value>
}

/** Bounds are decimals, as text or as a number. */
export type NumberFilter = Comparison<string | number>

/** `withinDays` and `beforeDays` are numbers of 24 hours before the time at which the filter is evaluated. */
export interface TimeFilter extends Comparison<Date | string>, PeriodArgs {
  readonly withinDays?: Maybe<number>
  readonly beforeDays?: Maybe<number>
  readonly exists?: Maybe<boolean>
}

/** Days are `YYYY-MM-DD`. */
export type DateFilter = Comparison<string> & PeriodArgs

/** How an index finds texts, if it is not an index of the text in lower case. */
export interface TextOptions {
  /** Returns the condition that the text is equal to another one. */
  readonly equals?: (other: string) => Sql
  /** Returns a condition that follows if the text contains a part or starts with it, and that an index answers. */
  readonly hint?: (part: string, isStart: boolean) => Sql | undefined
}

/** How the index that sorts a list by a text also finds the text, and those that begin with ASCII letters and digits. */
export function sortedText(text: Sql, words?: TextOptions['hint']): TextOptions {
  const key = inDictionaryOfAnyCase(text)
  const equals = (other: string) => sql`${key} = lower(${other}::text)`
  // Some characters are sorted together with the next one, but not these: such texts are a range. U+FFFF follows all characters.
  const hint = (part: string, isStart: boolean) => {
    const range =
      isStart && /^[a-z0-9]+$/i.test(part)
        ? [sql`${key} >= lower(${part}::text)`, sql`${key} < lower(${`${part}\uffff`}::text)`]
        : []
    const conditions = [...range, words?.(part, isStart)].filter((each) => each !== undefined)
    return conditions.length === 0 ? undefined : join(conditions, ' AND ')
  }
  return { equals, hint }
}

/** Returns the conditions of a text. Comparisons ignore case. A text that is empty or null does not exist. */
export function textLeaves(
  text: Sql,
  value: TextFilter,
  { path }: Pick<Place, 'path'>,
  options: TextOptions = {},
): Leaf[] {
  const { hint, equals = (other: string) => sql`lower(${text}) = lower(${other}::text)` } = options
  const like = (pattern: string, part: string, isStart = false) => {
    const test = sql`lower(${text}) LIKE lower(${pattern}::text)`
    const implied = hint?.(part, isStart)
    return columnLeaf(implied ? sql`(${test} AND ${implied})` : test)
  }
  const leaves: Leaf[] = []
  if (value.eq != null) leaves.push(columnLeaf(equals(value.eq)))
  if (value.ne != null) leaves.push(inverse(columnLeaf(equals(value.ne))))
  if (value.in != null) {
    const { in: values } = value
    if (values.length > filterLimits.values)
      throw problem(`${path}.in`, `must have at most ${filterLimits.values} values`)
    leaves.push(values.length === 0 ? constant(false) : columnLeaf(sql`(${join(values.map(equals), ' OR ')})`))
  }
  for (const [name, patternOf] of [['contains', containing] as const, ['endsWith', endingWith] as const]) {
    const part = value[name]
    if (part == null) continue
    if ([...part].length < filterLimits.contains) {
      throw problem(`${path}.${name}`, `must have at least ${filterLimits.contains} characters`)
    }
    leaves.push(like(patternOf(part), part))
  }
  if (value.startsWith != null) leaves.push(like(startingWith(value.startsWith), value.startsWith, true))
  leaves.push(...existence(value.exists, () => columnLeaf(sql`${text} <> ''`, false)))
  return leaves
}

const comparisons = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Returns the comparisons of a value that has an order. `operand` returns the other value in SQL. */
function comparisonLeaves<Value>(value: Sql, given: Comparison<Value>, operand: (other: Value) => Sql): Leaf[] {
  const compare = (name: keyof typeof comparisons, other: Value) =>
    columnLeaf(sql`${value} ${raw(comparisons[name])} ${operand(other)}`)
  const names = Object.keys(comparisons) as (keyof typeof comparisons)[]
  return [
    ...names.flatMap((name) => (given[name] == null ? [] : [compare(name, given[name])])),
    ...(given.ne == null ? [] : [inverse(compare('eq', given.ne))]),
  ]
}

/** Returns the conditions of a number. */
export function numberLeaves(number: Sql, value: NumberFilter): Leaf[] {
  return comparisonLeaves(number, value, (other) => sql`${String(other)}::text::numeric`)
}

/** Returns the conditions of a time. **Throws** INVALID_PERIOD and VALIDATION_ERROR. */
export async function timeLeaves(time: Sql, value: TimeFilter, place: Place): Promise<Leaf[]> {
  const { from, until } = (await spanIn(value, place)).span
  const at = (moment: Date | string) => sql`${new Date(moment)}::timestamptz`
  const daysAgo = (name: 'withinDays' | 'beforeDays', days: number) => {
    if (days < 1 || days > filterLimits.days)
      throw problem(`${place.path}.${name}`, `must be from 1 to ${filterLimits.days}`)
    return new Date(place.ctx.clock.now().getTime() - days * 86_400_000)
  }
  const { withinDays, beforeDays } = value
  return [
    ...comparisonLeaves(time, value, at),
    ...comparisonLeaves(time, { gte: from, lt: until }, at),
    ...(withinDays == null
      ? []
      : comparisonLeaves(time, { gte: daysAgo('withinDays', withinDays), lte: place.ctx.clock.now() }, at)),
    ...(beforeDays == null ? [] : comparisonLeaves(time, { lt: daysAgo('beforeDays', beforeDays) }, at)),
    ...existence(value.exists, () => columnLeaf(sql`${time} IS NOT NULL`, false)),
  ]
}

/** Returns the conditions of a day. A period is the days of the time zone. **Throws** INVALID_PERIOD, VALIDATION_ERROR. */
export async function dateLeaves(day: Sql, value: DateFilter, place: Place): Promise<Leaf[]> {
  const {
    span: { from, until },
    zone,
  } = await spanIn(value, place)
  const dayIn = (moment: Date) => sql`(${moment}::timestamptz AT TIME ZONE ${zone}::text)::date`
  return [
    ...comparisonLeaves(day, value, (other) => sql`${other}::text::date`),
    ...comparisonLeaves(day, { gte: from, lt: until }, dayIn),
  ]
}

async function spanIn(value: PeriodArgs, { ctx, path }: Place): Promise<ZonedSpan> {
  const { period, range, timezone } = value
  const isEmpty = (period == null || period === 'ALL') && !range && timezone == null
  // Most filters have no period. The zone of the account is a statement of its own.
  return isEmpty ? { span: {}, zone: 'UTC' } : periodFor(ctx, value, `${path}.range`)
}
