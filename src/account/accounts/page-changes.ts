import type { Ctx } from '../../db/context.ts'

/** NOTIFY channel for changes of public pages. */
export const pageChangesChannel = 'campanile_shown'

/** Notifies all processes that public pages may have changed, after the transaction has committed. */
export function announcePageChange(ctx: Ctx): void {
  const notify = () => {
    ctx.notifyLocal(pageChangesChannel)
    ctx.notify(pageChangesChannel)
  }
  if (ctx.afterCommit) ctx.afterCommit(notify)
  else notify()
}
