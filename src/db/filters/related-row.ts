import type { Scope } from '../../kernel/scopes.ts'
import { empty, type Sql, sql } from '../sql.ts'
import { columnLeaf } from './conditions.ts'
import type { Field, Fields, Filter, FilterDefinition } from './filter.ts'

/**
 * The row of another list that a column refers to, by the filter of that list. An empty filter matches every row that exists.
 */
export function relatedRow<Kind extends string, Given extends Fields>(
  kind: Kind,
  column: Sql,
  definition: FilterDefinition<Given>,
  needs: Scope,
): Field<Kind, Filter<Given>> {
  return {
    kind,
    needs,
    fields: definition.fields,
    leaves: async (value, place) => {
      const condition = await place.related(definition, value)
      if (condition === false) return [(isNegated) => isNegated]
      const matching = condition === true ? empty : sql`AND ${condition}`
      return [columnLeaf(sql`${column} IN (SELECT ${definition.rowId} ${definition.from(place.ctx)} ${matching})`)]
    },
  }
}
