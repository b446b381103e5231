import { invalid } from '../../kernel/errors.ts'
import { identityOf, type PageRequest, readCursor, readPage } from '../../kernel/values/page.ts'
import type { Ctx } from '../context.ts'
import { empty, join, raw, type Sql, type Statement, sql } from '../sql.ts'
import { type Links, type List, type ListArgs, maxKeys, type Order } from './list.ts'
import { isAfter, type ReadKey, textOf } from './places.ts'

/** The parts of the statements on a list with the arguments of a request. */
export interface PageQuery {
  readonly page: PageRequest
  /** Returns what identifies the list with its order and filter in cursors. */
  readonly identity: () => string
  readonly conditions: Sql
  /** The columns of the rows, and of the values of sort keys that no field has. */
  readonly columns: Sql
  /** The fields with the values of the sort keys. */
  readonly fields: readonly string[]
  /** The first sort key and its direction. */
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

/** A sort key with the field of the rows that has its value. `place` is the column of a value that no other field has. */
interface ListKey extends ReadKey {
  readonly field: string
  readonly place: Sql
}

const directionOf = ({ isDescending }: { readonly isDescending?: boolean | undefined }) =>
  raw(isDescending ? 'DESC' : 'ASC')

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
  const orders = readOrders(list, args.orderBy, filter)
  const [order] = orders
  // Rows are read from their links in the order of one key only: no index on the links has several.
  const linked = orders.length === 1 ? links?.orders[order.field] : undefined
  const id = linked && links ? links.id : list.table.field('id')
  let known: string | undefined
  const identity = () => {
    const sorted = orders.flatMap(({ field, direction }) => [field, direction])
    known ??= identityOf(list.name, ...sorted, filter)
    return known
  }
  const page = readPage(args, (...given) => readCursor(identity(), ...given))
  const conditions = await list.where(filter, ctx)
  const keyOf = ({ field, direction }: Order<Field>, index: number, definition = list.orders[field]): ListKey => {
    const { by, kind, field: column } = definition
    const request = { filter, path: `orderBy.${index}.field`, direction }
    const key = { kind, by: linked ?? (typeof by === 'function' ? by(request) : by) }
    const place = column === undefined ? sql`, ${textOf(key)} AS ${raw(`place_${index}`)}` : empty
    return { ...key, isDescending: (direction === 'DESC') !== page.backward, place, field: column ?? `place_${index}` }
  }
  const [firstOrder, ...others] = orders
  const first = keyOf(firstOrder, 0)
  const { next } = list.orders[firstOrder.field]
  const last = others.length === 0 && next ? [keyOf(firstOrder, 1, next)] : []
  const keys = [first, ...others.map((each, index) => keyOf(each, index + 1)), ...last]
  const sorted = [...keys, { by: id, isDescending: keys.at(-1)?.isDescending }].map(
    (each) => sql`${each.by} ${directionOf(each)}`,
  )
  // Not every other order has an index.
  const isUsual = orders.length === 1 && order.field === list.usual.field
  const isLimited = list.isLimited(filter) || !isUsual
  const fields = keys.map(({ field }) => field)
  return {
    page,
    identity,
    run: runnerOf(isLimited),
    isBrief: !isLimited && conditions.length === 0 && page.offset === 0,
    conditions: conditions.length === 0 ? empty : sql`AND ${join(conditions, ' AND ')}`,
    columns:
      isUsual && first.place === empty
        ? columnsOf(list, first.field, args)
        : sql`${list.table.columns}${join(
            keys.map(({ place }) => place),
            '',
          )}`,
    fields,
    key: first.by,
    direction: directionOf(first),
    isByLink: linked !== undefined,
    from: page.from === undefined ? empty : sql`AND ${isAfter(keys, id, page.from, page)}`,
    tail: sql`ORDER BY ${join(sorted)} LIMIT ${limitOf(page)} ${page.offset > 0 ? sql`OFFSET ${page.offset}` : empty}`,
  }
}

/** Other orders than the usual one are rare, and each combination of columns is another statement. */
function columnsOf<Row extends { id: number | bigint }, Filter, Field extends string>(
  { table }: List<Row, Filter, Field>,
  place: string,
  { selection }: ListArgs<Filter, Field>,
): Sql {
  if (!selection) return table.columns
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

/** Returns the sort keys of a request, at least one. **Throws** VALIDATION_ERROR. */
function readOrders<Row extends { id: number | bigint }, Filter, Field extends string>(
  list: List<Row, Filter, Field>,
  given: ListArgs<Filter, Field>['orderBy'],
  filter: Filter & { readonly search?: string | null },
): readonly [Order<Field>, ...Order<Field>[]] {
  const [first, ...others] = given ?? []
  if (!first) return [usualOrder(list, filter)]
  if (others.length >= maxKeys) throw invalid({ orderBy: [`must have at most ${maxKeys} keys`] })
  const orders = [first, ...others] as const
  if (new Set(orders.map(({ field }) => field)).size < orders.length) {
    throw invalid({ orderBy: ['must name each field once'] })
  }
  return orders
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
