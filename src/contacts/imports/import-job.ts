import type { CustomField } from '../../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { analyseGrown } from '../../db/upkeep/statistics.ts'
import { emit } from '../../events/index.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newTurns } from '../../kernel/work/turns.ts'
import { runChunks, takeChunks } from '../chunked-jobs.ts'
import { lockAll } from '../custom-fields/custom-fields.ts'
import { type ApplyResult, applyRows } from './apply/apply-rows.ts'
import { recode } from './file/encoding.ts'
import type { Reading } from './file/file-reader.ts'
import { isLongRow, type NumberedRow, partsOf } from './file/stored-rows.ts'
import { importTable } from './import-list.ts'
import type { ImportOptions } from './imports.ts'
import type { Column } from './rows/columns.ts'
import { addToGroups, type ErrorGroup, type RowError, storeErrors } from './rows/row-errors.ts'
import { newRowParser, type ParsedRow } from './rows/row-parser.ts'
import { type ImportJobPayload, importChunks } from './upload.ts'

/** Attempts to apply a chunk if concurrent transactions use up the quota. */
const maxQuotaAttempts = 10

/** Runs the job of an import: applies chunks until the import is finished or the time is up. */
export async function runImport(system: System, { accountId, importId }: ImportJobPayload): Promise<void> {
  await runChunks(system, importChunks, { accountId, id: importId }, applyNextChunk)
}

/** Applies the next chunks of an import in a transaction of its own. Returns true if the import is finished. */
export async function applyNextChunk(ctx: Ctx, importId: number): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const importing: Ctx = { ...ctx, actor: { kind: 'IMPORT', id: importId } }
      const isFinished = await inTransaction(importing, (tx) => applyChunk(tx, importId))
      await analyseGrown(ctx)
      return isFinished
    } catch (error) {
      const isQuotaRace = error instanceof Refusal && error.code === 'QUOTA_EXCEEDED'
      if (!isQuotaRace || attempt >= maxQuotaAttempts) throw error
    }
  }
}

async function applyChunk(tx: Ctx, importId: number): Promise<boolean> {
  const [found] = await importTable.select(tx, sql`AND i.id = ${importId} AND i.status = 'RUNNING' FOR UPDATE`)
  if (!found) return true
  const { recodedBefore = 0 } = (found.reading ?? {}) as Partial<Reading>
  const stored = await takeChunks<NumberedRow>(tx, importChunks, importId)
  const rows = stored.map((row) => (row[0] < recodedBefore ? recodeRow(row) : row))
  const columns = found.columns as unknown as Column[]
  const { parsed, errors } = await parseRows(tx, rows, columns)
  const none: ApplyResult = { created: 0, updated: 0, unchanged: 0, errors: [] }
  const options = found.options as unknown as ImportOptions
  // A contact can have refused in a column that is not understood.
  const rules = columns.some(({ isDoubtful }) => isDoubtful) ? { ...options, agreed: {} } : options
  const result = parsed.length > 0 ? await applyRows(tx, parsed, rules) : none
  const all = [...errors, ...result.errors]
  await storeErrors(tx, importId, all, rows)
  const groups = addToGroups(found.errorGroups as unknown as ErrorGroup[], all)
  const isFinished = await recordProgress(tx, importId, rows.length, result, groups)
  await emit(tx, 'contact_import.progress', { importId })
  return isFinished
}

/** Decodes the cells of a row again: the file turned out not to be UTF-8 after the row was stored. */
function recodeRow(row: NumberedRow): NumberedRow {
  const { line, notes, cells } = partsOf(row)
  return [line, notes, ...cells.map(recode)]
}

/** Parses rows. Locks the custom fields of the columns against changes until the rows are applied. */
async function parseRows(
  tx: Ctx,
  rows: readonly NumberedRow[],
  columns: readonly Column[],
): Promise<{ parsed: ParsedRow[]; errors: RowError[] }> {
  const ids = columns.flatMap(({ customFieldId }) => customFieldId ?? [])
  const customFields: CustomField[] = ids.length > 0 ? [...(await lockAll(tx, ids)).values()] : []
  const parseRow = newRowParser(columns, customFields, tx.clock.now())
  const parsed: ParsedRow[] = []
  const errors: RowError[] = []
  const turn = newTurns()
  for (const row of rows) {
    await turn(isLongRow(row))
    const result = parseRow(row)
    errors.push(...result.errors)
    if (result.parsed) parsed.push(result.parsed)
  }
  return { parsed, errors }
}

/**
 * Adds the counts of the chunks of a transaction to an import. Completes the import if no chunk is left, and returns whether it
 * is finished.
 */
async function recordProgress(
  tx: Ctx,
  importId: number,
  rowCount: number,
  { created, updated, unchanged }: ApplyResult,
  groups: readonly ErrorGroup[],
): Promise<boolean> {
  const warnings = groups.reduce((sum, { severity, count }) => sum + (severity === 'WARNING' ? count : 0), 0)
  const failed = rowCount - created - updated - unchanged
  const [after] = await tx.sql<{ isFinished: boolean }>`
    UPDATE contact_import i SET rows_done = rows_done + ${rowCount}::int, created = created + ${created}::int,
      updated = updated + ${updated}::int, unchanged = unchanged + ${unchanged}::int,
      failed = failed + ${failed}::int, warnings = ${warnings}::int, error_groups = ${JSON.stringify(groups)}::jsonb, attempts = 0,
      status = CASE WHEN chunks.remain THEN status ELSE 'COMPLETED' END,
      finished_at = CASE WHEN chunks.remain THEN NULL ELSE ${tx.clock.now()}::timestamptz END
    FROM (SELECT EXISTS (SELECT FROM contact_import_chunk n
      WHERE n.account_id = ${tx.sql.account} AND n.import_id = ${importId}) AS remain) chunks
    WHERE i.account_id = ${tx.sql.account} AND i.id = ${importId} RETURNING NOT chunks.remain AS "isFinished"`
  return after?.isFinished ?? true
}
