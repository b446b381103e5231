import type { Contact } from '../../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { analyseGrown } from '../../db/upkeep/statistics.ts'
import { emit } from '../../events/index.ts'
import { removeChunks, runChunks, takeChunks } from '../chunked-jobs.ts'
import { contactTable } from '../record/contact-lookup.ts'
import { apply, type BulkAction, type ContactError, errorsOf } from './actions.ts'
import { type BulkJob, jobTable } from './bulk-job-list.ts'
import { addContacts, type BulkJobPayload, bulkChunks } from './bulk-jobs.ts'
import { scan } from './selection.ts'

/** Runs the job of a bulk job: selects contacts and processes them until the job has ended or the time is up. */
export async function runBulkJob(system: System, { accountId, bulkJobId }: BulkJobPayload): Promise<void> {
  await runChunks(system, bulkChunks, { accountId, id: bulkJobId }, processNext)
}

/**
 * Selects the next contacts of a job, or processes its next chunks, in a transaction of its own. Returns true if the job has
 * ended.
 */
export async function processNext(ctx: Ctx, id: number): Promise<boolean> {
  const isOver = await inTransaction(ctx, async (tx) => {
    const [job] = await jobTable.select(tx, sql`AND b.id = ${id} AND b.status = 'RUNNING' FOR UPDATE`)
    if (!job) return true
    const isLast = job.selectedAt ? await processChunk(tx, job) : await selectNext(tx, job)
    await emit(tx, 'bulk_job.progress', { bulkJobId: id })
    return isLast
  })
  await analyseGrown(ctx)
  return isOver
}

/** Applies the filter of a job to the next contacts. Returns true if it matches none, or became invalid. */
async function selectNext(tx: Ctx, job: BulkJob): Promise<boolean> {
  const found = await scan(tx, job)
  if (typeof found === 'string') {
    await fail(tx, job, found)
    return true
  }
  const { selectedAt, total } = await addContacts(tx, job, found.ids, found.scannedTo)
  if (!selectedAt || total > 0) return false
  await recordProgress(tx, job, { done: 0, changed: 0, failed: 0 })
  return true
}

async function fail(tx: Ctx, { id }: BulkJob, error: string): Promise<void> {
  await removeChunks(tx, bulkChunks, id)
  await tx.sql`
    UPDATE bulk_job SET status = 'FAILED', error = ${error}, finished_at = ${tx.clock.now()}::timestamptz
    WHERE account_id = ${tx.sql.account} AND id = ${id}`
}

/** Processes the next chunks of a job. Returns true if they were the last ones. */
async function processChunk(tx: Ctx, job: BulkJob): Promise<boolean> {
  const ids = await takeChunks<number>(tx, bulkChunks, job.id)
  const contacts: Contact[] = await contactTable.select(tx, sql`AND c.id = ANY(${ids}::int[]) ORDER BY c.id FOR UPDATE`)
  const found = new Set(contacts.map(({ id }) => id))
  const unknown = ids.filter((id) => !found.has(id))
  const acting: Ctx = { ...tx, bulkJobId: job.id, ...(job.keyId !== null && { keyId: job.keyId }) }
  const { changed, errors = [] } = await apply(acting, job as BulkAction, contacts)
  const all = [...errorsOf(unknown, 'NOT_FOUND', 'There is no such contact.'), ...errors]
  await storeErrors(tx, job, all)
  return recordProgress(tx, job, { done: ids.length, changed: changed.size, failed: all.length })
}

async function storeErrors(tx: Ctx, { id }: BulkJob, errors: readonly ContactError[]): Promise<void> {
  if (errors.length === 0) return
  await tx.sql`
    INSERT INTO bulk_job_error (account_id, job_id, contact_id, code, message)
    SELECT ${tx.sql.account}::int, ${id}::int, g."contactId", g.code::bulk_error_code, g.message
    FROM json_to_recordset(${JSON.stringify(errors)}::json) AS g("contactId" int, code text, message text)
    ORDER BY g."contactId"`
}

/** Adds the counts of processed chunks to a job. Completes the job if they were the last ones, and returns whether they were. */
async function recordProgress(
  tx: Ctx,
  { id }: BulkJob,
  { done, changed, failed }: Pick<BulkJob, 'done' | 'changed' | 'failed'>,
): Promise<boolean> {
  const [after] = await tx.sql<{ isLast: boolean }>`
    UPDATE bulk_job SET done = done + ${done}::int, changed = changed + ${changed}::int, failed = failed + ${failed}::int,
      attempts = 0, status = CASE WHEN done + ${done}::int < total THEN status ELSE 'COMPLETED' END,
      finished_at = CASE WHEN done + ${done}::int < total THEN NULL ELSE ${tx.clock.now()}::timestamptz END
    WHERE account_id = ${tx.sql.account} AND id = ${id} RETURNING status = 'COMPLETED' AS "isLast"`
  return after?.isLast ?? true
}
