import { newCtx, type System } from '../db/context.ts'
import { confirmationJob, runConfirmationJob } from './confirmation-email.ts'
import { type CleanUpPayload, cleanUp, cleanUpJob } from './visits.ts'

/** Background jobs of this module. */
export const jobs = {
  /** Deletes the visits of a deleted funnel or step in batches. */
  [cleanUpJob]: async (system: System, { accountId, ...scope }: CleanUpPayload): Promise<void> => {
    await cleanUp(newCtx(system, { accountId }), scope)
  },
  /** Sends the e-mail that asks a contact to confirm an opt-in. */
  [confirmationJob]: runConfirmationJob,
}
