import type { Ctx } from '../db/context.ts'

/** On this channel processes hear that what visitors see may have changed. */
export const shownChannel = 'campanile_shown'

/** Tells every process, once the change has committed, that what visitors see may have changed: this one at once. */
export function showSoon(ctx: Ctx): void {
  const tell = () => {
    ctx.notifyLocal?.(shownChannel)
    ctx.notify?.(shownChannel)
  }
  if (ctx.afterCommit) ctx.afterCommit(tell)
  else tell()
}
