import { type Column, columnsOf, type Model } from './datamodel.ts'
import { raw, type Sql } from './sql.ts'

/** Maximum number of combinations of columns of a table that are read. */
const maxCombinations = 12

/** The columns of the rows of a table, by the names of their fields. */
interface TableColumns {
  /** All columns, for SELECT. */
  readonly all: Sql
  /** Returns the columns of some fields, or all beyond the maximum number of combinations and if a field has no column. */
  some(fields: readonly string[]): Sql
  /** Returns the datamodel of a field. */
  of(field: string): Column
}

/** Describes the columns of a model with an alias. `renamed` are fields of the model by the name that they have in rows. */
export function columnsFor(
  model: Model,
  alias: string,
  { without, renamed }: { without: readonly unknown[]; renamed: Readonly<Record<string, unknown>> },
): TableColumns {
  const names = new Map(Object.entries<unknown>(renamed).map(([name, field]) => [field, name]))
  const columns = new Map(
    [...columnsOf(model)]
      .filter(([field]) => !without.includes(field))
      .map(([field, each]) => [names.get(field) ?? field, each]),
  )
  const expressions = new Map(
    [...columns].map(([field, each]) => [field, `${expressionOf(alias, each)} AS "${field}"`]),
  )
  const all = raw([...expressions.values()].join(', '))
  const combinations = new Map<string, Sql>()
  return {
    all,
    some: (fields) => {
      const name = fields.join()
      const found = combinations.get(name)
      if (found) return found
      if (combinations.size >= maxCombinations || fields.some((each) => !columns.has(each))) return all
      const some = raw([...new Set(fields)].map((each) => expressions.get(each)).join(', '))
      combinations.set(name, some)
      return some
    },
    of: (field) => columns.get(field) as Column,
  }
}

/** Transactions read a decimal as an object, unless it is text. */
function expressionOf(alias: string, { name, type }: Column): string {
  return `${alias}.${name}${type === 'Decimal' ? '::text' : ''}`
}
