import type { ContactImport, CustomField } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { Refusal, refuse } from '../kernel/errors.ts'
import { type ChunkedJob, enqueueRun, removeChunks } from './chunked-jobs.ts'
import { type Column, type ColumnMapping, mapColumns } from './import-columns.ts'
import { readChunks } from './import-file.ts'

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

/** Number of chunks that one statement stores. */
const chunksPerStatement = 5

/** An upload of the file of an import. A later upload replaces it. */
type Upload = Pick<ContactImport, 'id' | 'upload'>

/** A file whose rows are stored. */
interface StoredFile {
  columns: Column[]
  rowCount: number
}

/**
 * Reads a file and stores its rows in chunks until they are applied. Holds a few chunks in memory.
 *
 * **Throws** VALIDATION_ERROR if the file is invalid, and NOT_FOUND if another upload replaced this one.
 */
export async function storeRows(
  ctx: Ctx,
  upload: Upload,
  source: AsyncIterable<Uint8Array>,
  { mapping, customFields }: { mapping: readonly ColumnMapping[]; customFields: readonly CustomField[] },
): Promise<StoredFile> {
  const file: StoredFile = { columns: [], rowCount: 0 }
  const onHeader = (header: string[]) => {
    file.columns = mapColumns(header, mapping, customFields)
  }
  let [stored, chunks] = [0, [] as string[]]
  const store = async () => {
    const inserted = await ctx.sql`
      INSERT INTO contact_import_chunk (account_id, import_id, number, rows)
      SELECT i.account_id, i.id, ${stored}::int + g.place - 1, g.rows
      FROM contact_import i, unnest(${chunks}::text[]) WITH ORDINALITY AS g(rows, place)
      WHERE i.account_id = ${ctx.sql.account} AND i.id = ${upload.id} AND i.upload = ${upload.upload}
        AND i.status = 'UPLOADING' FOR SHARE OF i RETURNING 1`
    if (inserted.length === 0) throw uploadReplaced()
    stored += chunks.length
    chunks = []
  }
  for await (const rows of readChunks(source, onHeader)) {
    chunks.push(JSON.stringify(rows))
    file.rowCount += rows.length
    if (chunks.length === chunksPerStatement) await store()
  }
  if (chunks.length > 0) await store()
  return file
}

/**
 * Starts an import whose rows are stored. An import without rows is completed at once.
 *
 * **Emits** `contact_import.progress`. **Throws** NOT_FOUND if another upload replaced this one.
 */
export async function startImport(ctx: Ctx, upload: Upload, { columns, rowCount }: StoredFile): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const started = await tx.sql`
      UPDATE contact_import SET status = ${rowCount > 0 ? 'RUNNING' : 'COMPLETED'}::import_status,
        columns = ${JSON.stringify(columns)}::jsonb, rows_total = ${rowCount}::int, started_at = ${now}::timestamptz,
        finished_at = ${rowCount > 0 ? null : now}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${upload.id} AND upload = ${upload.upload} AND status = 'UPLOADING'
      RETURNING 1`
    if (started.length === 0) throw uploadReplaced()
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
