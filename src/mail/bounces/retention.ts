import type { System } from '../../db/context.ts'
import { deleteOldProblems } from '../failures/sender-problems.ts'
import { deleteOldSoftBounces } from '../suppressions/soft-bounces.ts'
import { deleteOldUnread } from './unread-reports.ts'
import { deleteUsedReports } from './used-reports.ts'

/** Deletes what reports left and is old. Safe to repeat. */
export async function forgetReports(system: System): Promise<void> {
  for (const forget of [deleteUsedReports, deleteOldUnread, deleteOldProblems, deleteOldSoftBounces])
    await forget(system)
}
