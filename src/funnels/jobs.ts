import { newCtx, type System } from '../db/context.ts'
import { askJob, runAsk } from './confirm-asking.ts'
import { type CleanUp, cleanUp, cleanUpJob } from './visits.ts'

/** The background work of this room. */
export const jobs = {
  /** Takes away the visits of a funnel or a step that is gone, some at a time. */
  [cleanUpJob]: async (system: System, { accountId, ...gone }: CleanUp): Promise<void> => {
    await cleanUp(newCtx(system, { accountId }), gone)
  },
  /** Asks by e-mail whether someone wants what they opted in for. */
  [askJob]: runAsk,
}
