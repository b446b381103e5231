import { lockKind } from '../../db/account-lock.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { refuse, refuseValue } from '../../kernel/errors.ts'
import { type ChunkedJob, enqueueRun, removeChunks } from '../chunked-jobs.ts'
import { type BulkAction, type BulkActionInput, checkAction } from './actions.ts'
import { type BulkJob, jobTable, lock } from './bulk-job-list.ts'
import { type CheckedSelection, type ContactSelection, checkSelection } from './selection.ts'

/** Maximum bulk jobs of an account that have not ended. */
export const maxOpenJobs = 50

/** Number of contacts that one transaction processes. A deletion also changes the messages and submissions of a contact. */
const chunkSizes: Partial<Record<BulkJob['action'], number>> & { readonly usual: number } = { DELETE: 20, usual: 100 }

export const bulkJobName = 'contacts:bulk'

/** Payload of the job that processes the contacts of a bulk job. */
export interface BulkJobPayload {
  accountId: number
  bulkJobId: number
}

/** Bulk jobs as jobs that are processed in chunks. */
export const bulkChunks: ChunkedJob = {
  table: 'bulk_job',
  chunkTable: 'bulk_job_chunk',
  parent: 'job_id',
  failure: 'The job failed because of an internal error.',
  enqueueRun: (tx, bulkJobId) => {
    const payload: BulkJobPayload = { accountId: tx.accountId, bulkJobId }
    return enqueueRun(tx, bulkJobName, payload)
  },
  emitProgress: (tx, bulkJobId) => emit(tx, 'bulk_job.progress', { bulkJobId }),
}

/**
 * Creates a job that applies an action to contacts: those that match a filter, those with the ids, or all. A filter is applied
 * in the background, to the contacts that exist now. A contact that changes after the filter was applied to it is processed
 * nevertheless.
 *
 * **Emits** `bulk_job.progress`. **Throws** VALIDATION_ERROR, FORBIDDEN for a condition whose scope the key lacks, NOT_FOUND
 * for an unknown tag, sequence or custom field, SEQUENCE_HAS_NO_STAGES, and QUOTA_EXCEEDED if the account has 50 jobs that have
 * not ended.
 */
export async function create(
  ctx: Ctx,
  input: { contacts: ContactSelection; action: BulkActionInput },
): Promise<{ bulkJob: BulkJob }> {
  const selection = await checkSelection(ctx, input.contacts)
  return inTransaction(ctx, async (tx) => {
    await mustHaveRoom(tx)
    const action = await checkAction(tx, input.action)
    const job = await insert(tx, action, selection)
    const bulkJob = selection.ids ? await addContacts(tx, job, selection.ids, null) : job
    await bulkChunks.enqueueRun(tx, bulkJob.id)
    await emit(tx, 'bulk_job.progress', { bulkJobId: bulkJob.id })
    return { bulkJob }
  })
}

/**
 * Cancels a job. Contacts that were processed stay as they are; no more are processed.
 *
 * **Emits** `bulk_job.progress`. **Throws** NOT_FOUND, and INVALID_STATE if the job has ended.
 */
export async function cancel(ctx: Ctx, input: { id: string | number }): Promise<{ bulkJob: BulkJob }> {
  return inTransaction(ctx, async (tx) => {
    const { id, status } = await lock(tx, input.id)
    if (status !== 'RUNNING') throw refuseValue('id', 'INVALID_STATE', 'The job has ended.')
    await removeChunks(tx, bulkChunks, id)
    const [bulkJob] = await tx.sql<BulkJob>`
      UPDATE ${jobTable.source} SET status = 'CANCELLED', finished_at = ${tx.clock.now()}::timestamptz
      WHERE b.account_id = ${tx.sql.account} AND b.id = ${id} RETURNING ${jobTable.columns}`
    await emit(tx, 'bulk_job.progress', { bulkJobId: id })
    return { bulkJob: bulkJob as BulkJob }
  })
}

async function mustHaveRoom(tx: Ctx): Promise<void> {
  await lockKind(tx, 'bulk jobs')
  const [counted] = await tx.sql<{ jobs: number }>`
    SELECT count(*)::int AS jobs ${jobTable.from(tx)} AND b.status = 'RUNNING'`
  if ((counted?.jobs ?? 0) >= maxOpenJobs)
    throw refuse('QUOTA_EXCEEDED', `An account can have at most ${maxOpenJobs} bulk jobs that have not ended.`)
}

async function insert(tx: Ctx, { action, options }: BulkAction, { filter }: CheckedSelection): Promise<BulkJob> {
  const stored = filter ? JSON.stringify(filter) : null
  const [job] = await tx.sql<BulkJob>`
    INSERT INTO bulk_job AS b (account_id, status, action, options, filter, key_id, last_contact_id, created_at)
    SELECT ${tx.sql.account}::int, 'RUNNING'::bulk_job_status, ${action}::bulk_action, ${JSON.stringify(options)}::jsonb, ${stored}::jsonb,
      ${tx.keyId ?? null}::int,
      coalesce((SELECT max(c.id) FROM contact c WHERE c.account_id = ${tx.sql.account}), 0), ${tx.clock.now()}::timestamptz
    RETURNING ${jobTable.columns}`
  return job as BulkJob
}

/**
 * Adds selected contacts to a job whose row is locked. `scannedTo` is the contact id up to which its filter was applied, or
 * null if no contacts follow.
 */
export async function addContacts(
  tx: Ctx,
  { id, action }: BulkJob,
  contactIds: readonly number[],
  scannedTo: number | null,
): Promise<BulkJob> {
  const size = chunkSizes[action] ?? chunkSizes.usual
  const count = Math.ceil(contactIds.length / size)
  const chunks = Array.from({ length: count }, (_, place) => contactIds.slice(place * size, (place + 1) * size))
  const [job] = await tx.sql<BulkJob>`
    WITH stored AS (
      INSERT INTO bulk_job_chunk (account_id, job_id, number, rows)
      SELECT j.account_id, j.id, j.chunks + g.place, g.rows
      FROM bulk_job j, unnest(${chunks.map((chunk) => JSON.stringify(chunk))}::text[]) WITH ORDINALITY AS g(rows, place)
      WHERE j.account_id = ${tx.sql.account} AND j.id = ${id})
    UPDATE ${jobTable.source} SET chunks = b.chunks + ${count}::int, total = b.total + ${contactIds.length}::int,
      scanned_to = coalesce(${scannedTo}::int, b.last_contact_id), attempts = 0,
      selected_at = CASE WHEN ${scannedTo}::int < b.last_contact_id THEN NULL ELSE ${tx.clock.now()}::timestamptz END
    WHERE b.account_id = ${tx.sql.account} AND b.id = ${id} RETURNING ${jobTable.columns}`
  return job as BulkJob
}
