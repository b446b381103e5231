import type { Scope } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { type PeriodArgs, periodOf, type Span, spanOf } from '../../kernel/values/period.ts'
import type { Ctx } from '../context.ts'
import { containing, isOneOf, join, raw, type Sql, sql, startingWith } from '../sql.ts'
import { zoneOf } from '../zone.ts'
import { type Field, filterLimits, type Id, type Leaf, type Maybe, type Place, problem } from './filter.ts'

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

export interface IdFilter {
  readonly in?: Maybe<readonly Id[]>
}

export interface MembershipFilter {
  readonly all?: Maybe<readonly Id[]>
  readonly any?: Maybe<readonly Id[]>
  readonly none?: Maybe<readonly Id[]>
  readonly exists?: Maybe<boolean>
}

/** Returns a condition on columns of the row. An unknown value does not match, negated it does. */
export function columnLeaf(condition: Sql, isIndexed = true): Leaf {
  return (isNegated) => {
    const test = isNegated ? sql`(${condition}) IS NOT TRUE` : condition
    return { conjunct: test, operand: test, isIndexed: isIndexed && !isNegated }
  }
}

/** Returns a condition as a test inside another condition, such as of the columns of a related row. */
export function testOf(leaf: Leaf): Sql {
  const outcome = leaf(false)
  return typeof outcome === 'boolean' ? sql`${outcome}::boolean` : outcome.conjunct
}

/** Returns the condition that `ids`, which selects one column, selects the id of the row. */
export function memberLeaf({ rowId }: Pick<Place, 'rowId'>, ids: Sql): Leaf {
  const operand = sql`EXISTS (SELECT FROM (${ids}) AS x(id) WHERE x.id = ${rowId})`
  const without = sql`NOT ${operand}`
  return (isNegated) =>
    isNegated
      ? { conjunct: without, operand: without, isIndexed: false }
      : { conjunct: sql`${rowId} IN (${ids})`, operand, isIndexed: true, ids }
}

const constant =
  (matches: boolean): Leaf =>
  (isNegated) =>
    matches !== isNegated
const inverse =
  (leaf: Leaf): Leaf =>
  (isNegated) =>
    leaf(!isNegated)

