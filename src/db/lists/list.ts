import type { PageArgs } from '../../kernel/values/page.ts'
import type { Ctx } from '../context.ts'
import type { Column } from '../datamodel.ts'
import { type Fields, type Filter, type FilterDefinition, isPlain } from '../filters/filter.ts'
import { filterConditions } from '../filters/filter-check.ts'
import { inDictionary, inDictionaryOfAnyCase, type Sql, sql } from '../sql.ts'
import type { Table } from '../table.ts'
import type { Facet, FacetArgs, Facets } from './facets.ts'

export type Direction = 'ASC' | 'DESC'

/** Maximum number of sort keys of a request. */
export const maxKeys = 3

/**
 * A sort key of a list: its SQL expression, which can depend on the filter and the direction, and the type of the value in
 * cursors. `path` is the path of the key in errors.
 */
export interface OrderKey {
  readonly by:
    | Sql
    | ((request: { readonly filter: object; readonly path: string; readonly direction: Direction }) => Sql)
  readonly kind: 'time' | 'text' | 'number' | 'decimal'
  /** The field of a row with the value. Absent if no field has it. */
  readonly field?: string
  /** The key that follows if rows are sorted by this one alone: it orders texts that differ in case only. */
  readonly next?: OrderKey
}

/** The sort order that a client requests. */
export interface Order<Field extends string> {
  readonly field: Field
  readonly direction: Direction
}

/** The definition of a list, from which the page, the page inside each of many parents, and the count are built. */
export interface List<Row extends { id: number | bigint }, Filter, Field extends string> {
  readonly name: string
  readonly table: Table<Row>
  readonly orders: Readonly<Record<Field, OrderKey>>
  readonly usual: Order<Field>
  readonly filter: FilterDefinition<Fields>
  /** Compiles a filter. `path` is its path in errors, by default `filter`. */
  readonly where: (filter: Filter, ctx: Ctx, path?: string) => Promise<readonly Sql[]> | readonly Sql[]
  /** Returns whether the time of a page and a count is limited, because a client combined conditions freely. */
  readonly isLimited: (filter: Filter) => boolean
  /** Returns the number of all rows of the account, which the writers of the rows keep. Without it, rows are counted. */
  readonly counter?: ((ctx: Ctx) => Sql) | undefined
  /** The fields whose values can be counted. */
  readonly facets?: Facets<string> | undefined
}

/**
 * Creates the list of the rows of a table. A sort key is a field that is never null, or an expression. The usual order is by
 * the first one, descending; that of a search of at least 2 characters is by RELEVANCE, if the list has it. The name is part
 * of cursors.
 */
export function newList<Row extends { id: number | bigint }, Given extends Fields, Field extends string>(
  table: Table<Row>,
  list: {
    readonly name: string
    readonly orders: Readonly<Record<Field, OrderKey | (keyof Row & string)>>
    readonly usual?: Order<NoInfer<Field>>
    readonly filter: FilterDefinition<Given>
    readonly counter?: (ctx: Ctx) => Sql
    readonly facets?: Facets<string>
  },
): List<Row, Filter<Given>, Field> {
  const orders = Object.entries<OrderKey | (keyof Row & string)>(list.orders).map(([name, key]) => [
    name,
    typeof key === 'string' ? columnKey(table.field(key), table.column(key), key) : key,
  ])
  const usual: Order<Field> = { field: orders[0]?.[0] as Field, direction: 'DESC' }
  const { name, filter, counter, facets } = list
  return {
    name,
    table,
    filter: filter as FilterDefinition<Fields>,
    counter,
    facets,
    orders: Object.fromEntries(orders),
    usual: list.usual ?? usual,
    where: (given, ctx, path) => filterConditions(ctx, filter, given, path),
    isLimited: (given) => !isPlain(filter, given),
  }
}

/** The sort key of a column. Texts are ordered as in a dictionary, regardless of case, enums by the bytes of their names. */
function columnKey(by: Sql, { type }: Column, field: string): OrderKey {
  if (type === 'Enum') return { by: sql`${by}::text COLLATE "C"`, kind: 'text', field }
  if (type === 'DateTime') return { by, kind: 'time', field }
  if (type === 'Decimal') return { by, kind: 'decimal', field }
  if (type !== 'String') return { by, kind: 'number', field }
  return { by: inDictionaryOfAnyCase(by), kind: 'text', next: { by: inDictionary(by), kind: 'text', field } }
}

/** A list inside each of many parents. `from` must relate a row to the column `parent.id`. */
export interface InnerList {
  readonly name: string
  /** Replaces the `from` of the table. It must also contain the condition on the account. */
  readonly from: (ctx: Ctx) => Sql
  /** The links of the rows to their parents, if each row has one. `from` contains them, with the same alias. */
  readonly links?: Links
}

/** Links by which all rows of a parent are counted, and sorted without reading the rows. */
export interface Links {
  readonly from: (ctx: Ctx) => Sql
  /** The id of the row. */
  readonly id: Sql
  /** Copies of sort keys that are fields of the row, by order. An index on the links must end with each of them and the id. */
  readonly orders: Readonly<Record<string, Sql>>
}

/** A list inside parents that are identified by text keys. `from` returns the source of the rows for a key. */
export interface KeyedList {
  readonly name: string
  /** Replaces the `from` of the table. It must also contain the condition on the account. */
  readonly from: (ctx: Ctx, key: string) => Promise<Sql>
  /** Returns whether the key is a stored filter, which an error cannot name by an argument. */
  readonly isStored: (key: string) => boolean
}

/** Arguments of a list field. */
export interface ListArgs<Filter, Field extends string> extends PageArgs {
  readonly filter?: Filter | null | undefined
  readonly orderBy?: readonly Order<Field>[] | null | undefined
  /** Restricts what is read of each row. The rows of the page then lack all other fields. */
  readonly selection?: RowSelection | undefined
}

/** What is selected of the rows of a page. */
export interface RowSelection {
  readonly fields: readonly string[]
  /** Whether the places of the rows in the list are selected. */
  readonly hasCursors: boolean
}

/** A page of a list. Its rows and the total count are read only on request. */
export interface Page<Row> {
  /** Reads the rows once, however often it is called. */
  content(): Promise<PageContent<Row>>
  totalCount(): Promise<number>
  /** Counts the values of a field of all rows that match. Absent if the list has no facets. */
  facet?(args: FacetArgs): Promise<Facet>
}

/** The rows of a page. */
export interface PageContent<Row> {
  readonly rows: readonly Row[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  cursor(row: Row): string
}
