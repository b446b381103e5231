import { newCtx, type System } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { addAll, type BulkTag, bulkTagJob, withRoomForTag } from './contact-tags.ts'
import { forgetOld } from './import-retention.ts'
import { run } from './import-run.ts'
import { importJob } from './import-store.ts'

/** The background work of this room. */
export const jobs = {
  /** Gives a tag to the contacts that still exist and have room for it; a repeat finds the links made and announces nothing. */
  [bulkTagJob]: async (system: System, { accountId, tagId, contactIds }: BulkTag): Promise<void> => {
    await inTransaction(newCtx(system, { accountId }), async (tx) => {
      await addAll(tx, await withRoomForTag(tx, contactIds), [tagId])
    })
  },
  [importJob]: run,
  'contacts:forget-imports': forgetOld,
}
