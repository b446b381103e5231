import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { finished } from 'node:stream/promises'
import { Presets, SingleBar } from 'cli-progress'
import {
  applyNextChunk,
  type DateOrder,
  type ErrorGroup,
  type ImportColumn,
  type ImportEncoding,
  importList,
  imports,
} from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Export, exportCount, exportText } from '../db/lists/export.ts'
import { exports } from '../exports/exports.ts'

export interface ImportCommandOptions {
  readonly file: string
  readonly keepExisting?: boolean
  readonly encoding?: Lowercase<ImportEncoding>
  readonly dateOrder?: Lowercase<DateOrder>
  readonly review?: boolean
}

export interface ExportCommandOptions {
  readonly list: string
  readonly format: 'csv' | 'ndjson'
  readonly out?: string
  readonly bom?: boolean
}

/** Maximum number of errors in the output. All errors are counted. */
const maxErrors = 20

/**
 * Imports contacts from a CSV file in this process, even if a server is running. Shows a progress bar on a terminal. Returns
 * the counters, what columns say about consent, the groups of errors, and the first 20 errors and warnings. An import that is to
 * be reviewed, as a file in which every contact left, is not started. Throws if the file cannot be read or is invalid as a
 * whole.
 */
export async function importContacts(
  ctx: Ctx,
  { file, keepExisting, encoding, dateOrder, review }: ImportCommandOptions,
): Promise<object> {
  const input = {
    fileName: basename(file).slice(0, 255),
    updateExisting: !keepExisting,
    encoding: encoding?.toUpperCase() as ImportEncoding | undefined,
    dateOrder: dateOrder?.toUpperCase() as DateOrder | undefined,
    review,
  }
  // Opened first, so that a missing file creates no import.
  const handle = await open(file)
  const { id, rowsTotal } = await imports.createFromStream(ctx, input, handle.createReadStream())
  const bar = newBar(rowsTotal)
  const reload = async () => {
    ctx.load.clear()
    return ctx.load(importList.byId, id)
  }
  try {
    while (rowsTotal > 0 && !(await applyNextChunk(ctx, id))) bar.at((await reload())?.rowsDone ?? 0)
    bar.at(rowsTotal)
  } finally {
    bar.stop()
  }
  const done = await reload()
  const errors = await (await importList.listErrors(ctx, id, { first: maxErrors })).content()
  return {
    id,
    status: done?.status.toLowerCase(),
    rows: rowsTotal,
    created: done?.created,
    updated: done?.updated,
    unchanged: done?.unchanged,
    failed: done?.failed,
    warnings: done?.warnings,
    ...(done?.status === 'REVIEW' && { next: reviewHint }),
    not_imported: ((done?.columns ?? []) as unknown as ImportColumn[]).flatMap(({ column, field }) =>
      field === 'IGNORED' ? [column] : [],
    ),
    consent_columns: ((done?.columns ?? []) as unknown as ImportColumn[]).flatMap(toConsentColumn),
    encoding: (done?.reading as { encoding?: string } | null | undefined)?.encoding?.toLowerCase(),
    error_groups: ((done?.errorGroups ?? []) as unknown as ErrorGroup[]).map(({ severity, code, lines, ...group }) => ({
      severity: severity.toLowerCase(),
      code: code.toLowerCase(),
      ...group,
      first_lines: lines,
    })),
    errors: errors.rows.map(({ line, column, severity, message, value }) => ({
      line,
      column,
      severity: severity.toLowerCase(),
      message,
      value,
    })),
  }
}

const reviewHint = 'Nothing was imported yet. If the consents are right, import the file with --no-review.'

/** Returns what a column says about consent. */
function toConsentColumn({ column, reading, meanings, isDoubtful }: ImportColumn): object[] {
  if (isDoubtful) return [{ column, reading: 'not read' }]
  return reading ? [{ column, reading: reading.toLowerCase(), cells: lowerCaseKeys(meanings ?? {}) }] : []
}

const lowerCaseKeys = (counts: object) =>
  Object.fromEntries(Object.entries(counts).map(([meaning, count]) => [meaning.toLowerCase(), count]))

/**
 * Exports a list to a file or to standard output, at the speed of the reader. Returns the number of rows, or undefined for
 * standard output. Throws if the list is unknown.
 */
export async function exportList(
  ctx: Ctx,
  { list, format, out, bom = false }: ExportCommandOptions,
): Promise<object | undefined> {
  if (bom && format !== 'csv') throw new Error('--bom goes with --format csv.')
  const definition = (exports as Readonly<Record<string, Export<object>>>)[list.toUpperCase()]
  if (!definition) throw new Error(`--list takes one of: ${Object.keys(exports).join(', ').toLowerCase()}`)
  const target = out === undefined ? process.stdout : createWriteStream(out)
  const closed = out === undefined ? undefined : finished(target)
  closed?.catch(() => undefined)
  const bar = newBar(await exportCount(ctx, definition, {}))
  let written = 0
  try {
    const options = { format: format === 'csv' ? ('CSV' as const) : ('NDJSON' as const), filter: {}, hasMark: bom }
    for await (const { parts, rows } of exportText(ctx, definition, options)) {
      if (target.errored) break
      if (!target.write(Buffer.concat(parts))) await Promise.race([once(target, 'drain'), closed])
      written += rows
      bar.at(written)
    }
    if (out !== undefined) target.end()
    await closed
  } finally {
    bar.stop()
  }
  return out === undefined ? undefined : { list: list.toLowerCase(), format, rows: written, file: out }
}

/** Creates a progress bar on standard error. It does nothing if standard error is not a terminal. */
function newBar(total: number) {
  if (!process.stderr.isTTY) return { at: () => undefined, stop: () => undefined }
  const bar = new SingleBar({ stream: process.stderr, clearOnComplete: true, etaBuffer: 50 }, Presets.shades_classic)
  bar.start(total, 0)
  return { at: (value: number) => bar.update(value), stop: () => bar.stop() }
}
