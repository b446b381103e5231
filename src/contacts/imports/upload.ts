import type { ContactImport, CustomField } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import { type ChunkedJob, enqueueRun, removeChunks } from '../chunked-jobs.ts'
import type { ImportEncoding } from './file/encoding.ts'
import { type Reading, readChunks } from './file/file-reader.ts'
import { type NumberedRow, partsOf } from './file/stored-rows.ts'
import { type Column, type ColumnMapping, mapColumns } from './rows/columns.ts'
import { type DateOrder, newDateTally } from './rows/dates.ts'
import { addToGroups, fileWarnings, storeErrors } from './rows/row-errors.ts'

export const importJob = 'contacts:import'

/** Payload of the job that applies the rows of an import. */
export interface ImportJobPayload {
  accountId: number
  importId: number
}

/** Imports as jobs that are processed in chunks. */
export const importChunks: ChunkedJob = {
  table: 'contact_import',
  chunkTable: 'contact_import_chunk',
  parent: 'import_id',
  failure: 'The import failed because of an internal error.',
  enqueueRun: (tx, importId) => {
    const payload: ImportJobPayload = { accountId: tx.accountId, importId }
    return enqueueRun(tx, importJob, payload)
  },
  emitProgress: (tx, importId) => emit(tx, 'contact_import.progress', { importId }),
}

/** Number of chunks that one statement stores, and of characters: they are serialized in one turn. */
const chunksPerStatement = 5
const maxStatementLength = 1024 * 1024

/** An upload of the file of an import. A later upload replaces it. */
type Upload = Pick<ContactImport, 'id' | 'upload'>

/** A file whose rows are stored. */
interface StoredFile {
  columns: readonly Column[]
  rowCount: number
  reading: Reading
}

/** How the file of an import is read. */
export interface FileOptions {
  readonly mapping: readonly ColumnMapping[]
  readonly encoding?: ImportEncoding | undefined
  readonly dateOrder?: DateOrder | undefined
}

/**
 * Reads a file and stores its rows in chunks until they are applied. Holds a few chunks in memory. The encoding of the file
 * and the order of its dates are known when all rows were read. They are stored with the import, and the job uses them.
 *
 * **Throws** VALIDATION_ERROR if the file is invalid, and NOT_FOUND if another upload replaced this one.
 */
export async function storeRows(
  ctx: Ctx,
  upload: Upload,
  source: AsyncIterable<Uint8Array>,
  { mapping, encoding, dateOrder }: FileOptions,
  customFields: readonly CustomField[],
): Promise<StoredFile> {
  const file: StoredFile = { columns: [], rowCount: 0, reading: { encoding: 'UTF_8', headerLine: 1 } }
  let dates = new DateColumns([], [], ctx.clock.now())
  const onHeader = (header: string[]) => {
    file.columns = mapColumns(header, mapping, customFields)
    dates = new DateColumns(file.columns, customFields, ctx.clock.now())
    return file.columns.findIndex(({ field }) => field === 'EMAIL')
  }
  const onEnd = (reading: Reading) => {
    file.reading = reading
  }
  let [stored, chunks, length] = [0, [] as string[], 0]
  const store = async () => {
    const inserted = await ctx.sql`
      INSERT INTO contact_import_chunk (account_id, import_id, number, rows)
      SELECT i.account_id, i.id, ${stored}::int + g.place - 1, g.rows
      FROM contact_import i, unnest(${chunks}::text[]) WITH ORDINALITY AS g(rows, place)
      WHERE i.account_id = ${ctx.sql.account} AND i.id = ${upload.id} AND i.upload = ${upload.upload}
        AND i.status = 'UPLOADING' FOR SHARE OF i RETURNING 1`
    if (inserted.length === 0) throw uploadReplaced()
    stored += chunks.length
    ;[chunks, length] = [[], 0]
  }
  for await (const rows of readChunks(source, onHeader, { encoding, onEnd })) {
    if (!dateOrder) dates.add(rows)
    const chunk = JSON.stringify(rows)
    chunks.push(chunk)
    length += chunk.length
    file.rowCount += rows.length
    if (chunks.length === chunksPerStatement || length >= maxStatementLength) await store()
  }
  if (chunks.length > 0) await store()
  file.columns = dates.toColumns(dateOrder)
  return file
}

