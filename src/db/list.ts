import { invalid } from '../kernel/errors.ts'
import { identityOf, type PageArgs, type PageRequest, type Place, readPage, writeCursor } from '../kernel/page.ts'
import { type Ctx, type Loader, many, single } from './context.ts'
import type { Column } from './datamodel.ts'
import { type Fields, type Filter, type FilterDefinition, filterConditions, isPlain } from './filter.ts'
import { empty, join, raw, type Sql, type Statement, sql } from './sql.ts'
import type { Table } from './table.ts'

export type Direction = 'ASC' | 'DESC'

/** A sort key of a list: its SQL expression, which can depend on the filter, and the type of the value in cursors. */
export interface OrderKey {
  readonly by: Sql | ((filter: object) => Sql)
  readonly kind: 'time' | 'text' | 'number' | 'decimal'
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
  readonly where: (filter: Filter, ctx: Ctx) => Promise<readonly Sql[]> | readonly Sql[]
  /** Returns whether the time of a page and a count is limited, because a client combined conditions freely. */
  readonly isLimited: (filter: Filter) => boolean
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
  },
): List<Row, Filter<Given>, Field> {
  const orders = Object.entries<OrderKey | (keyof Row & string)>(list.orders).map(([name, key]) => [
    name,
    typeof key === 'string' ? columnKey(table.field(key), table.column(key)) : key,
  ])
  const usual: Order<Field> = { field: orders[0]?.[0] as Field, direction: 'DESC' }
  const { name, filter } = list
  return {
    name,
    table,
    orders: Object.fromEntries(orders),
    usual: list.usual ?? usual,
    where: (given, ctx) => filterConditions(ctx, filter, given),
    isLimited: (given) => !isPlain(filter, given),
  }
}

/** The sort key of a column. Enums are ordered by name. */
function columnKey(by: Sql, { type }: Column): OrderKey {
  if (type === 'Enum') return { by: sql`${by}::text`, kind: 'text' }
  if (type === 'DateTime') return { by, kind: 'time' }
  if (type === 'Decimal') return { by, kind: 'decimal' }
  return { by, kind: type === 'String' ? 'text' : 'number' }
}

/** A list inside each of many parents. `from` must relate a row to the column `parent.id`. */
export interface Within {
  readonly name: string
  /** Replaces the `from` of the table. It must also contain the condition on the account. */
  readonly from: (ctx: Ctx) => Sql
}

/** A list inside parents that are identified by text keys. `from` returns the source of the rows for a key. */
export interface Varied {
  readonly name: string
  /** Replaces the `from` of the table. It must also contain the condition on the account. */
  readonly from: (ctx: Ctx, key: string) => Promise<Sql>
}

/** Arguments of a list field. */
export interface ListArgs<Filter, Field extends string> extends PageArgs {
  readonly filter?: Filter | null | undefined
  readonly orderBy?: Order<Field> | null | undefined
}

/** A page of a list. Its rows and the total count are read only on request. */
export interface Page<Row> {
  /** Reads the rows once, however often it is called. */
  content(): Promise<PageContent<Row>>
  totalCount(): Promise<number>
}

/** The rows of a page. */
export interface PageContent<Row> {
  readonly rows: readonly Row[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  cursor(row: Row): string
}

type Placed<Row> = Row & { readonly place: string }

/**
 * Returns one page of a list. Equal requests in one operation share a statement, because a list of the account can be
 * selected within each row of another. Throws VALIDATION_ERROR for an invalid page argument or filter.
 */
export async function pageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const query = await read(ctx, list, args)
  const key = identityOf(list.name, args)
  const page = single(
    (loaderCtx) =>
      query.run(loaderCtx)<Placed<Row>>`
      SELECT ${list.table.columns}, ${query.place} AS place ${list.table.from(loaderCtx)} ${query.conditions} ${query.from} ${query.tail}`,
  )
  const count = single(
    (loaderCtx) =>
      query.run(loaderCtx)<{ n: number }>`SELECT count(*)::int AS n ${list.table.from(loaderCtx)} ${query.conditions}`,
  )
  const rows = () => ctx.load({ ...page, name: `page ${key}` }, 'all')
  return buildPage(rows, query, async () => (await ctx.load({ ...count, name: `count ${key}` }, 'all'))[0]?.n ?? 0)
}

