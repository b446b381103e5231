import type { ContactImport, CustomField } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import { type ChunkedJob, enqueueRun, removeChunks } from '../chunked-jobs.ts'
import type { ImportEncoding } from './file/encoding.ts'
import { type Reading, readChunks } from './file/file-reader.ts'
import { type NumberedRow, partsOf } from './file/stored-rows.ts'
import { unescaped } from './rows/cells.ts'
import { type Column, type ColumnMapping, customFieldPrefix, mapColumns } from './rows/columns.ts'
import { newConsentTally } from './rows/consent-columns.ts'
import { type DateOrder, newDateTally } from './rows/dates.ts'
import { newNumberTally } from './rows/numbers.ts'
import { addToGroups, type FileFindings, fileWarnings, storeErrors } from './rows/row-errors.ts'

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
interface StoredFile extends FileFindings {
  readonly rowCount: number
}

/** How the file of an import is read. */
export interface FileOptions {
  readonly mapping: readonly ColumnMapping[]
  readonly encoding?: ImportEncoding | undefined
  readonly dateOrder?: DateOrder | undefined
}

/**
 * Reads a file and stores its rows in chunks until they are applied. Holds a few chunks in memory. The encoding of the file,
 * the order of its dates and the sign of decimals are known when all rows were read. They are stored with the import, and the
 * job uses them.
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
  let [rowCount, reading]: [number, Reading] = [0, { encoding: 'UTF_8', headerLine: 1 }]
  let values = new ValueColumns([], [], ctx.clock.now())
  let consents = newConsentTally([])
  const onHeader = (header: string[]) => {
    const columns = mapColumns(header, mapping, customFields)
    values = new ValueColumns(columns, customFields, ctx.clock.now())
    consents = newConsentTally(columns)
    return columns.findIndex(({ field }) => field === 'EMAIL')
  }
  const onEnd = (found: Reading) => {
    reading = found
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
    values.add(rows)
    consents.add(rows)
    const chunk = JSON.stringify(rows)
    chunks.push(chunk)
    length += chunk.length
    rowCount += rows.length
    if (chunks.length === chunksPerStatement || length >= maxStatementLength) await store()
  }
  if (chunks.length > 0) await store()
  return { ...consents.result(values.toColumns(dateOrder)), rowCount, reading }
}

/** The columns of a file. Finds the order of the dates and the sign of decimals in the columns of custom fields. */
class ValueColumns {
  readonly #columns: readonly Column[]
  readonly #dates: ReadonlyMap<number, ReturnType<typeof newDateTally>>
  readonly #numbers: ReadonlyMap<number, ReturnType<typeof newNumberTally>>

  constructor(columns: readonly Column[], customFields: readonly CustomField[], now: Date) {
    const types = new Map(customFields.map(({ id, type }) => [id, type]))
    const placesOf = (type: CustomField['type']) =>
      columns.flatMap(({ customFieldId }, index) =>
        customFieldId !== null && types.get(customFieldId) === type ? [index] : [],
      )
    this.#columns = columns
    this.#dates = new Map(placesOf('DATE').map((index) => [index, newDateTally(now)]))
    this.#numbers = new Map(
      placesOf('NUMBER')
        // An export writes numbers with a point.
        .filter((index) => !columns[index]?.column.startsWith(customFieldPrefix))
        .map((index) => [index, newNumberTally()]),
    )
  }

  add(rows: readonly NumberedRow[]): void {
    const tallies = [...this.#dates, ...this.#numbers]
    if (tallies.length === 0) return
    for (const row of rows) {
      const { cells, notes } = partsOf(row)
      if (notes.hasSurplus) continue
      for (const [index, tally] of tallies) tally.add(unescaped(cells[index] ?? ''))
    }
  }

  /**
   * Returns the columns with the order of their dates, the requested one or else the one that all dates have, and the sign of
   * decimals of their numbers.
   */
  toColumns(requested: DateOrder | undefined): Column[] {
    return this.#columns.map((column, index) => {
      const tally = this.#dates.get(index)
      const dates = tally && (requested ? { order: requested } : tally.result())
      const numbers = this.#numbers.get(index)?.result()
      return { ...column, ...(dates && { dates }), ...(numbers && { numbers }) }
    })
  }
}

/**
 * Starts an import whose rows are stored. An import without rows is completed at once. One that is to be reviewed waits for
 * `start`: if `review` is true, or if it is absent and every row says that its contact left.
 *
 * **Emits** `contact_import.progress`. **Throws** NOT_FOUND if another upload replaced this one.
 */
export async function startImport(
  ctx: Ctx,
  upload: Upload,
  file: StoredFile,
  review: boolean | undefined,
): Promise<void> {
  const { columns, rowCount, reading, haveAllLeft } = file
  const warnings = fileWarnings(file)
  const status = rowCount === 0 ? 'COMPLETED' : (review ?? haveAllLeft) ? 'REVIEW' : 'RUNNING'
  await inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const started = await tx.sql`
      UPDATE contact_import SET status = ${status}::import_status,
        columns = ${JSON.stringify(columns)}::jsonb, rows_total = ${rowCount}::int,
        reading = ${JSON.stringify(reading)}::jsonb, warnings = ${warnings.length}::int,
        error_groups = ${JSON.stringify(addToGroups([], warnings))}::jsonb, started_at = ${now}::timestamptz,
        finished_at = ${status === 'COMPLETED' ? now : null}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${upload.id} AND upload = ${upload.upload} AND status = 'UPLOADING'
      RETURNING 1`
    if (started.length === 0) throw uploadReplaced()
    await storeErrors(tx, upload.id, warnings, [])
    if (status === 'RUNNING') await importChunks.enqueueRun(tx, upload.id)
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
