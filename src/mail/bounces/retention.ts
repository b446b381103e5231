import type { System } from '../../db/context.ts'
import { removeOldProblems } from '../failures/sender-problems.ts'
import { removeOldSoftBounces } from '../suppressions/soft-bounces.ts'
import { removeOldUnread } from './unread-reports.ts'
import { removeUsedReports } from './used-reports.ts'

/** Deletes what reports left and is old. Safe to repeat. */
export async function forgetReports(system: System): Promise<void> {
  for (const forget of [removeUsedReports, removeOldUnread, removeOldProblems, removeOldSoftBounces])
    await forget(system)
}
