import type { System } from '../db/context.ts'
import { removeOldEvents } from './recording/provider-events.ts'

/** The background jobs of this module. */
export const jobs = {
  /** Deletes provider events after their retention time. */
  'finance:forget-events': (system: System): Promise<void> => removeOldEvents(system),
}
