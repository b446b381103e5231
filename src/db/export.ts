import type { Scope } from '../kernel/scopes.ts'
import type { Ctx } from './context.ts'
import type { Column } from './datamodel.ts'
import type { List } from './list.ts'
import { empty, join, raw, type Sql, sql } from './sql.ts'

export type ExportFormat = 'CSV' | 'NDJSON'

/** A column of an export. Its value is SQL over the page `p` and the joined tables. */
interface ExportColumn {
  readonly name: string
  readonly value: Sql
  /**
   * Text is escaped against spreadsheet formulas. A time is a timestamptz. In NDJSON, a `json` value is inserted as
   * JSON.
   */
  readonly kind: 'text' | 'number' | 'boolean' | 'time' | 'json'
}

const columnOf =
  (kind: ExportColumn['kind']) =>
  (name: string, value: Sql = raw(`p.${name}`)): ExportColumn => ({ name, value, kind })

/** Creates columns of an export. The value defaults to the column of the page with that name. */
export const column = {
  text: columnOf('text'),
  number: columnOf('number'),
  flag: columnOf('boolean'),
  time: columnOf('time'),
  json: columnOf('json'),
}

/** Returns an enum value in lower case, as in the REST API. */
function word(value: Sql): Sql {
  return sql`lower((${value})::text)`
}

/** The SQL parts of an exported row. */
interface ExportShape {
  /** Columns that the page `p` selects from its list, besides `id`. */
  readonly row: Sql
  /** Joins to the page, `LEFT JOIN … ON …`. Each row must match at most once. */
  readonly joins?: (ctx: Ctx) => Sql
  readonly columns: readonly ExportColumn[]
}

/** A list that can be exported. */
// biome-ignore lint/suspicious/noExplicitAny: each list has its own types of rows and filter
export interface Export<Filter = any> {
  /** Scopes that a key needs, all of them: the scope of the rows, and of each other type in the columns. */
  readonly needs: readonly Scope[]
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly list: List<any, Filter, any>
  readonly shape: (ctx: Ctx, format: ExportFormat) => Promise<ExportShape> | ExportShape
}

/**
 * Describes the export of a list. A column is a field of the row, whose name and kind come from the datamodel, or a
 * name and a field, or an expression, whose fields of the page must be in `reads` if no other column has them. In an
 * export, enum values are in lower case and decimals have no trailing zeros.
 */
export function exportOf<Row extends { id: number | bigint }, Filter>(
  // biome-ignore lint/suspicious/noExplicitAny: the order does not matter
  list: List<Row, Filter, any>,
  columns: readonly (Field<Row> | readonly [name: string, field: Field<Row>] | ExportColumn)[],
  {
    reads = [],
    ...rest
  }: Pick<Export, 'needs'> & Pick<ExportShape, 'joins'> & { readonly reads?: readonly Field<Row>[] },
): Export<Filter> {
  const { table } = list
  const fields = new Set<Field<Row>>(reads)
  const written = columns.map((each) => {
    if (typeof each === 'object' && 'value' in each) return each
    const [name, field]: readonly [string, Field<Row>] =
      typeof each === 'string' ? [table.column(each).name, each] : each
    fields.add(field)
    return fieldColumn(name, table.column(field))
  })
  fields.delete('id')
  const row = join([...fields].map((field) => table.field(field)))
  const shape: ExportShape = { row, columns: written, ...(rest.joins && { joins: rest.joins }) }
  return { needs: rest.needs, list, shape: () => shape }
}

type Field<Row> = keyof Row & string

function fieldColumn(name: string, { name: column, type, isList }: Column): ExportColumn {
  const value = raw(`p.${column}`)
  if (isList) return { name, value: sql`to_json(${value})`, kind: 'json' }
  if (type === 'Enum') return { name, value: word(value), kind: 'text' }
  if (type === 'Decimal') return { name, value: sql`trim_scale(${value})`, kind: 'number' }
  return { name, value, kind: kinds[type] ?? 'text' }
}

