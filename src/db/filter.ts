import { invalid } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { type DateRange, type Period, spanOf } from '../kernel/period.ts'
import { mustBeAllowed, type Scope } from '../kernel/scopes.ts'
import type { Ctx } from './context.ts'
import { containing, join, type Sql, sql, startingWith } from './sql.ts'

/** Limits of a filter. The depth counts the filter itself and each level of `and`, `or` and `not`. */
export const filterLimits = { depth: 5, conditions: 30, ids: 1_000, values: 100, contains: 3 } as const

type Id = string | number
type Maybe<Value> = Value | null | undefined

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
interface SpanFilter<At> {
  readonly gte?: Maybe<At>
  readonly lt?: Maybe<At>
  readonly period?: Maybe<Period>
  readonly range?: Maybe<DateRange>
}
export type TimeFilter = SpanFilter<Date | string>
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

/**
 * A condition on a row. In a conjunction of WHERE, a membership is a semi-join. As an operand of OR it is a lookup for each
 * row, because PostgreSQL evaluates a large `IN` there with a linear search.
 */
interface Condition {
  readonly conjunct: Sql
  readonly operand: Sql
  /** Whether an index finds the rows that match. */
  readonly isIndexed: boolean
  /** Selects the ids of the rows that match, if the condition is on another table. */
  readonly ids?: Sql
}

/** A condition, or whether all rows match or none. */
type Outcome = Condition | boolean

/** A condition of a field, which can be negated. */
export type Leaf = (isNegated: boolean) => Outcome

/** A row that a filter excludes by its id. Without the row, the filter matches more. */
export interface Exclusion {
  readonly type: string
  readonly id: number
  readonly path: string
}

/** Where a value of a filter is, and what its conditions are about. */
export interface Place {
  readonly ctx: Ctx
  /** Path of the value for messages, such as `filter.and.0.email`. */
  readonly path: string
  readonly rowId: Sql
  readonly isNegated: boolean
  readonly exclusions: Exclusion[]
  /** Returns the time zone in which days begin. */
  zone(): Promise<string>
}

/** A field of a filter. `kind` selects its input type in the API. */
export interface Field<Kind extends string, Value> {
  readonly kind: Kind
  /** Scope that a key needs to filter by the field, besides the scope of the list. */
  readonly needs?: Scope
  /** Returns the conditions of a value; all of them must hold. */
  readonly leaves: (value: Value, place: Place) => Leaf[] | Promise<Leaf[]>
}

// biome-ignore lint/suspicious/noExplicitAny: each field has its own type of values
export type Fields = Readonly<Record<string, Field<string, any>>>
type ValueOf<Each> = Each extends Field<string, infer Value> ? Value : never

/** A filter with these fields. All parts that are set must match. Null means no condition. */
export type Filter<Given extends Fields> = { readonly [Name in keyof Given]?: Maybe<ValueOf<Given[Name]>> } & {
  readonly and?: Maybe<readonly Filter<Given>[]>
  readonly or?: Maybe<readonly Filter<Given>[]>
  readonly not?: Maybe<Filter<Given>>
}

/** The filter of a list: its fields, and the rows it applies to. */
export interface FilterDefinition<Given extends Fields> {
  readonly fields: Given
  /** The id of a row. */
  readonly rowId: Sql
  /** `FROM … WHERE account_id = …`, all rows of the account. */
  readonly from: (ctx: Ctx) => Sql
  readonly zone: (ctx: Ctx) => Promise<string>
}

