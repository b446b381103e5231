import { newCtx, type System } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { addAll, type BulkTagPayload, bulkTagJob, lockBelowTagLimit } from './contact-tags.ts'
import { runImport } from './import-job.ts'
import { removeOldImports } from './import-retention.ts'
import { importJob } from './import-store.ts'

/** Background jobs of this module, keyed by job name. */
export const jobs = {
  /** Adds a tag to contacts. Skips contacts that were deleted or have the maximum number of tags. Idempotent. */
  [bulkTagJob]: async (system: System, { accountId, tagId, contactIds }: BulkTagPayload): Promise<void> => {
    await inTransaction(newCtx(system, { accountId }), async (tx) => {
      await addAll(tx, await lockBelowTagLimit(tx, contactIds), [tagId])
    })
  },
  [importJob]: runImport,
  'contacts:forget-imports': removeOldImports,
}
