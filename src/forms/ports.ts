import type { Ctx } from '../db/context.ts'
import type { Consent } from './submission-contact.ts'

/** A submission that has just been completed; the contact is null where nobody is known to have made it. */
export interface Completed {
  readonly formId: number
  readonly submissionId: number
  readonly contactId: number | null
  /** Whether it is yet to be proven that the contact's address is the visitor's own. */
  readonly isUnproven: boolean
  /** Whether the contact existed before, and its address was not proven to be the visitor's own. */
  readonly isStranger: boolean
  /** What the visitor agreed to beside the answers, and where. */
  readonly consent?: Consent | undefined
}

/** What rooms above this one add to its operations, in the same transaction. */
export interface Ports {
  /** What else a completed submission means: for the form of a funnel step, that someone has opted in. */
  completed(tx: Ctx, completed: Completed): Promise<void>
}

/** How things are while no room above has anything to add. */
export const ports: Ports = { completed: async () => undefined }

/** Plugs in what the rooms above add. */
export function fillPorts(given: Partial<Ports>): void {
  Object.assign(ports, given)
}
