import { newCtx, type System } from '../db/context.ts'
import { confirmationJob, runConfirmationJob } from './confirmation-email.ts'
import { type CleanUpPayload, cleanUp, cleanUpJob } from './visits.ts'

/** The background work of this room. */
export const jobs = {
  /** Takes away the visits of a funnel or a step that is gone, some at a time. */
  [cleanUpJob]: async (system: System, { accountId, ...gone }: CleanUpPayload): Promise<void> => {
    await cleanUp(newCtx(system, { accountId }), gone)
  },
  /** Asks by e-mail whether someone wants what they opted in for. */
  [confirmationJob]: runConfirmationJob,
}
