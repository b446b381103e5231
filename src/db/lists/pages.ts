import { type PageRequest, writeCursor } from '../../kernel/values/page.ts'
import { type Ctx, type Loader, many, single } from '../context.ts'
import { empty, join, raw, type Sql, sql } from '../sql.ts'
import type { Table } from '../table.ts'
import { type FacetArgs, type FacetQuery, type FacetRow, readFacet, readFacetQuery } from './facets.ts'
import type { InnerList, KeyedList, List, ListArgs, Page, PageContent } from './list.ts'
import { type PageQuery, readQuery } from './page-query.ts'
import { placeIn } from './places.ts'

/** A row with the values of sort keys that are not its fields. */
type PlacedRow<Row> = Row

/**
 * Returns one page of a list. Equal requests in one operation share a statement, because a list of the account can be
 * selected within each row of another. Throws VALIDATION_ERROR for an invalid page argument or filter.
 */
export async function pageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const query = await readQuery(ctx, list, args)
  const key = nameOf(list.name, args)
  const page = single(
    (loaderCtx) =>
      (query.isBrief ? loaderCtx.sql.brief : query.run(loaderCtx))<PlacedRow<Row>>`
      SELECT ${query.columns} ${list.table.from(loaderCtx)} ${query.conditions} ${query.from} ${query.tail}`,
  )
  const count = single((loaderCtx) =>
    list.counter && query.conditions === empty
      ? loaderCtx.sql.brief<{ n: number }>`SELECT ${list.counter(loaderCtx)} AS n`
      : query.run(loaderCtx)<{
          n: number
        }>`SELECT count(*)::int AS n ${list.table.from(loaderCtx)} ${query.conditions}`,
  )
  const rows = () => ctx.load({ ...page, name: `page ${key}` }, 'all')
  const facet = facetOf(ctx, list, key, async (name, statement) => {
    const found = single(
      (loaderCtx) => loaderCtx.sql.limited(1)<FacetRow>`${statement(list.table.from(loaderCtx), query.conditions)}`,
    )
    return ctx.load({ ...found, name }, 'all')
  })
  const totalCount = async () => (await ctx.load({ ...count, name: `count ${key}` }, 'all'))[0]?.n ?? 0
  return { ...buildPage(rows, query, totalCount), ...facet }
}

/** Returns the method of a page that counts the values of a facet, if the list has facets. `read` runs its statement once. */
function facetOf<Row extends { id: number | bigint }, Filter, Field extends string>(
  ctx: Ctx,
  { facets }: List<Row, Filter, Field>,
  key: string,
  read: (name: string, statement: FacetQuery['statement']) => Promise<readonly FacetRow[]>,
): Pick<Page<Row>, 'facet'> {
  if (!facets) return {}
  const facet = async (args: FacetArgs) => {
    const query = await readFacetQuery(ctx, facets, args)
    return query ? readFacet(await read(`facet ${nameOf(key, args)}`, query.statement), query) : readFacet([])
  }
  return { facet }
}