/** Returns one page of a list inside a parent. Pages that are read in the same tick are read in one statement. */
export async function nestedPageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  within: Within,
  parentId: number,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const query = await read(ctx, list, args)
  const key = identityOf(list.name, within.name, args)
  const pages = perParent<number, Placed<Row>>(
    `page ${key}`,
    (batchCtx, ids) =>
      query.run(batchCtx, ids.length)<Placed<Row> & { parent: number }>`
      SELECT parent.id AS parent, page.* FROM unnest(${ids}::int[]) AS parent(id) CROSS JOIN LATERAL (
        SELECT ${list.table.columns}, ${query.place} AS place ${within.from(batchCtx)} ${query.conditions} ${query.from} ${query.tail}
      ) page`,
  )
  const counts = perParent<number, { n: number }>(
    `count ${key}`,
    (batchCtx, ids) =>
      query.run(batchCtx, ids.length)<{ n: number; parent: number }>`
      SELECT parent.id AS parent, (SELECT count(*)::int ${within.from(batchCtx)} ${query.conditions}) AS n
      FROM unnest(${ids}::int[]) AS parent(id)`,
  )
  const count = async () => (await ctx.load(counts, parentId))[0]?.n ?? 0
  return buildPage(() => ctx.load(pages, parentId), query, count)
}

/**
 * Returns one page of a list inside a parent with a text key. Pages that are read in the same tick are read in one
 * statement.
 */
export async function variedPageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  varied: Varied,
  key: string,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const query = { ...(await read(ctx, list, args)), run: runnerOf(true) }
  const identity = identityOf(list.name, varied.name, args)
  const each = async (ctxOfBatch: Ctx, keys: readonly string[], one: (from: Sql) => Sql) =>
    join(
      await Promise.all(
        keys.map(
          async (parent) =>
            sql`SELECT ${parent}::text AS parent, each.* FROM (${one(await varied.from(ctxOfBatch, parent))}) each`,
        ),
      ),
      ' UNION ALL ',
    )
  const pages = perParent<string, Placed<Row>>(
    `page ${identity}`,
    async (batchCtx, keys) =>
      query.run(batchCtx, keys.length)<Placed<Row> & { parent: string }>`${await each(
        batchCtx,
        keys,
        (from) => sql`SELECT ${list.table.columns}, ${query.place} AS place ${from}
          ${query.conditions} ${query.from} ${query.tail}`,
      )}`,
  )
  const counts = perParent<string, { n: number }>(
    `count ${identity}`,
    async (batchCtx, keys) =>
      query.run(batchCtx, keys.length)<{ n: number; parent: string }>`${await each(
        batchCtx,
        keys,
        (from) => sql`SELECT count(*)::int AS n ${from} ${query.conditions}`,
      )}`,
  )
  const count = async () => (await ctx.load(counts, key))[0]?.n ?? 0
  return buildPage(() => ctx.load(pages, key), query, count)
}

/** Creates the operation that returns a page of a list. */
export function pagesOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  list: List<Row, Filter, Field>,
) {
  return (ctx: Ctx, args: ListArgs<Filter, Field>): Promise<Page<Row>> => pageOf(ctx, list, args)
}

/** Creates the operation that returns a page of a list inside a parent. */
export function pagesWithin<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  list: List<Row, Filter, Field>,
  within: Within,
) {
  return (ctx: Ctx, parentId: number, args: ListArgs<Filter, Field>): Promise<Page<Row>> =>
    nestedPageOf(ctx, list, within, parentId, args)
}

/** Creates the operation that returns a page of a list inside a parent of one of several kinds. */
export function pagesByParent<
  Row extends { id: number | bigint },
  Filter extends object,
  Field extends string,
  Kind extends string,
>(list: List<Row, Filter, Field>, parents: Readonly<Record<Kind, Within>>) {
  return (ctx: Ctx, kind: Kind, parentId: number, args: ListArgs<Filter, Field>): Promise<Page<Row>> =>
    nestedPageOf(ctx, list, parents[kind], parentId, args)
}

interface Query {
  readonly page: PageRequest
  readonly identity: string
  readonly conditions: Sql
  readonly place: Sql
  readonly from: Sql
  readonly tail: Sql
  /** Returns what runs a statement that reads a number of pages. */
  readonly run: (ctx: Ctx, pages?: number) => Statement | ReturnType<Statement['limited']>
}

