import type { Scope } from '../kernel/scopes.ts'
import type { Ctx } from './context.ts'
import type { List } from './list.ts'
import { empty, join, raw, type Sql, sql } from './sql.ts'

export type ExportFormat = 'CSV' | 'NDJSON'

/** A column of an export. Its value is SQL over the page `p` and what is joined to it. */
export interface ExportColumn {
  readonly name: string
  readonly value: Sql
  /** Text is made safe against formulas; a time is a timestamptz. In JSON a `json` stays what it is. */
  readonly kind: 'text' | 'number' | 'boolean' | 'time' | 'json'
}

const columnOf =
  (kind: ExportColumn['kind']) =>
  (name: string, value: Sql = raw(`p.${name}`)): ExportColumn => ({ name, value, kind })

/** Columns of an export; a value that is not told is the page's column of that name. */
export const column = {
  text: columnOf('text'),
  number: columnOf('number'),
  flag: columnOf('boolean'),
  time: columnOf('time'),
  json: columnOf('json'),
}

/** A word of an enum as the REST API writes it: in small letters. */
export function word(value: Sql): Sql {
  return sql`lower((${value})::text)`
}

/** What a row of an export is made of. */
export interface ExportShape {
  /** What the page `p` takes from its list, besides `id`. */
  readonly row: Sql
  /** What is joined to the page, `LEFT JOIN … ON …`: each row of it once at most. */
  readonly joins?: (ctx: Ctx) => Sql
  readonly columns: readonly ExportColumn[]
}

/** A list that can be taken away whole. */
// biome-ignore lint/suspicious/noExplicitAny: lists of all kinds stand side by side, each with its own rows and filter
export interface Export<Filter = any> {
  /** What a key needs to read it, all of them: the scope of its rows, and of every other type its columns show. */
  readonly needs: readonly Scope[]
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly list: List<any, Filter, any>
  readonly shape: (ctx: Ctx, format: ExportFormat) => Promise<ExportShape> | ExportShape
}

/** How many rows are read at once: so many that they come to this much text, roughly. */
const pageSizes = [5_000, 2_500, 1_000, 500, 200, 50] as const
const firstSize = 500
const usualBytes = 1024 * 1024

/** A stretch of an export as it is written, and how many rows that are. */
export interface Stretch {
  readonly text: string
  readonly rows: number
}

/**
 * Writes a list as text, the oldest row first, with a header in CSV. PostgreSQL itself writes each page; between pages
 * nothing is held, so that a slow reader costs nobody anything. What is added meanwhile may be in it.
 */
export async function* exportText<Filter>(
  ctx: Ctx,
  definition: Export<Filter>,
  { format, filter }: { format: ExportFormat; filter: Filter },
): AsyncGenerator<Stretch> {
  const { list } = definition
  const shape = await definition.shape(ctx, format)
  const conditions = await list.where(filter, ctx)
  const wanted = conditions.length === 0 ? empty : sql`AND ${join([...conditions], ' AND ')}`
  const line = format === 'CSV' ? csvLine(shape.columns) : jsonLine(shape.columns)
  const joins = shape.joins?.(ctx)
  const end = format === 'CSV' ? '\r\n' : '\n'
  // The size stands in the text: where it is a parameter, PostgreSQL expects a tenth of all rows, and reads them all.
  const page = async (after: bigint, limit: number): Promise<Page> => {
    const rows = sql`SELECT ${list.id} AS id, ${shape.row} ${list.from(ctx)} ${wanted} AND ${list.id} > ${after}::bigint
      ORDER BY ${list.id} LIMIT ${raw(String(limit))}`
    // Where nothing is joined, the rows come as they were read: they are neither kept nor sorted once more.
    if (!joins) {
      const [found] = await ctx.sql<Page>`
        SELECT max(p.id)::bigint AS last, count(*)::int AS rows, string_agg(${line}, ${end}) AS text FROM (${rows}) p`
      return found as Page
    }
    const [found] = await ctx.sql<Page>`
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
    const fitting = (rows * usualBytes) / text.length
    limit = pageSizes.find((size) => size <= fitting) ?? (pageSizes.at(-1) as number)
  }
}

interface Page {
  last: bigint | null
  rows: number
  text: string | null
}

/** How many rows an export will have, if nobody adds or deletes any. */
export async function exportCount<Filter>(ctx: Ctx, { list }: Export<Filter>, filter: Filter): Promise<number> {
  const conditions = await list.where(filter, ctx)
  const wanted = conditions.length === 0 ? empty : sql`AND ${join([...conditions], ' AND ')}`
  const [found] = await ctx.sql<{ n: number }>`SELECT count(*)::int AS n ${list.from(ctx)} ${wanted}`
  return found?.n ?? 0
}

/** A time as ISO 8601 in UTC, which as an interval is not looked up by its name for each row. */
export function isoTime(value: Sql): Sql {
  return sql`replace((${value} AT TIME ZONE INTERVAL '0')::text, ' ', 'T') || 'Z'`
}

/** The characters that make a spreadsheet take a text for a formula where it begins with one, and the apostrophe itself. */
const suspicious = [9, 10, 13, 39, 43, 45, 61, 64, 0xff0b, 0xff0d, 0xff1d, 0xff20].join()
const formula = "^''*[=+@\\-\\t\\r\\n＝＋－＠]"

/** A header's cell; what CSV does to any text. */
function csvText(text: string): string {
  const safe = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n;\t ]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * A line of CSV (RFC 4180). Text stands in quotes. A text that a spreadsheet would take for a formula gets an apostrophe
 * before it, unless it is a plain negative number; imports take that away again. Most rows have nothing that needs such
 * care, and that is seen at a glance: looking at each cell by itself takes several times as long.
 */
function csvLine(columns: readonly ExportColumn[]): Sql {
  const texts = columns.filter(({ kind }) => kind === 'text').map(({ value }) => value)
  if (texts.length === 0) return cells(columns, plainText)
  const care = join(
    texts.map((value) => sql`ascii(${value}) IN (${raw(suspicious)})`),
    ' OR ',
  )
  const whole = join(texts, ', ')
  return sql`CASE WHEN strpos(concat(${whole}), '"') > 0 OR ${care} THEN ${cells(columns, carefulText)}
    ELSE ${cells(columns, plainText)} END`
}

/** The cells of a line: texts that stand side by side are written in one go. */
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

function carefulText(values: readonly Sql[]): Sql {
  return plainText(
    values.map(
      (value) => sql`replace(CASE WHEN ascii(${value}) IN (${raw(suspicious)}) AND ${value} ~ ${raw(`'${formula}'`)}
        AND ${value} !~ '^-[0-9]+([.][0-9]+)?$' THEN '''' || ${value} ELSE ${value} END, '"', '""')`,
    ),
  )
}

function bareCell({ kind, value }: ExportColumn): Sql {
  if (kind === 'time') return sql`coalesce(${isoTime(value)}, '')`
  if (kind === 'json') return sql`'"' || replace(coalesce((${value})::text, ''), '"', '""') || '"'`
  return sql`coalesce((${value})::text, '')`
}

/** A line of JSON: an object with a key for each column. */
function jsonLine(columns: readonly ExportColumn[]): Sql {
  const fields = columns.map(({ name, kind, value }) => {
    const shown = kind === 'time' ? isoTime(value) : value
    return sql`${shown} AS ${raw(`"${name}"`)}`
  })
  return sql`row_to_json((SELECT j FROM (SELECT ${join(fields, ', ')}) AS j))::text`
}
