import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import type { ObjectStore } from './object-store.ts'

/** Objects that one run of the job removes at a time. */
const batchSize = 100

/** Creates the background jobs of the media library. */
export function newMediaJobs(store: ObjectStore | undefined) {
  return {
    'media:clean': async (system: System): Promise<void> => {
      await removeOld(system, { table: 'media_upload', since: 'expires_at', keptDays: 0 })
      if (store) await removeObjects(system, store)
    },
  }
}

/** Removes objects of deleted files, and of uploads that were never committed. An object that fails is tried again. */
async function removeObjects({ db, clock, log }: System, store: ObjectStore): Promise<void> {
  for (let after = ''; ; ) {
    const due = await db.$unscoped<{ accountId: number; objectKey: string }>(
      'objects to remove are searched in all accounts',
      sql`SELECT account_id AS "accountId", object_key AS "objectKey" FROM media_removal
          WHERE due_at <= ${clock.now()}::timestamptz AND object_key > ${after} ORDER BY object_key LIMIT ${batchSize}::int`,
    )
    for (const { accountId, objectKey } of due) {
      try {
        await store.remove(objectKey)
        await db.mediaRemoval.deleteMany({ where: { accountId, objectKey } })
      } catch (error) {
        log.warn({ err: error }, 'an object of the media library could not be removed')
      }
    }
    if (due.length < batchSize) return
    after = due.at(-1)?.objectKey ?? ''
  }
}