/** Returns a condition on columns of the row. An unknown value does not match, negated it does. */
export function columnLeaf(condition: Sql, isIndexed = true): Leaf {
  return (isNegated) => {
    const test = isNegated ? sql`(${condition}) IS NOT TRUE` : condition
    return { conjunct: test, operand: test, isIndexed: isIndexed && !isNegated }
  }
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

/** Returns the conditions of a time. **Throws** INVALID_PERIOD. */
async function timeLeaves(time: Sql, value: TimeFilter, place: Place): Promise<Leaf[]> {
  const { from, until } = await spanIn(value, place)
  const ends = [value.gte, from].filter((end) => end != null)
  const starts = [value.lt, until].filter((start) => start != null)
  return [
    ...ends.map((end) => columnLeaf(sql`${time} >= ${new Date(end)}::timestamptz`)),
    ...starts.map((start) => columnLeaf(sql`${time} < ${new Date(start)}::timestamptz`)),
  ]
}

/** Returns the conditions of a day. A period is the days of the time zone. **Throws** INVALID_PERIOD. */
export async function dateLeaves(day: Sql, value: DateFilter, place: Place): Promise<Leaf[]> {
  const { from, until } = await spanIn(value, place)
  const zone = from || until ? await place.zone() : 'UTC'
  const dayIn = (moment: Date) => sql`(${moment}::timestamptz AT TIME ZONE ${zone}::text)::date`
  return [
    ...(value.gte == null ? [] : [columnLeaf(sql`${day} >= ${value.gte}::text::date`)]),
    ...(value.lt == null ? [] : [columnLeaf(sql`${day} < ${value.lt}::text::date`)]),
    ...(from ? [columnLeaf(sql`${day} >= ${dayIn(from)}`)] : []),
    ...(until ? [columnLeaf(sql`${day} < ${dayIn(until)}`)] : []),
  ]
}

async function spanIn({ period, range }: SpanFilter<unknown>, { ctx, zone }: Place) {
  return period == null || period === 'ALL' ? {} : spanOf(period, range, await zone(), ctx.clock.now())
}

/** A text column. */
export function text(column: Sql, options?: TextOptions): Field<'text', TextFilter> {
  return { kind: 'text', leaves: (value, place) => textLeaves(column, value, place, options) }
}

/** A column with a time. */
export function time(column: Sql): Field<'time', TimeFilter> {
  return { kind: 'time', leaves: (value, place) => timeLeaves(column, value, place) }
}

/** A condition that is true or false for each row. */
export function flag(condition: Sql): Field<'flag', boolean> {
  return { kind: 'flag', leaves: (value) => [columnLeaf(value ? condition : sql`NOT (${condition})`, false)] }
}

/** The ids of the rows themselves. */
export function identity(type: string): Field<'identity', IdFilter> {
  return {
    kind: 'identity',
    leaves: (value, { rowId, path }) => {
      if (value.in == null) return []
      const ids = integers(type, value.in, `${path}.in`)
      return [ids.length === 0 ? constant(false) : columnLeaf(sql`${rowId} = ANY(${ids}::int[])`)]
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
  return {
    kind: 'member',
    ...(needs && { needs }),
    leaves: (value, place) => {
      const read = (name: 'all' | 'any' | 'none') => {
        const ids = value[name]
        if (ids == null) return undefined
        const path = `${place.path}.${name}`
        const found = integers(type, ids, path)
        const isExcluding = (name === 'none') !== place.isNegated
        if (isExcluding) place.exclusions.push(...found.map((id) => ({ type, id, path })))
        return found
      }
      const inAny = (ids: readonly number[]) =>
        ids.length === 0 ? constant(false) : memberLeaf(place, select(place.ctx, ids))
      const [all, any, none] = [read('all'), read('any'), read('none')]
      return [
        ...(all ?? []).map((id) => inAny([id])),
        ...(any ? [inAny(any)] : []),
        ...(none ? [inverse(inAny(none))] : []),
        ...existence(value.exists, () => memberLeaf(place, select(place.ctx, undefined))),
      ]
    },
  }
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

/** Creates the VALIDATION_ERROR for a value of a filter. */
export function problem(path: string, message: string) {
  return invalid({ [path]: [message] })
}

/**
 * Checks the limits of a filter and the scopes of its fields. `path` is the path of the filter in messages.
 *
 * **Throws** VALIDATION_ERROR, and FORBIDDEN for a field whose scope the key lacks.
 */
export function checkFilter<Given extends Fields>(
  ctx: Ctx,
  { fields }: FilterDefinition<Given>,
  filter: Filter<Given>,
  path: string,
): void {
  let conditions = 0
  const visit = (node: Filter<Given>, at: string, depth: number) => {
    if (depth > filterLimits.depth) throw problem(path, `must have at most ${filterLimits.depth} levels`)
    for (const [name, value] of Object.entries(node)) {
      if (value == null) continue
      if (name === 'not') visit(value as Filter<Given>, `${at}.not`, depth + 1)
      else if (name === 'and' || name === 'or') {
        const parts = value as readonly Filter<Given>[]
        for (const [index, part] of parts.entries()) visit(part, `${at}.${name}.${index}`, depth + 1)
      } else {
        const field = fields[name]
        if (!field) throw problem(`${at}.${name}`, 'is not a field of this filter')
        if (field.needs) mustBeAllowed(ctx, field.needs)
        conditions += countConditions(value)
        if (conditions > filterLimits.conditions) {
          throw problem(path, `must have at most ${filterLimits.conditions} conditions`)
        }
      }
    }
  }
  visit(filter, path, 1)
}

/** Counts the operators in the value of a field. Each id of `all` is a condition of its own. */
function countConditions(value: unknown): number {
  if (value == null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countConditions(each), 0)
  if (typeof value !== 'object' || value instanceof Date) return 1
  return Object.entries(value).reduce((sum, [name, operand]) => {
    if (name === 'id' || name === 'range') return sum
    if (name === 'all' && Array.isArray(operand)) return sum + operand.length
    return sum + (Array.isArray(operand) ? 1 : countConditions(operand))
  }, 0)
}

/** A filter in SQL. */
interface CompiledFilter {
  /** The condition on a row, or whether all rows match or none. */
  readonly condition: Sql | boolean
  readonly exclusions: readonly Exclusion[]
}

/**
 * Compiles a filter to a condition on the rows of `definition`. An empty `or` matches nothing, an empty `and` everything.
 *
 * **Throws** VALIDATION_ERROR for an invalid value, and INVALID_PERIOD.
 */
export async function compileFilter<Given extends Fields>(
  ctx: Ctx,
  definition: FilterDefinition<Given>,
  filter: Filter<Given>,
  path: string,
): Promise<CompiledFilter> {
  const { fields, rowId, from } = definition
  const exclusions: Exclusion[] = []
  const combine = (isAnd: boolean, parts: readonly Outcome[]) =>
    isAnd ? conjunction(parts) : disjunction(parts, rowId, () => from(ctx))
  const visit = async (node: Filter<Given>, at: string, isNegated: boolean): Promise<Outcome> => {
    const parts: Outcome[] = []
    for (const [name, value] of Object.entries(node)) {
      if (value == null) continue
      if (name === 'not') parts.push(await visit(value as Filter<Given>, `${at}.not`, !isNegated))
      else if (name === 'and' || name === 'or') {
        const children: Outcome[] = []
        for (const [index, part] of (value as readonly Filter<Given>[]).entries()) {
          children.push(await visit(part, `${at}.${name}.${index}`, isNegated))
        }
        // The negation of a conjunction is the disjunction of the negations.
        parts.push(combine((name === 'and') !== isNegated, children))
      } else {
        const field = fields[name]
        if (!field) throw problem(`${at}.${name}`, 'is not a field of this filter')
        const zone = () => definition.zone(ctx)
        const leaves = await field.leaves(value, { ctx, path: `${at}.${name}`, rowId, isNegated, exclusions, zone })
        parts.push(...leaves.map((leaf) => leaf(isNegated)))
      }
    }
    return combine(!isNegated, parts)
  }
  const outcome = await visit(filter, path, false)
  return { condition: typeof outcome === 'boolean' ? outcome : outcome.conjunct, exclusions }
}

/** Returns the conditions of a list for a filter that a client sent. Checks its limits and scopes first. */
export async function filterConditions<Given extends Fields>(
  ctx: Ctx,
  definition: FilterDefinition<Given>,
  filter: Filter<Given>,
): Promise<Sql[]> {
  checkFilter(ctx, definition, filter, 'filter')
  const { condition } = await compileFilter(ctx, definition, filter, 'filter')
  return condition === true ? [] : [condition === false ? sql`false` : condition]
}

function conjunction(parts: readonly Outcome[]): Outcome {
  if (parts.includes(false)) return false
  const [first, ...others] = parts.filter((part) => typeof part === 'object')
  if (!first) return true
  if (others.length === 0) return first
  const all = [first, ...others]
  return {
    conjunct: sql`(${join(
      all.map(({ conjunct }) => conjunct),
      ' AND ',
    )})`,
    operand: sql`(${join(
      all.map(({ operand }) => operand),
      ' AND ',
    )})`,
    isIndexed: all.some(({ isIndexed }) => isIndexed),
  }
}

function disjunction(parts: readonly Outcome[], rowId: Sql, from: () => Sql): Outcome {
  if (parts.includes(true)) return true
  const [first, ...others] = parts.filter((part) => typeof part === 'object')
  if (!first) return false
  if (others.length === 0) return first
  const all = [first, ...others]
  const operand = sql`(${join(
    all.map((each) => each.operand),
    ' OR ',
  )})`
  // Conditions on the row's own columns are combined by the planner. Any other OR would be evaluated for every row, so it
  // becomes one set of ids. For UNION ALL, the planner cannot estimate the number of distinct ids.
  if (!all.every(({ isIndexed }) => isIndexed) || all.every((each) => each.conjunct === each.operand)) {
    return { conjunct: operand, operand, isIndexed: all.every(({ isIndexed }) => isIndexed) }
  }
  const ids = sql`${join(
    all.map((each) => each.ids ?? sql`SELECT ${rowId} ${from()} AND ${each.conjunct}`),
    ' UNION ',
  )}`
  return { conjunct: sql`${rowId} IN (${ids})`, operand, isIndexed: true, ids }
}
