import type { Scope } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import type { Ctx } from '../context.ts'
import { isOneOf, raw, type Sql, sql } from '../sql.ts'
import { columnLeaf, constant, existence, inverse, type Leaf, memberLeaf } from './conditions.ts'
import { type Field, filterLimits, type Id, type Maybe, type Place, problem } from './filter.ts'
import {
  type NumberFilter,
  numberLeaves,
  type TextFilter,
  type TextOptions,
  type TimeFilter,
  textLeaves,
  timeLeaves,
} from './value-conditions.ts'

export interface IdFilter {
  readonly eq?: Maybe<Id>
  readonly ne?: Maybe<Id>
  readonly in?: Maybe<readonly Id[]>
}

export interface MembershipFilter {
  readonly all?: Maybe<readonly Id[]>
  readonly any?: Maybe<readonly Id[]>
  readonly none?: Maybe<readonly Id[]>
  readonly exists?: Maybe<boolean>
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
    leaves: ({ in: ids, eq, ne }, { rowId, path }) => {
      const isIn = (name: keyof IdFilter, given: readonly Id[]) => {
        const all = integers(type, given, `${path}.${name}`)
        return all.length === 0 ? constant(false) : columnLeaf(isOneOf(rowId, all))
      }
      return [
        ...(ids == null ? [] : [isIn('in', ids)]),
        ...(eq == null ? [] : [isIn('eq', [eq])]),
        ...(ne == null ? [] : [inverse(isIn('ne', [ne]))]),
      ]
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

/**
 * The values of an enum that related rows have. `select` selects the ids of the rows that are related to a row with any of the
 * values. An empty list matches nothing.
 */
export function relatedOneOf(
  kind: string,
  select: (ctx: Ctx, values: readonly string[]) => Sql,
  needs: Scope,
): Field<`enum ${string}`, readonly string[]> {
  return {
    kind: `enum ${kind}`,
    needs,
    leaves: (values, place) => [
      values.length === 0 ? constant(false) : memberLeaf(place, select(place.ctx, [...new Set(values)])),
    ],
  }
}

function integers(type: string, ids: readonly Id[], path: string): number[] {
  if (ids.length > filterLimits.ids) throw problem(path, `must have at most ${filterLimits.ids} ids`)
  return ids.map((id) => idOf(type, id, path))
}