/** How an index finds texts, if it is not an index of the text in lower case. */
interface TextOptions {
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
async function timeLeaves(time: Sql, value: TimeFilter, place: Place): Promise<Leaf[]> {
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

/** A text column. */
export function text(column: Sql, options?: TextOptions): Field<'text', TextFilter> {
  return { kind: 'text', leaves: (value, place) => textLeaves(column, value, place, options) }
}

/** A column with an e-mail address, which is equal in all its spellings (`address_key`). */
export function emailAddress(column: Sql, options: Pick<TextOptions, 'hint'> = {}): Field<'text', TextFilter> {
  return text(column, { ...options, equals: (other) => sql`address_key(${column}) = address_key(${other}::text)` })
}

/** A column with a time. */
export function time(column: Sql): Field<'time', TimeFilter> {
  return { kind: 'time', isPlain: true, leaves: (value, place) => timeLeaves(column, value, place) }
}

/** A column with a number or an amount of money. */
export function number(column: Sql): Field<'number', NumberFilter> {
  return { kind: 'number', isPlain: true, leaves: (value) => numberLeaves(column, value) }
}

/**
 * A column with one of a fixed set of values. `kind` is the name of the enum in the API, `type` that of its type in
 * PostgreSQL. An empty list matches nothing.
 */
export function oneOf<Value extends string>(
  kind: string,
  column: Sql,
  type: string,
): Field<`enum ${string}`, readonly Value[]> {
  return {
    kind: `enum ${kind}`,
    isPlain: true,
    leaves: (values) => [
      values.length === 0 ? constant(false) : columnLeaf(sql`${column} = ANY(${[...values]}::text[]::${raw(type)}[])`),
    ],
  }
}

/** A condition that is true or false for each row. */
export function flag(condition: Sql): Field<'flag', boolean> {
  return {
    kind: 'flag',
    isPlain: true,
    leaves: (value) => [columnLeaf(value ? condition : sql`NOT (${condition})`, false)],
  }
}

/** The ids of the rows themselves. */
export function identity(type: string): Field<'identity', IdFilter> {
  return {
    kind: 'identity',
    isPlain: true,
    leaves: (value, { rowId, path }) => {
      if (value.in == null) return []
      const ids = integers(type, value.in, `${path}.in`)
      return [ids.length === 0 ? constant(false) : columnLeaf(isOneOf(rowId, ids))]
    },
  }
}

/** The operators of a membership that have ids. */
export const memberships = ['all', 'any', 'none'] as const

/**
 * Returns the integer ids of an operator of a membership, undefined if it is not set. Adds them to the exclusions of the
 * filter if it excludes by them. **Throws** VALIDATION_ERROR.
 */
export function readMembers(
  type: string,
  name: (typeof memberships)[number],
  given: Maybe<readonly Id[]>,
  place: Pick<Place, 'path' | 'isNegated' | 'exclusions'>,
): readonly number[] | undefined {
  if (given == null) return undefined
  const path = `${place.path}.${name}`
  const ids = integers(type, given, path)
  const isExcluding = (name === 'none') !== place.isNegated
  if (isExcluding) place.exclusions.push(...ids.map((id) => ({ type, id, path })))
  return ids
}

/** Returns the condition that a row is related to any of `ids`, or to any row at all if `ids` is undefined. */
type RelationLeaf = (place: Place, ids: readonly number[] | undefined) => Leaf

function membership(type: string, leaf: RelationLeaf, needs?: Scope): Field<'member', MembershipFilter> {
  return {
    kind: 'member',
    ...(needs && { needs }),
    leaves: (value, place) => {
      const [all, any, none] = memberships.map((name) => readMembers(type, name, value[name], place))
      const inAny = (ids: readonly number[]) => (ids.length === 0 ? constant(false) : leaf(place, ids))
      return [
        ...(all ?? []).map((id) => inAny([id])),
        ...(any ? [inAny(any)] : []),
        ...(none ? [inverse(inAny(none))] : []),
        ...existence(value.exists, () => leaf(place, undefined)),
      ]
    },
  }
}

/**
 * The rows of another type that a row belongs to. `select` selects the ids of the rows that belong to any of `ids`, or to any
 * row at all if `ids` is undefined.
 */
export function member(
  type: string,
  select: (ctx: Ctx, ids: readonly number[] | undefined) => Sql,
  needs?: Scope,
): Field<'member', MembershipFilter> {
  return membership(type, (place, ids) => memberLeaf(place, select(place.ctx, ids)), needs)
}

/** The row of another type that a column refers to. */
export function reference(type: string, column: Sql, needs?: Scope): Field<'member', MembershipFilter> {
  const leaf: RelationLeaf = (_place, ids) =>
    ids ? columnLeaf(sql`${column} = ANY(${ids}::int[])`) : columnLeaf(sql`${column} IS NOT NULL`, false)
  return { ...membership(type, leaf, needs), isPlain: true }
}

/** Whether a row is related to any row of another table. `select` selects the ids of the rows that are. */
export function related(select: (ctx: Ctx) => Sql, needs: Scope): Field<'flag', boolean> {
  return {
    kind: 'flag',
    needs,
    leaves: (value, place) => existence(value, () => memberLeaf(place, select(place.ctx))),
  }
}

/** Returns the condition that something exists or not; none if `exists` is not set. */
export function existence(exists: Maybe<boolean>, leaf: () => Leaf): Leaf[] {
  if (exists == null) return []
  return [exists ? leaf() : inverse(leaf())]
}

function integers(type: string, ids: readonly Id[], path: string): number[] {
  if (ids.length > filterLimits.ids) throw problem(path, `must have at most ${filterLimits.ids} ids`)
  return ids.map((id) => idOf(type, id, path))
}