async function read<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  args: ListArgs<Filter, Field>,
): Promise<Query> {
  const filter = args.filter ?? ({} as Filter)
  const order = args.orderBy ?? usualOrder(list, filter)
  const { by, kind } = list.orders[order.field]
  const key = { by: typeof by === 'function' ? by(filter) : by, kind }
  const identity = identityOf(list.name, order.field, order.direction, filter)
  const page = readPage(args, identity)
  const conditions = await list.where(filter, ctx)
  const isDescending = (order.direction === 'DESC') !== page.backward
  const direction = raw(isDescending ? 'DESC' : 'ASC')
  return {
    page,
    identity,
    run: runnerOf(list.isLimited(filter)),
    conditions: conditions.length === 0 ? empty : sql`AND ${join(conditions, ' AND ')}`,
    place:
      key.kind === 'time'
        ? sql`to_char(${key.by} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
        : sql`(${key.by})::text`,
    from:
      page.from === undefined
        ? empty
        : sql`AND (${key.by}, ${list.table.field('id')}) ${raw(isDescending ? '<' : '>')} ${placeOf(key, page.from, page)}`,
    // One additional row shows whether there is a next page.
    tail: sql`ORDER BY ${key.by} ${direction}, ${list.table.field('id')} ${direction} LIMIT ${page.size + 1} ${page.offset > 0 ? sql`OFFSET ${page.offset}` : empty}`,
  }
}

function usualOrder<Row extends { id: number | bigint }, Filter, Field extends string>(
  { usual, orders }: List<Row, Filter, Field>,
  filter: Filter & { readonly search?: string | null },
): Order<Field> {
  // One character begins a word of most rows, and all of them would be ranked.
  const isRanked = Object.hasOwn(orders, 'RELEVANCE') && (filter.search?.trim().length ?? 0) > 1
  return isRanked ? { field: 'RELEVANCE' as Field, direction: 'DESC' } : usual
}

function runnerOf(isLimited: boolean): Query['run'] {
  return (ctx, pages = 1) => (isLimited ? ctx.sql.limited(pages) : ctx.sql)
}

/**
 * Returns the position of a cursor as an SQL row to compare with. Throws VALIDATION_ERROR if the value does not fit the
 * sort key.
 */
function placeOf({ kind }: OrderKey, place: Place, page: PageRequest): Sql {
  const forged = () => invalid({ [page.backward ? 'before' : 'after']: ['must be a cursor of this list'] })
  switch (kind) {
    case 'time':
      if (!isMoment(place.value)) throw forged()
      return sql`(${place.value}::timestamptz, ${place.id}::bigint)`
    case 'number':
      if (!/^-?\d{1,18}$/.test(place.value)) throw forged()
      return sql`(${place.value}::bigint, ${place.id}::bigint)`
    case 'decimal':
      if (!/^-?\d{1,18}(\.\d{1,18})?$/.test(place.value)) throw forged()
      return sql`(${place.value}::numeric, ${place.id}::bigint)`
    case 'text':
      return sql`(${place.value}::text, ${place.id}::bigint)`
  }
}

/** Returns whether a time is valid and in our format. JavaScript would read 30 February as 2 March. */
function isMoment(text: string): boolean {
  const moment = new Date(text)
  return !text.startsWith('0000') && !Number.isNaN(moment.getTime()) && moment.toISOString() === text
}

function buildPage<Row>(
  readRows: () => Promise<readonly Placed<Row>[]>,
  { page, identity }: Query,
  totalCount: () => Promise<number>,
): Page<Row> {
  const read = async (): Promise<PageContent<Row>> => {
    const found = await readRows()
    const hasMore = found.length > page.size
    const rows = hasMore ? found.slice(0, page.size) : [...found]
    if (page.backward) rows.reverse()
    const hasOther = page.from !== undefined || page.offset > 0
    return {
      rows,
      hasNextPage: page.backward ? hasOther : hasMore,
      hasPreviousPage: page.backward ? hasMore : hasOther,
      cursor: (row) => {
        const { place, id } = row as Placed<Row> & { id: number | bigint }
        return writeCursor({ value: place, id: String(id) }, identity)
      },
    }
  }
  let content: Promise<PageContent<Row>> | undefined
  return {
    content: () => {
      content ??= read()
      return content
    },
    totalCount,
  }
}

/** Creates a loader of the rows of many parents in one statement. The name identifies the list and its arguments. */
function perParent<Key, Row>(
  name: string,
  rowsOf: (ctx: Ctx, parents: readonly Key[]) => Promise<(Row & { parent: Key })[]>,
): Loader<Key, Row[], Row[]> {
  return {
    ...many<Key, Row>(async (ctx, parents) => {
      const rows = await rowsOf(ctx, parents)
      const byParent = new Map<Key, Row[]>()
      for (const row of rows) {
        const siblings = byParent.get(row.parent)
        if (siblings) siblings.push(row)
        else byParent.set(row.parent, [row])
      }
      return byParent
    }),
    name,
  }
}