const kinds: Partial<Record<Column['type'], ExportColumn['kind']>> = {
  BigInt: 'number',
  Boolean: 'boolean',
  DateTime: 'time',
  Int: 'number',
  Json: 'json',
}

/** Page sizes, in rows. Each page is sized so that its text has about `targetBytes`. */
const pageSizes = [5_000, 2_500, 1_000, 500, 200, 50] as const
const firstSize = 500
const targetBytes = 1024 * 1024

/** A part of an export: its text and the number of rows in it. */
export interface Stretch {
  readonly text: string
  readonly rows: number
}

/**
 * Exports a list as text, oldest rows first, with a header in CSV. PostgreSQL formats each page. No resources are held
 * between pages, so slow clients do not affect others. Rows that are added during the export may be included.
 *
 * **Throws** VALIDATION_ERROR if a page takes longer than 10 seconds to filter.
 */
export async function* exportText<Filter>(
  ctx: Ctx,
  definition: Export<Filter>,
  { format, filter }: { format: ExportFormat; filter: Filter },
): AsyncGenerator<Stretch> {
  const { list } = definition
  const id = list.table.field('id')
  const shape = await definition.shape(ctx, format)
  const { condition, run } = await conditionOf(ctx, list, filter)
  const line = format === 'CSV' ? csvLine(shape.columns) : jsonLine(shape.columns)
  const joins = shape.joins?.(ctx)
  const end = format === 'CSV' ? '\r\n' : '\n'
  // The page size is part of the SQL. If it were a parameter, PostgreSQL would plan for a tenth of all rows and scan
  // them all.
  const page = async (after: bigint, limit: number): Promise<Page> => {
    const rows = sql`SELECT ${id} AS id, ${shape.row} ${list.table.from(ctx)} ${condition} AND ${id} > ${after}::bigint
      ORDER BY ${id} LIMIT ${raw(String(limit))}`
    // Without joins, rows are aggregated as they are read, without materialising and sorting them again.
    if (!joins) {
      const [found] = await run<Page>`
        SELECT max(p.id)::bigint AS last, count(*)::int AS rows, string_agg(${line}, ${end}) AS text FROM (${rows}) p`
      return found as Page
    }
    const [found] = await run<Page>`
      WITH p AS MATERIALIZED (${rows})
      SELECT (SELECT max(id)::bigint FROM p) AS last, count(*)::int AS rows, string_agg(line, ${end} ORDER BY id) AS text
      FROM (SELECT p.id, ${line} AS line FROM p ${joins}) AS written`
    return found as Page
  }
  if (format === 'CSV') yield { text: `${shape.columns.map(({ name }) => csvText(name)).join(',')}${end}`, rows: 0 }
  let limit: number = firstSize
  for (let after = 0n; ; ) {
    const { last, rows, text } = await page(after, limit)
    if (last === null || text === null) return
    yield { text: `${text}${end}`, rows }
    if (rows < limit) return
    after = last
    const fittingRows = (rows * targetBytes) / text.length
    limit = pageSizes.find((size) => size <= fittingRows) ?? (pageSizes.at(-1) as number)
  }
}

interface Page {
  last: bigint | null
  rows: number
  text: string | null
}

/** Number of filters of a list whose time a page of an export can take. */
const exportedFilters = 5

async function conditionOf<Filter>(ctx: Ctx, list: Export<Filter>['list'], filter: Filter) {
  const conditions = await list.where(filter, ctx)
  if (conditions.length === 0) return { condition: empty, run: ctx.sql }
  const run = list.isLimited(filter) ? ctx.sql.limited(exportedFilters) : ctx.sql
  return { condition: sql`AND ${join([...conditions], ' AND ')}`, run }
}

/** Returns the number of rows in an export, unless rows are added or deleted during it. */
export async function exportCount<Filter>(ctx: Ctx, { list }: Export<Filter>, filter: Filter): Promise<number> {
  const { condition, run } = await conditionOf(ctx, list, filter)
  const [found] = await run<{ n: number }>`SELECT count(*)::int AS n ${list.table.from(ctx)} ${condition}`
  return found?.n ?? 0
}

