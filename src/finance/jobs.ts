import type { System } from '../db/context.ts'
import { forgetOldEvents } from './provider-events.ts'

/** The background work of this room. */
export const jobs = {
  /** Deletes what was known of providers' messages that none of them repeats any more. */
  'finance:forget-events': (system: System): Promise<void> => forgetOldEvents(system),
}
