import type { Scope } from '../../kernel/scopes.ts'
import { partSize } from '../../kernel/work/pacing.ts'
import type { Ctx } from '../context.ts'
import type { Column } from '../datamodel.ts'
import type { CopyFormat } from '../driver/index.ts'
import { empty, join, raw, type Sql, sql } from '../sql.ts'
import type { List } from './list.ts'

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

/** Number of rows of the first page, and limits of the others. Each is sized so that its text has at most about `targetBytes`. */
const firstSize = 500
const sizes = { least: 50, most: 20_000 }
const targetBytes = 2 * 1024 * 1024

/** Begins a CSV file that Excel is to read as UTF-8. */
export const byteOrderMark = '\ufeff'

/** A page of an export: its text as UTF-8, in parts of any size, and the number of rows in it. */
export interface ExportPage {
  readonly parts: readonly Buffer[]
  readonly rows: number
}

/**
 * Exports a list as text, oldest rows first, with a header in CSV, which `hasMark` begins with a byte order mark. PostgreSQL
 * formats each page. No resources are held between pages, so slow clients do not affect others. Rows that are added during the
 * export may be included.
 *
 * **Throws** VALIDATION_ERROR if a page takes longer than 10 seconds to filter.
 */
export async function* exportText<Filter>(
  ctx: Ctx,
  definition: Export<Filter>,
  { format: name, filter, hasMark = false }: { format: ExportFormat; filter: Filter; hasMark?: boolean },
): AsyncGenerator<ExportPage> {
  const { list } = definition
  const id = list.table.field('id')
  const shape = await definition.shape(ctx, name)
  if (shape.columns[0]?.name !== 'id') throw new Error(`The first column of the list ${list.name} must be its id.`)
  const { condition, filters } = await conditionOf(ctx, list, filter)
  const { written, ...format } = name === 'CSV' ? csv(shape.columns) : ndjson(shape.columns)
  const joins = shape.joins?.(ctx)
  const copy = ctx.sql.copy(format, filters)
  // The page size is part of the SQL. If it were a parameter, PostgreSQL would plan for a tenth of all rows and scan
  // them all.
  const page = (after: bigint, limit: number) => {
    const rows = sql`SELECT ${id} AS id, ${shape.row} ${list.table.from(ctx)} ${condition} AND ${id} > ${after}::bigint
      ORDER BY ${id} LIMIT ${raw(String(limit))}`
    // Without joins, rows are written as they are read, without materialising and sorting them again.
    if (!joins) return copy`SELECT ${written} FROM (${rows}) p`
    return copy`WITH p AS MATERIALIZED (${rows}) SELECT ${written} FROM p ${joins} ORDER BY p.id`
  }
  if (name === 'CSV') {
    const header = shape.columns.map((each) => csvText(each.name)).join(',')
    yield { parts: [Buffer.from((hasMark ? byteOrderMark : '') + header + format.end)], rows: 0 }
  }
  let limit = firstSize
  for (let after = 0n; ; ) {
    const { parts, bytes, rows, last } = await page(after, limit)
    if (rows === 0) return
    yield { parts, rows }
    if (rows < limit) return
    // The id is the first number in a row.
    after = BigInt(/\d+/.exec(last)?.[0] ?? '')
    limit = Math.min(Math.max(Math.floor((rows * partSize(ctx.work, targetBytes)) / bytes), sizes.least), sizes.most)
  }
}

/** Number of filters of a list whose time a page of an export can take. */
const exportedFilters = 5

async function conditionOf<Filter>(ctx: Ctx, list: Export<Filter>['list'], filter: Filter) {
  const conditions = await list.where(filter, ctx)
  if (conditions.length === 0) return { condition: empty, filters: undefined }
  const filters = list.isLimited(filter) ? exportedFilters : undefined
  return { condition: sql`AND ${join([...conditions], ' AND ')}`, filters }
}

/** Returns the number of rows in an export, unless rows are added or deleted during it. */
export async function exportCount<Filter>(ctx: Ctx, { list }: Export<Filter>, filter: Filter): Promise<number> {
  const { condition, filters } = await conditionOf(ctx, list, filter)
  const run = filters === undefined ? ctx.sql : ctx.sql.limited(filters)
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

/** How the rows of an export are written, and the values that are selected. */
interface RowFormat extends CopyFormat {
  readonly written: Sql
}

/**
 * Writes lines of CSV (RFC 4180). Text is quoted. An apostrophe is added before text that a spreadsheet would read as
 * a formula, unless it is a plain negative number. Imports remove it.
 */
function csv(columns: readonly ExportColumn[]): RowFormat {
  const cells = columns.map((column, place) => sql`${cell(column)} AS ${raw(nameAt(place))}`)
  const quoted = columns.flatMap(({ kind }, place) => (kind === 'text' || kind === 'json' ? nameAt(place) : []))
  const options = `FORMAT csv${quoted.length > 0 ? `, FORCE_QUOTE (${quoted.join()})` : ''}`
  return { written: join(cells, ', '), options, end: '\r\n' }
}

const nameAt = (place: number) => `cell_${place}`

/** Returns the value of a cell. One that is quoted is never null, because COPY does not quote null. */
function cell({ kind, value }: ExportColumn): Sql {
  if (kind === 'time') return isoTime(value)
  if (kind === 'json') return sql`coalesce((${value})::text, '')`
  if (kind !== 'text') return sql`(${value})::text`
  return sql`coalesce(CASE WHEN ascii(${value}) IN (${raw(formulaStarts)}) AND ${value} ~ ${raw(`'${formula}'`)}
    AND ${value} !~ '^-[0-9]+([.][0-9]+)?$' THEN '''' || ${value} ELSE ${value} END, '')`
}

/**
 * Writes lines of NDJSON: an object with a key for each column. JSON contains neither of the characters that COPY would
 * escape, so that it writes each line as it is.
 */
function ndjson(columns: readonly ExportColumn[]): RowFormat {
  const fields = columns.map(({ name, kind, value }) => {
    const shown = kind === 'time' ? isoTime(value) : value
    return sql`${shown} AS ${raw(`"${name}"`)}`
  })
  return {
    written: sql`row_to_json((SELECT j FROM (SELECT ${join(fields, ', ')}) AS j))::text`,
    options: `FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02'`,
    end: '\n',
  }
}
