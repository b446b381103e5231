import { identityOf, type PageRequest, readCursor, readPage } from '../../kernel/values/page.ts'
import type { Ctx } from '../context.ts'
import { empty, join, raw, type Sql, type Statement, sql } from '../sql.ts'
import type { Links, List, ListArgs, Order } from './list.ts'
import { placeOf, textOf } from './places.ts'

/** The parts of the statements on a list with the arguments of a request. */
export interface PageQuery {
  readonly page: PageRequest
  /** Returns what identifies the list with its order and filter in cursors. */
  readonly identity: () => string
  readonly conditions: Sql
  /** The columns of the rows, and `place` if no field has the value of the sort key. */
  readonly columns: Sql
  /** The field with the value of the sort key. */
  readonly field: string
  readonly key: Sql
  readonly direction: Sql
  /** Whether the order is read from the links of the rows. */
  readonly isByLink: boolean
  readonly from: Sql
  readonly tail: Sql
  /** Returns what runs a statement that reads a number of pages. */
  readonly run: (ctx: Ctx, pages?: number) => Statement | ReturnType<Statement['limited']>
  /** Whether a page is the beginning or a continuation of all rows in the order of an index. */
  readonly isBrief: boolean
}

/**
 * Reads the arguments of a list. `links` lead to the rows, if they are read inside a parent. **Throws** VALIDATION_ERROR for an
 * invalid one.
 */
export async function readQuery<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  list: List<Row, Filter, Field>,
  args: ListArgs<Filter, Field>,
  links?: Links,
): Promise<PageQuery> {
  const filter = args.filter ?? ({} as Filter)
  const order = args.orderBy ?? usualOrder(list, filter)
  const { by, kind, field = 'place' } = list.orders[order.field]
  const linked = links?.orders[order.field]
  const id = linked && links ? links.id : list.table.field('id')
  const key = { by: linked ?? (typeof by === 'function' ? by(filter) : by), kind }
  let known: string | undefined
  const identity = () => {
    known ??= identityOf(list.name, order.field, order.direction, filter)
    return known
  }
  const page = readPage(args, (...given) => readCursor(identity(), ...given))
  const conditions = await list.where(filter, ctx)
  const isDescending = (order.direction === 'DESC') !== page.backward
  const direction = raw(isDescending ? 'DESC' : 'ASC')
  // Not every other order has an index.
  const isLimited = list.isLimited(filter) || order.field !== list.usual.field
  return {
    page,
    identity,
    run: runnerOf(isLimited),
    isBrief: !isLimited && conditions.length === 0 && page.offset === 0,
    conditions: conditions.length === 0 ? empty : sql`AND ${join(conditions, ' AND ')}`,
    columns:
      field === 'place' ? sql`${list.table.columns}, ${textOf(key)} AS place` : columnsOf(list, order, field, args),
    field,
    key: key.by,
    direction,
    isByLink: linked !== undefined,
    from:
      page.from === undefined
        ? empty
        : sql`AND (${key.by}, ${id}) ${raw(isDescending ? '<' : '>')} ${placeOf(key, page.from, page)}`,
    tail: sql`ORDER BY ${key.by} ${direction}, ${id} ${direction} LIMIT ${limitOf(page)} ${page.offset > 0 ? sql`OFFSET ${page.offset}` : empty}`,
  }
}

/** Other orders than the usual one are rare, and each combination of columns is another statement. */
function columnsOf<Row extends { id: number | bigint }, Filter, Field extends string>(
  { table, usual }: List<Row, Filter, Field>,
  order: Order<Field>,
  place: string,
  { selection }: ListArgs<Filter, Field>,
): Sql {
  if (!selection || order.field !== usual.field) return table.columns
  return table.columnsOf(selection.hasCursors ? [...selection.fields, place] : selection.fields)
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

function runnerOf(isLimited: boolean): PageQuery['run'] {
  return (ctx, pages = 1) => (isLimited ? ctx.sql.limited(pages) : ctx.sql)
}
