import { join, type Sql, sql } from '../sql.ts'

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
export type Outcome = Condition | boolean

/** A condition of a field, which can be negated. */
export interface Leaf {
  (isNegated: boolean): Outcome
  /** The condition whose negation this is, if it is one. */
  readonly inverseOf?: Leaf
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

/**
 * Returns the conditions on a value of a related row. `having` returns the condition that there is a related row that meets a
 * test. A negation also matches if there is no related row.
 */
export function relatedLeaves(having: (test: Sql) => Leaf, leaves: readonly Leaf[]): Leaf[] {
  const tests = leaves.filter(({ inverseOf }) => !inverseOf).map(testOf)
  const excluded = leaves.flatMap(({ inverseOf }) => inverseOf ?? [])
  return [
    ...(tests.length > 0 ? [having(join(tests, ' AND '))] : []),
    ...excluded.map((leaf) => inverse(having(testOf(leaf)))),
  ]
}

/** Returns the condition that `ids`, which selects one column, selects the id of the row. */
export function memberLeaf({ rowId }: { readonly rowId: Sql }, ids: Sql): Leaf {
  const operand = sql`EXISTS (SELECT FROM (${ids}) AS x(id) WHERE x.id = ${rowId})`
  const without = sql`NOT ${operand}`
  return (isNegated) =>
    isNegated
      ? { conjunct: without, operand: without, isIndexed: false }
      : { conjunct: sql`${rowId} IN (${ids})`, operand, isIndexed: true, ids }
}

/** Returns a condition that all rows match, or none. */
export const constant =
  (matches: boolean): Leaf =>
  (isNegated) =>
    matches !== isNegated

/** Returns the negation of a condition. */
export function inverse(leaf: Leaf): Leaf {
  return Object.assign((isNegated: boolean) => leaf(!isNegated), { inverseOf: leaf })
}

/** Returns the condition that something exists or not; none if `exists` is not set. */
export function existence(exists: boolean | null | undefined, leaf: () => Leaf): Leaf[] {
  if (exists == null) return []
  return [exists ? leaf() : inverse(leaf())]
}

/** Returns the condition that all of several hold. */
export function conjunction(parts: readonly Outcome[]): Outcome {
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

/** Returns the condition that any of several holds. `from` returns all rows of the account. */
export function disjunction(parts: readonly Outcome[], rowId: Sql, from: () => Sql): Outcome {
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