/** The columns of a file. Finds the order of the dates in the columns of custom fields that are dates. */
class DateColumns {
  readonly #columns: readonly Column[]
  readonly #tallies: ReadonlyMap<number, ReturnType<typeof newDateTally>>

  constructor(columns: readonly Column[], customFields: readonly CustomField[], now: Date) {
    const dateIds = new Set(customFields.flatMap(({ id, type }) => (type === 'DATE' ? id : [])))
    this.#columns = columns
    this.#tallies = new Map(
      columns.flatMap(({ customFieldId }, index) =>
        customFieldId !== null && dateIds.has(customFieldId) ? [[index, newDateTally(now)] as const] : [],
      ),
    )
  }

  add(rows: readonly NumberedRow[]): void {
    if (this.#tallies.size === 0) return
    for (const row of rows) {
      const { cells, notes } = partsOf(row)
      if (notes.count !== undefined) continue
      for (const [index, tally] of this.#tallies) tally.add(cells[index] ?? '')
    }
  }

  /** Returns the columns with the order of their dates: the requested one, or else the one that all dates have. */
  toColumns(requested: DateOrder | undefined): Column[] {
    return this.#columns.map((column, index) => {
      const tally = this.#tallies.get(index)
      const dates = tally && (requested ? { order: requested } : tally.result())
      return dates ? { ...column, dates } : column
    })
  }
}

/**
 * Starts an import whose rows are stored. An import without rows is completed at once.
 *
 * **Emits** `contact_import.progress`. **Throws** NOT_FOUND if another upload replaced this one.
 */
export async function startImport(ctx: Ctx, upload: Upload, { columns, rowCount, reading }: StoredFile): Promise<void> {
  const warnings = fileWarnings(columns, reading)
  await inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const started = await tx.sql`
      UPDATE contact_import SET status = ${rowCount > 0 ? 'RUNNING' : 'COMPLETED'}::import_status,
        columns = ${JSON.stringify(columns)}::jsonb, rows_total = ${rowCount}::int,
        reading = ${JSON.stringify(reading)}::jsonb, warnings = ${warnings.length}::int,
        error_groups = ${JSON.stringify(addToGroups([], warnings))}::jsonb, started_at = ${now}::timestamptz,
        finished_at = ${rowCount > 0 ? null : now}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${upload.id} AND upload = ${upload.upload} AND status = 'UPLOADING'
      RETURNING 1`
    if (started.length === 0) throw uploadReplaced()
    await storeErrors(tx, upload.id, warnings, [])
    if (rowCount > 0) await importChunks.enqueueRun(tx, upload.id)
    await emit(tx, 'contact_import.progress', { importId: upload.id })
  })
}

/**
 * Ends an upload that failed. An invalid file fails the import. After an interrupted upload the import waits for the file
 * again.
 *
 * **Emits** `contact_import.progress`.
 */
export async function endFailedUpload(ctx: Ctx, upload: Upload, error: unknown): Promise<void> {
  const [status, reason, finishedAt] =
    error instanceof Refusal ? ['FAILED', error.message, ctx.clock.now()] : ['WAITING', '', null]
  await inTransaction(ctx, async (tx) => {
    const ended = await tx.sql`
      UPDATE contact_import SET status = ${status}::import_status, error = ${reason}, finished_at = ${finishedAt}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${upload.id} AND upload = ${upload.upload} AND status = 'UPLOADING'
      RETURNING 1`
    if (ended.length === 0) return
    await removeChunks(tx, importChunks, upload.id)
    await emit(tx, 'contact_import.progress', { importId: upload.id })
  })
}

function uploadReplaced(): Refusal {
  return refuse('NOT_FOUND', 'Another upload replaced this one.')
}
