import { confirmationJob, runConfirmationJob } from './opt-in/confirmation-email.ts'
import { enqueueReminders, reminderJob, runReminderJob } from './opt-in/reminders.ts'
import { cleanUpJob, runVisitCleanUp } from './visits/visit-removal.ts'

/** Background jobs of this module. */
export const jobs = {
  /** Deletes the visits of a deleted funnel or step in batches. */
  [cleanUpJob]: runVisitCleanUp,
  /** Sends the e-mail that asks a contact to confirm an opt-in. */
  [confirmationJob]: runConfirmationJob,
  /** Sends it once more. */
  [reminderJob]: runReminderJob,
  /** Enqueues the reminders that are due. */
  'confirmations:remind': enqueueReminders,
}
