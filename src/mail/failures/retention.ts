import type { System } from '../../db/context.ts'
import { deleteOldUnread } from '../bounces/unread-reports.ts'
import { deleteUsedReports } from '../bounces/used-reports.ts'
import { deleteOldProblems } from './sender-problems.ts'
import { deleteOldSoftBounces } from './soft-bounces.ts'

/** Deletes what reports left and is old. Safe to repeat. */
export async function forgetReports(system: System): Promise<void> {
  for (const forget of [deleteUsedReports, deleteOldUnread, deleteOldProblems, deleteOldSoftBounces])
    await forget(system)
}
