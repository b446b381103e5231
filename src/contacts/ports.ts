import type { Ctx } from '../db/context.ts'

/** What rooms above this one add to its operations, in the same transaction. */
export interface Ports {
  /** Enrols a contact in sequences; ids that are unknown, and sequences without stages, are skipped. */
  enrol(tx: Ctx, contactId: number, sequenceIds: readonly number[]): Promise<void>
  /** The same for many contacts; who has no room for them is skipped too. */
  enrolAll(tx: Ctx, contactIds: readonly number[], sequenceIds: readonly number[]): Promise<void>
  /** Takes contacts out of all sequences. */
  leaveAll(tx: Ctx, contactIds: readonly number[]): Promise<void>
  /** Links what a room keeps under an e-mail address to the contacts that have got that address. */
  linkByAddress(tx: Ctx, contactIds: readonly number[]): Promise<void>
  /** Why a contact must be kept, or undefined where it may be deleted. The contact's row is locked. */
  mayDelete(tx: Ctx, contactId: number): Promise<string | undefined>
  /**
   * Ends what is under way for a contact that is about to be deleted, and removes the personal values that modules keep of
   * it. Rows that figures count stay, with the bare id of the contact. The contact's row is locked.
   */
  redact(tx: Ctx, contactId: number): Promise<void>
}

/** How things are while no room above has anything to add. */
export const ports: Ports = {
  enrol: async () => undefined,
  enrolAll: async () => undefined,
  leaveAll: async () => undefined,
  linkByAddress: async () => undefined,
  mayDelete: async () => undefined,
  redact: async () => undefined,
}

/** Plugs in what the rooms above add. */
export function fillPorts(given: Partial<Ports>): void {
  Object.assign(ports, given)
}
