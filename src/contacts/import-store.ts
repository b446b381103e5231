import type { ContactImport, CustomField } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { enqueue } from '../db/jobs.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { Refusal, refuse } from '../kernel/errors.ts'
import { type Column, columnsOf, type Mapping } from './import-columns.ts'
import { chunksOf } from './import-file.ts'

export const importJob = 'contacts:import'

export interface ImportTurn {
  accountId: number
  importId: number
}

/** Asks for the next turn of an import: an account's imports take turns, and all of them stand behind short work. */
export async function askForTurn(tx: Ctx, importId: number): Promise<void> {
  const turn: ImportTurn = { accountId: tx.accountId, importId }
  await enqueue(tx, importJob, turn, { queue: `contact import ${tx.accountId}`, priority: 10 })
}

/** An upload that has begun: what is kept of an earlier one is gone. */
type Upload = Pick<ContactImport, 'id' | 'upload'>

/** Where rows of a file go, part by part. */
interface Kept {
  columns: Column[]
  rows: number
}

/**
 * Reads a file and keeps its rows until they are applied; in memory there is one part of it. Fails with VALIDATION_ERROR
 * where the file is broken, and with NOT_FOUND where another upload has taken the place of this one.
 */
export async function keep(
  ctx: Ctx,
  upload: Upload,
  source: AsyncIterable<Uint8Array>,
  { mapping, customFields }: { mapping: readonly Mapping[]; customFields: readonly CustomField[] },
): Promise<Kept> {
  const kept: Kept = { columns: [], rows: 0 }
  const begin = (header: string[]) => {
    kept.columns = columnsOf(header, mapping, customFields)
  }
  let number = 0
  for await (const rows of chunksOf(source, begin)) {
    const made = await ctx.sql`
      INSERT INTO contact_import_chunk (account_id, import_id, number, rows)
      SELECT i.account_id, i.id, ${number}::int, ${JSON.stringify(rows)} FROM contact_import i
      WHERE i.account_id = ${ctx.sql.account} AND i.id = ${upload.id} AND i.upload = ${upload.upload}
        AND i.status = 'UPLOADING' FOR SHARE RETURNING 1`
    if (made.length === 0) throw overtaken()
    number += 1
    kept.rows += rows.length
  }
  return kept
}

/** All rows are there: the work can begin. Fails with NOT_FOUND where another upload has taken the place of this one. */
export async function begin(ctx: Ctx, upload: Upload, { columns, rows }: Kept): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const begun = await tx.sql`
      UPDATE contact_import SET status = ${rows > 0 ? 'RUNNING' : 'COMPLETED'}::import_status, columns = ${JSON.stringify(columns)}::jsonb,
        rows_total = ${rows}::int, started_at = ${now}::timestamptz, finished_at = ${rows > 0 ? null : now}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${upload.id} AND upload = ${upload.upload} AND status = 'UPLOADING'
      RETURNING 1`
    if (begun.length === 0) throw overtaken()
    if (rows > 0) await askForTurn(tx, upload.id)
    await emit(tx, 'contact_import.progress', { importId: upload.id })
  })
}

/** What came of an upload that did not come to its end: a file that is broken fails, one that broke off can be sent again. */
export async function giveUp(ctx: Ctx, upload: Upload, error: unknown): Promise<void> {
  const [status, reason, finishedAt] =
    error instanceof Refusal ? ['FAILED', error.message, ctx.clock.now()] : ['WAITING', '', null]
  await inTransaction(ctx, async (tx) => {
    const left = await tx.sql`
      UPDATE contact_import SET status = ${status}::import_status, error = ${reason}, finished_at = ${finishedAt}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ${upload.id} AND upload = ${upload.upload} AND status = 'UPLOADING'
      RETURNING 1`
    if (left.length === 0) return
    await dropRows(tx, upload.id)
    await emit(tx, 'contact_import.progress', { importId: upload.id })
  })
}

/** Forgets the rows of a file. */
export async function dropRows(tx: Ctx, importId: number): Promise<void> {
  await tx.sql`DELETE FROM contact_import_chunk WHERE account_id = ${tx.sql.account} AND import_id = ${importId}`
}

function overtaken(): Refusal {
  return refuse('NOT_FOUND', 'Another upload has taken the place of this one.')
}
