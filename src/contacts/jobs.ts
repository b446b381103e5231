import { newCtx, type System } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { bulkJobName } from './bulk-jobs.ts'
import { runBulkJob } from './bulk-run.ts'
import { addAll, type BulkTagPayload, bulkTagJob, lockBelowTagLimit } from './contact-tags.ts'
import { erasureJob, runErasure } from './erasures.ts'
import { runImport } from './import-job.ts'
import { removeOldImports } from './import-retention.ts'
import { importJob } from './import-store.ts'
import { linkRemovalJob, runLinkRemoval } from './link-removal.ts'
import { measureSegment, measureSegments } from './segment-sizes.ts'
import { segmentSizeJob } from './segments.ts'

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