/** Returns one page of a list inside a parent. Pages that are read in the same tick are read in one statement. */
export async function nestedPageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  within: InnerList,
  parentId: number | bigint,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const key = nameOf(list.name, within.name, args)
  const { query, pages, counts } = await ctx.load.once(key, async () => {
    const query = await readQuery(ctx, list, args, within.links)
    const type = raw(typeof parentId === 'bigint' ? 'bigint[]' : 'int[]')
    const pages = perParent<number | bigint, PlacedRow<Row>>(
      `page ${key}`,
      (batchCtx, ids) =>
        query.run(batchCtx, ids.length)<PlacedRow<Row> & { parent: number | bigint }>`${pagesInside(
          batchCtx,
          list.table,
          within,
          query,
          sql`unnest(${ids}::${type}) AS parent(id)`,
        )}`,
    )
    const countedFrom = (query.conditions === empty && within.links?.from) || within.from
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
  const facet = facetOf(ctx, list, key, (name, statement) => {
    const found = perParent<number | bigint, FacetRow>(
      name,
      (batchCtx, ids) => batchCtx.sql.limited(ids.length)<FacetRow & { parent: number | bigint }>`
        SELECT parent.id AS parent, facet.* FROM unnest(${ids}::${raw(typeof parentId === 'bigint' ? 'bigint[]' : 'int[]')}) AS parent(id)
        CROSS JOIN LATERAL (${statement(within.from(batchCtx), query.conditions)}) facet`,
    )
    return ctx.load(found, parentId)
  })
  return { ...buildPage(() => ctx.load(pages, parentId), query, count), ...facet }
}

/** Returns the statement that reads the page inside each of the parents. */
function pagesInside<Row>(
  ctx: Ctx,
  table: Table<Row>,
  { from, links }: InnerList,
  query: PageQuery,
  parents: Sql,
): Sql {
  const { columns, conditions, isByLink, key, direction, tail } = query
  if (!links || !isByLink || conditions !== empty) {
    return sql`SELECT parent.id AS parent, page.* FROM ${parents} CROSS JOIN LATERAL (
      SELECT ${columns} ${from(ctx)} ${conditions} ${query.from} ${tail}) page`
  }
  // A row is read only if it is on a page, and once if it is on several.
  return sql`SELECT parent.id AS parent, page.* FROM ${parents} CROSS JOIN LATERAL (
      SELECT ${links.id} AS id, ${key} AS place ${links.from(ctx)} ${query.from} ${tail}) link
    CROSS JOIN LATERAL (SELECT ${columns} ${table.from(ctx)} AND ${table.field('id' as keyof Row & string)} = link.id) page
    ORDER BY link.place ${direction}, link.id ${direction}`
}

/**
 * Returns one page of a list inside a parent with a text key. Pages that are read in the same tick are read in one
 * statement.
 */
export async function keyedPageOf<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  keyed: KeyedList,
  key: string,
  args: ListArgs<Filter, Field>,
): Promise<Page<Row>> {
  const query = await readQuery(ctx, list, args)
  const run = (batchCtx: Ctx, keys: readonly string[]) =>
    batchCtx.sql.limited(keys.length, args.filter == null && keys.every(keyed.isStored))
  const identity = nameOf(list.name, keyed.name, args)
  const each = async (ctxOfBatch: Ctx, keys: readonly string[], one: (from: Sql) => Sql) =>
    join(
      await Promise.all(
        keys.map(
          async (parent) =>
            sql`SELECT ${parent}::text AS parent, each.* FROM (${one(await keyed.from(ctxOfBatch, parent))}) each`,
        ),
      ),
      ' UNION ALL ',
    )
  const pages = perParent<string, PlacedRow<Row>>(
    `page ${identity}`,
    async (batchCtx, keys) =>
      run(batchCtx, keys)<PlacedRow<Row> & { parent: string }>`${await each(
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
  const facet = facetOf(ctx, list, identity, (name, statement) => {
    const found = perParent<string, FacetRow>(
      name,
      async (batchCtx, keys) =>
        run(batchCtx, keys)<
          FacetRow & { parent: string }
        >`${await each(batchCtx, keys, (from) => statement(from, query.conditions))}`,
    )
    return ctx.load(found, key)
  })
  return { ...buildPage(() => ctx.load(pages, key), query, count), ...facet }
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
  within: InnerList,
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
>(list: List<Row, Filter, Field>, parents: Readonly<Record<Kind, InnerList>>) {
  return (ctx: Ctx, kind: Kind, parentId: number, args: ListArgs<Filter, Field>): Promise<Page<Row>> =>
    nestedPageOf(ctx, list, parents[kind], parentId, args)
}

/** Returns what identifies a list with its arguments within one operation. */
function nameOf(...parts: unknown[]): string {
  return JSON.stringify(parts)
}

function buildPage<Row extends { id: number | bigint }>(
  readRows: () => Promise<readonly Row[]>,
  query: PageQuery,
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
 * Returns what reads the rows of a page once. `readRows` returns one row more if there is a further page. `fields` have the
 * place of a row in the list.
 */
export function lazyContent<Row extends { id: number | bigint }>(
  readRows: () => Promise<readonly Row[]>,
  { page, identity, fields }: Pick<PageQuery, 'page' | 'identity' | 'fields'>,
): Page<Row>['content'] {
  const cursor = (row: Row) => writeCursor({ value: placeIn(row, fields), id: String(row.id) }, identity())
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
