import { newCtx, type System } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { bulkJobName } from './bulk/bulk-jobs.ts'
import { runBulkJob } from './bulk/run.ts'
import { erasureJob, runErasure } from './erasure/erasures.ts'
import { runImport } from './imports/import-job.ts'
import { removeOldImports } from './imports/retention.ts'
import { importJob } from './imports/upload.ts'
import { linkRemovalJob, runLinkRemoval } from './record/link-removal.ts'
import { measureSegment, measureSegments } from './segments/segment-sizes.ts'
import { segmentSizeJob } from './segments/segments.ts'
import { addAll, type BulkTagPayload, bulkTagJob, lockBelowTagLimit } from './tags/contact-tags.ts'

/** Background jobs of this module, keyed by job name. */
export const jobs = {
  /** Adds a tag to contacts. Skips contacts that were deleted or have the maximum number of tags. Idempotent. */
  [bulkTagJob]: async (system: System, { tagId, contactIds, ...caller }: BulkTagPayload): Promise<void> => {
    await inTransaction(newCtx(system, caller), async (tx) => {
      await addAll(tx, await lockBelowTagLimit(tx, contactIds), [tagId])
    })
  },
  [erasureJob]: runErasure,
  [importJob]: runImport,
  [bulkJobName]: runBulkJob,
  [linkRemovalJob]: runLinkRemoval,
  [segmentSizeJob]: measureSegment,
  'segments:measure-all': measureSegments,
  'contacts:forget-imports': removeOldImports,
}
