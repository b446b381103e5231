import type { Ctx } from '../../db/context.ts'
import { hint } from '../../db/jobs/listen.ts'

/** NOTIFY channel for changes of public pages. */
export const pageChangesChannel = 'campanile_shown'

/**
 * Notifies all processes that public pages may have changed, with the commit of the transaction: a process must know of a new
 * page before the client that made it asks for it there.
 */
export async function announcePageChange(ctx: Ctx): Promise<void> {
  await hint(ctx, pageChangesChannel)
}
