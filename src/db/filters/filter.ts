import { invalid } from '../../kernel/errors.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Ctx } from '../context.ts'
import type { Sql } from '../sql.ts'
import type { Table } from '../table.ts'
import { conjunction, disjunction, type Leaf, type Outcome } from './conditions.ts'

/**
 * Limits of a filter. The depth counts the filter itself and each level of `and`, `or` and `not`. `expanded` is the maximum
 * number of conditions including those of the stored filters that it names.
 */
export const filterLimits = {
  depth: 5,
  conditions: 40,
  expanded: 200,
  ids: 1_000,
  values: 100,
  contains: 3,
  days: 36_500,
} as const

export type Id = string | number
export type Maybe<Value> = Value | null | undefined

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
  /** Returns the condition that any of several holds. */
  anyOf(leaves: readonly Leaf[]): Leaf
  /** Compiles the filter of related rows to a condition on them, or whether all of them match or none. */
  related<Given extends Fields>(definition: FilterDefinition<Given>, filter: Filter<Given>): Promise<Sql | boolean>
}

/** A field of a filter. `kind` selects its input type in the API. */
export interface Field<Kind extends string, Value> {
  readonly kind: Kind
  /** Scope that a key needs to filter by the field, besides the scope of the list. */
  readonly needs?: Scope
  /** Fields of the filter that a value is, if the field is a condition on a related row. */
  readonly fields?: Fields
  /** Whether its conditions compare columns with values, so that a page of rows takes little time. */
  readonly isPlain?: boolean
  /** Returns the conditions of a value; all of them must hold. */
  readonly leaves: (value: Value, place: Place) => Leaf[] | Promise<Leaf[]>
}

/** A field whose value names stored filters of the same list. */
export interface StoredFilters<Kind extends string, Value> {
  readonly kind: Kind
  readonly needs?: undefined
  readonly fields?: undefined
  /** Returns the filter that a value represents. */
  readonly expand: (value: Value, place: Pick<Place, 'ctx' | 'path' | 'isNegated' | 'exclusions'>) => Promise<object>
}

// biome-ignore lint/suspicious/noExplicitAny: each field has its own type of values
export type Fields = Readonly<Record<string, Field<string, any> | StoredFilters<string, any>>>
type ValueOf<Each> = Each extends Field<string, infer Value> | StoredFilters<string, infer Value> ? Value : never

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
}

/** Describes the filter of the rows of a table. */
export function filterOn<Row extends { id: number | bigint }, Given extends Fields>(
  table: Table<Row>,
  fields: Given,
): FilterDefinition<Given> {
  return { fields, rowId: table.field('id'), from: table.from }
}

/** Returns the fields of a filter that compare columns of the same name, with what makes a field of a column. */
export function onColumns<Made, Row, Name extends keyof Row & string>(
  make: (column: Sql) => Made,
  table: Table<Row>,
  ...names: readonly Name[]
): { readonly [Each in Name]: Made } {
  return Object.fromEntries(names.map((name) => [name, make(table.field(name))])) as never
}

/** Returns whether all conditions of a filter compare columns with values. */
export function isPlain<Given extends Fields>({ fields }: FilterDefinition<Given>, filter: Filter<Given>): boolean {
  return Object.entries(filter).every(([name, value]) => {
    const field = fields[name]
    return value == null || (field !== undefined && 'isPlain' in field && field.isPlain)
  })
}

/** Creates the VALIDATION_ERROR for a value of a filter. */
export function problem(path: string, message: string) {
  return invalid({ [path]: [message] })
}

/** A filter in SQL. */
interface CompiledFilter {
  /** The condition that finds rows, or whether all rows match or none. */
  readonly condition: Sql | boolean
  /** The same condition as a test of one row, which is faster for few rows. */
  readonly test: Sql | boolean
  readonly exclusions: readonly Exclusion[]
}

/**
 * Compiles a filter to a condition on the rows of `definition`. An empty `or` matches nothing, an empty `and` everything.
 *
 * **Throws** VALIDATION_ERROR for an invalid value and for too many conditions in stored filters, and INVALID_PERIOD.
 */
export async function compileFilter<Given extends Fields>(
  ctx: Ctx,
  definition: FilterDefinition<Given>,
  filter: Filter<Given>,
  path: string,
): Promise<CompiledFilter> {
  const exclusions: Exclusion[] = []
  const outcome = await outcomeOf(definition, filter, path, false, { ctx, path, exclusions, conditions: 0 })
  const sides = typeof outcome === 'boolean' ? { conjunct: outcome, operand: outcome } : outcome
  return { condition: sides.conjunct, test: sides.operand, exclusions }
}

/** What the filters have in common that are compiled together. */
interface Compilation {
  readonly ctx: Ctx
  /** Path of the outermost filter. */
  readonly path: string
  readonly exclusions: Exclusion[]
  /** Number of conditions so far. */
  conditions: number
}

async function outcomeOf(
  { fields, rowId, from }: FilterDefinition<Fields>,
  filter: object,
  path: string,
  isNegated: boolean,
  compilation: Compilation,
): Promise<Outcome> {
  const { ctx, exclusions } = compilation
  const combine = (isAnd: boolean, parts: readonly Outcome[]) =>
    isAnd ? conjunction(parts) : disjunction(parts, rowId, () => from(ctx))
  const anyOf =
    (leaves: readonly Leaf[]): Leaf =>
    (isNegated) =>
      combine(
        isNegated,
        leaves.map((leaf) => leaf(isNegated)),
      )
  const partOf = async (name: string, value: unknown, at: string, isNegated: boolean): Promise<Outcome[]> => {
    if (value == null) return []
    if (name === 'not') return [await visit(value, at, !isNegated)]
    if (name === 'and' || name === 'or') {
      const children = (value as readonly object[]).map((part, index) => visit(part, `${at}.${index}`, isNegated))
      // The negation of a conjunction is the disjunction of the negations.
      return [combine((name === 'and') !== isNegated, await Promise.all(children))]
    }
    const field = fields[name]
    if (!field) throw problem(at, 'is not a field of this filter')
    const related: Place['related'] = async (definition, given) => {
      const outcome = await outcomeOf(definition as FilterDefinition<Fields>, given, at, false, compilation)
      return typeof outcome === 'boolean' ? outcome : outcome.conjunct
    }
    const place = { ctx, path: at, rowId, isNegated, exclusions, anyOf, related }
    if ('expand' in field) return [await visit(await field.expand(value, place), at, isNegated)]
    const leaves = await field.leaves(value, place)
    compilation.conditions += leaves.length
    if (compilation.conditions > filterLimits.expanded) {
      throw problem(
        compilation.path,
        `must have at most ${filterLimits.expanded} conditions, including those of the stored filters`,
      )
    }
    return leaves.map((leaf) => leaf(isNegated))
  }
  // The parts are compiled together, so that the rows that they name are loaded together.
  const visit = async (node: object, at: string, isNegated: boolean): Promise<Outcome> => {
    const parts = Object.entries(node).map(([name, value]) => partOf(name, value, `${at}.${name}`, isNegated))
    return combine(!isNegated, (await Promise.all(parts)).flat())
  }
  return visit(filter, path, isNegated)
}
