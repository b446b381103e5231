import { identityOf, type PageRequest, readCursor, readPage, writeCursor } from '../kernel/page.ts'
import { type Ctx, type Loader, many, single } from './context.ts'
import type { List, ListArgs, Order, Page, PageContent, Varied, Within } from './list.ts'
import { placeIn, placeOf, textOf } from './places.ts'
import { empty, join, raw, type Sql, type Statement, sql } from './sql.ts'

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
  const key = nameOf(list.name, args)
  const page = single(
    (loaderCtx) =>
      query.run(loaderCtx)<Placed<Row>>`
      SELECT ${query.columns} ${list.table.from(loaderCtx)} ${query.conditions} ${query.from} ${query.tail}`,
  )
  const count = single((loaderCtx) =>
    list.counter && query.conditions === empty
      ? loaderCtx.sql<{ n: number }>`SELECT ${list.counter(loaderCtx)} AS n`
      : query.run(loaderCtx)<{
          n: number
        }>`SELECT count(*)::int AS n ${list.table.from(loaderCtx)} ${query.conditions}`,
  )
  const rows = () => ctx.load({ ...page, name: `page ${key}` }, 'all')
  return buildPage(rows, query, async () => (await ctx.load({ ...count, name: `count ${key}` }, 'all'))[0]?.n ?? 0)
}

/** Returns one page of a list inside a parent. Pages that are read in the same tick are read in one statement. */
export async function nestedPageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  within: Within,
  parentId: number | bigint,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const key = nameOf(list.name, within.name, args)
  const { query, pages, counts } = await ctx.load.once(key, async () => {
    const query = await read(ctx, list, args)
    const type = raw(typeof parentId === 'bigint' ? 'bigint[]' : 'int[]')
    const pages = perParent<number | bigint, Placed<Row>>(
      `page ${key}`,
      (batchCtx, ids) =>
        query.run(batchCtx, ids.length)<Placed<Row> & { parent: number | bigint }>`
        SELECT parent.id AS parent, page.* FROM unnest(${ids}::${type}) AS parent(id) CROSS JOIN LATERAL (
          SELECT ${query.columns} ${within.from(batchCtx)} ${query.conditions} ${query.from} ${query.tail}
        ) page`,
    )
    const countedFrom = (query.conditions === empty && within.countedFrom) || within.from
    const counts = perParent<number | bigint, { n: number }>(
      `count ${key}`,
      (batchCtx, ids) =>
        query.run(batchCtx, ids.length)<{ n: number; parent: number | bigint }>`
        SELECT parent.id AS parent, (SELECT count(*)::int ${countedFrom(batchCtx)} ${query.conditions}) AS n
        FROM unnest(${ids}::${type}) AS parent(id)`,
    )
    return { query, pages, counts }
  })
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
  const query = await read(ctx, list, args)
  const run = (batchCtx: Ctx, keys: readonly string[]) =>
    batchCtx.sql.limited(keys.length, args.filter == null && keys.every(varied.isStored))
  const identity = nameOf(list.name, varied.name, args)
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
      run(batchCtx, keys)<Placed<Row> & { parent: string }>`${await each(
        batchCtx,
        keys,
        (from) => sql`SELECT ${query.columns} ${from}
          ${query.conditions} ${query.from} ${query.tail}`,
      )}`,
  )
  const counts = perParent<string, { n: number }>(
    `count ${identity}`,
    async (batchCtx, keys) =>
      run(batchCtx, keys)<{ n: number; parent: string }>`${await each(
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
  return (ctx: Ctx, parentId: number | bigint, args: ListArgs<Filter, Field>): Promise<Page<Row>> =>
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
  /** Returns what identifies the list with its order and filter in cursors. */
  readonly identity: () => string
  readonly conditions: Sql
  /** The columns of the rows, and `place` if no field has the value of the sort key. */
  readonly columns: Sql
  /** The field with the value of the sort key. */
  readonly field: string
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
  const { by, kind, field = 'place' } = list.orders[order.field]
  const key = { by: typeof by === 'function' ? by(filter) : by, kind }
  let known: string | undefined
  const identity = () => {
    known ??= identityOf(list.name, order.field, order.direction, filter)
    return known
  }
  const page = readPage(args, (...given) => readCursor(identity(), ...given))
  const conditions = await list.where(filter, ctx)
  const isDescending = (order.direction === 'DESC') !== page.backward
  const direction = raw(isDescending ? 'DESC' : 'ASC')
  return {
    page,
    identity,
    // Not every other order has an index.
    run: runnerOf(list.isLimited(filter) || order.field !== list.usual.field),
    conditions: conditions.length === 0 ? empty : sql`AND ${join(conditions, ' AND ')}`,
    columns: field === 'place' ? sql`${list.table.columns}, ${textOf(key)} AS place` : list.table.columns,
    field,
    from:
      page.from === undefined
        ? empty
        : sql`AND (${key.by}, ${list.table.field('id')}) ${raw(isDescending ? '<' : '>')} ${placeOf(key, page.from, page)}`,
    tail: sql`ORDER BY ${key.by} ${direction}, ${list.table.field('id')} ${direction} LIMIT ${limitOf(page)} ${page.offset > 0 ? sql`OFFSET ${page.offset}` : empty}`,
  }
}

/** Returns what identifies a list with its arguments within one operation. */
function nameOf(...parts: unknown[]): string {
  return JSON.stringify(parts)
}

/** Page sizes that clients often use. */
const usualSizes: readonly number[] = [10, 20, 25, 50, 100]

/**
 * Returns the maximum number of rows: one more than the page has, which shows whether there is a next page. Usual sizes are
 * part of the text, because PostgreSQL plans a prepared statement with an unknown limit at each execution.
 */
function limitOf({ size }: PageRequest): Sql {
  return usualSizes.includes(size) ? raw(String(size + 1)) : sql`${size + 1}`
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

function buildPage<Row extends { id: number | bigint }>(
  readRows: () => Promise<readonly Row[]>,
  query: Query,
  totalCount: () => Promise<number>,
): Page<Row> {
  return { content: lazyContent(readRows, query), totalCount }
}

/** Returns the content of a page. `found` are its rows in the order of reading, and one more if there are more. */
export function contentOf<Row>(
  found: readonly Row[],
  page: PageRequest,
  cursor: (row: Row) => string,
): PageContent<Row> {
  const hasMore = found.length > page.size
  const rows = hasMore ? found.slice(0, page.size) : [...found]
  if (page.backward) rows.reverse()
  const hasOther = page.from !== undefined || page.offset > 0
  return {
    rows,
    hasNextPage: page.backward ? hasOther : hasMore,
    hasPreviousPage: page.backward ? hasMore : hasOther,
    cursor,
  }
}

/**
 * Returns what reads the rows of a page once. `readRows` returns one row more if there is a further page. `field` has the place
 * of a row in the list.
 */
export function lazyContent<Row extends { id: number | bigint }>(
  readRows: () => Promise<readonly Row[]>,
  { page, identity, field }: Pick<Query, 'page' | 'identity' | 'field'>,
): Page<Row>['content'] {
  const cursor = (row: Row) => writeCursor({ value: placeIn(row, field), id: String(row.id) }, identity())
  const read = async (): Promise<PageContent<Row>> => contentOf(await readRows(), page, cursor)
  let content: Promise<PageContent<Row>> | undefined
  return () => {
    content ??= read()
    return content
  }
}

/** Creates a loader of the rows of many parents in one statement. The name identifies the list and its arguments. */
export function perParent<Key, Row>(
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
