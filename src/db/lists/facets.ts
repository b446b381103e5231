import { invalid } from '../../kernel/errors.ts'
import { globalId, idOf } from '../../kernel/values/ids.ts'
import type { Ctx } from '../context.ts'
import { inDictionary, raw, type Sql, sql } from '../sql.ts'

/** Maximum number of rows whose values are counted, and limits of the number of values. */
export const facetLimits = { rows: 25_000, values: 50, usualValues: 10 } as const

/** How the values of a facet are read. */
interface FacetSource {
  /** Value of a row as text, or with `each` its key in the other table. Rows without a value are not counted. */
  readonly value: Sql
  /** Text that is shown for the value. Defaults to the value. */
  readonly label?: Sql
  /** Selects the values of the row with the key `counted.value` from another table, each with its label. */
  readonly each?: Sql
  /** The type of the object whose integer id a value is. Clients get its ID. */
  readonly idType?: string
}

/** A facet of a list. One that is about an object, such as a custom field, has no values if the object does not exist. */
interface FacetDefinition {
  readonly sourceOf: (ctx: Ctx, id: number) => FacetSource | Promise<FacetSource | undefined>
  /** The type of the object, and the argument with its id. */
  readonly object?: { readonly type: string; readonly argument: string }
}

/** The facets of a list, by the field whose values they count. */
export type Facets<Field extends string> = Readonly<Record<Field, FacetDefinition>>

/** A facet of a column. The spellings of a text are one value. */
export const columnFacet = (column: Sql, label?: Sql): FacetDefinition => ({
  sourceOf: () => ({ value: sql`${column}::text`, ...(label && { label }) }),
})

/** Arguments of a facet: `object` is the id of the object that an `ObjectFacet` is about. */
export interface FacetArgs {
  readonly field: string
  readonly object?: string | number | null | undefined
  readonly first?: number | null | undefined
}

/** A value, the text that is shown for it, and the number of rows with it. */
export interface FacetValue {
  readonly value: string
  readonly label: string
  readonly count: number
}

/** The most frequent values of the rows of a list. */
export interface Facet {
  readonly values: readonly FacetValue[]
  /** Whether all rows were counted, and not only a part of them. */
  readonly isExact: boolean
}

/** A row of the statement of a facet: a value, or null if there is none. */
export interface FacetRow {
  readonly value: string | null
  readonly label: string
  readonly count: number
  readonly isCut: boolean
}

/** A facet with the statement that counts its values, of the rows that `from` and the conditions select. */
export interface FacetQuery {
  readonly idType?: string | undefined
  readonly statement: (from: Sql, conditions: Sql) => Sql
}

/** Returns the facet that the rows of its statement are. */
export function readFacet(rows: readonly FacetRow[], { idType }: Pick<FacetQuery, 'idType'> = {}): Facet {
  const written = (value: string) => (idType ? globalId(idType, Number(value)) : value)
  return {
    values: rows.flatMap(({ value, label, count }) =>
      value === null ? [] : [{ value: written(value), label, count }],
    ),
    isExact: !rows[0]?.isCut,
  }
}

/**
 * Reads the arguments of a facet. Its statement counts at most `facetLimits.rows` rows. Undefined if the object of the facet does
 * not exist. **Throws** VALIDATION_ERROR.
 */
export async function readFacetQuery(
  ctx: Ctx,
  facets: Facets<string>,
  { field, object, first }: FacetArgs,
): Promise<FacetQuery | undefined> {
  const size = first ?? facetLimits.usualValues
  if (size < 1 || size > facetLimits.values) {
    throw invalid({ first: [`must be a whole number from 1 to ${facetLimits.values}`] })
  }
  const definition = facets[field]
  if (!definition) throw new Error(`The list has no facet ${field}.`)
  const argument = Object.values(facets).find((facet) => facet.object)?.object?.argument ?? ''
  if ((object == null) === (definition.object !== undefined)) {
    throw invalid({ [argument]: [`${definition.object ? 'is required' : 'is not allowed'} for the facet ${field}`] })
  }
  const id = definition.object && object != null ? idOf(definition.object.type, object, argument) : 0
  const source = await definition.sourceOf(ctx, id)
  return (
    source && { idType: source.idType, statement: (from, conditions) => statementOf(source, from, conditions, size) }
  )
}

function statementOf({ value, label = value, each }: FacetSource, from: Sql, conditions: Sql, size: number): Sql {
  // The values of each row are found by an index: a join could read all rows of the other table.
  const values = each
    ? sql`SELECT e.value, e.label FROM counted CROSS JOIN LATERAL (${each} OFFSET 0) AS e(value, label)`
    : sql`SELECT value, label FROM counted`
  return sql`
    WITH counted AS MATERIALIZED (
      SELECT ${value} AS value, ${label} AS label ${from} ${conditions} LIMIT ${raw(String(facetLimits.rows + 1))}
    )
    SELECT found.value, found.label, found.count, part."isCut"
    FROM (SELECT count(*) > ${raw(String(facetLimits.rows))} AS "isCut" FROM counted) part
    LEFT JOIN (
      SELECT min(v.value COLLATE "C") AS value, min(v.label COLLATE "C") AS label, count(*)::int AS count
      FROM (${values}) v WHERE v.value <> ''
      GROUP BY lower(v.value) ORDER BY count(*) DESC, ${inDictionary(sql`min(v.label COLLATE "C")`)} LIMIT ${size}::int
    ) found ON true
    ORDER BY found.count DESC, ${inDictionary(sql`found.label`)}`
}