/** Formats a time as ISO 8601 in UTC. The zone is an interval, because a zone name would be looked up for each row. */
function isoTime(value: Sql): Sql {
  return sql`replace((${value} AT TIME ZONE INTERVAL '0')::text, ' ', 'T') || 'Z'`
}

/** Code points that start a formula in spreadsheets, and the apostrophe itself. */
const formulaStarts = [9, 10, 13, 39, 43, 45, 61, 64, 0xff0b, 0xff0d, 0xff1d, 0xff20].join()
const formula = "^''*[=+@\\-\\t\\r\\n＝＋－＠]"

/** Formats a cell of CSV. An apostrophe is added before text that a spreadsheet would read as a formula. */
export function csvText(text: string): string {
  const safe = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n;\t ]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Formats a line of CSV (RFC 4180). Text is quoted. An apostrophe is added before text that a spreadsheet would read as
 * a formula, unless it is a plain negative number. Imports remove it. Rows are checked as a whole first, because most
 * need no escaping, and checking each cell takes several times as long.
 */
function csvLine(columns: readonly ExportColumn[]): Sql {
  const texts = columns.filter(({ kind }) => kind === 'text').map(({ value }) => value)
  if (texts.length === 0) return cells(columns, plainText)
  const needsEscaping = join(
    texts.map((value) => sql`ascii(${value}) IN (${raw(formulaStarts)})`),
    ' OR ',
  )
  const whole = join(texts, ', ')
  return sql`CASE WHEN strpos(concat(${whole}), '"') > 0 OR ${needsEscaping} THEN ${cells(columns, escapedText)}
    ELSE ${cells(columns, plainText)} END`
}

/** Formats the cells of a line. Adjacent text cells are formatted together. */
function cells(columns: readonly ExportColumn[], text: (values: readonly Sql[]) => Sql): Sql {
  const parts: Sql[] = []
  for (let index = 0; index < columns.length; ) {
    const run = columns.slice(index).findIndex(({ kind }) => kind !== 'text')
    const length = run === -1 ? columns.length - index : run
    if (length > 0) parts.push(text(columns.slice(index, index + length).map(({ value }) => value)))
    else parts.push(bareCell(columns[index] as ExportColumn))
    index += Math.max(length, 1)
  }
  return sql`concat_ws(',', ${join(parts, ', ')})`
}

function plainText(values: readonly Sql[]): Sql {
  const all = values.map((value) => sql`coalesce(${value}, '')`)
  return sql`'"' || concat_ws('","', ${join(all, ', ')}) || '"'`
}

function escapedText(values: readonly Sql[]): Sql {
  return plainText(
    values.map(
      (value) => sql`replace(CASE WHEN ascii(${value}) IN (${raw(formulaStarts)}) AND ${value} ~ ${raw(`'${formula}'`)}
        AND ${value} !~ '^-[0-9]+([.][0-9]+)?$' THEN '''' || ${value} ELSE ${value} END, '"', '""')`,
    ),
  )
}

function bareCell({ kind, value }: ExportColumn): Sql {
  if (kind === 'time') return sql`coalesce(${isoTime(value)}, '')`
  if (kind === 'json') return sql`'"' || replace(coalesce((${value})::text, ''), '"', '""') || '"'`
  return sql`coalesce((${value})::text, '')`
}

/** Formats a line of NDJSON: an object with a key for each column. */
function jsonLine(columns: readonly ExportColumn[]): Sql {
  const fields = columns.map(({ name, kind, value }) => {
    const shown = kind === 'time' ? isoTime(value) : value
    return sql`${shown} AS ${raw(`"${name}"`)}`
  })
  return sql`row_to_json((SELECT j FROM (SELECT ${join(fields, ', ')}) AS j))::text`
}
