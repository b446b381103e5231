import type { Ctx } from '../db/context.ts'
import type { Sql } from '../db/sql.ts'
import { newPorts } from '../kernel/ports.ts'

/** How a contact is related to the rows of a higher module, for filters. */
export type ContactRelation =
  | 'SEQUENCES'
  | 'FORMS'
  | 'CAMPAIGNS_SENT'
  | 'CAMPAIGNS_OPENED'
  | 'CAMPAIGNS_NOT_OPENED'
  | 'CAMPAIGNS_CLICKED'
  | 'CAMPAIGNS_NOT_CLICKED'
  | 'ORDERS'

/** Functions of higher modules that the operations of this module call in the same transaction. */
export interface Ports {
  /** Enrols a contact in sequences. Skips unknown ids and sequences without stages. Errors name the input field `field`. */
  enrol(tx: Ctx, contactId: number, sequenceIds: readonly number[], field: string): Promise<void>
  /** Enrols many contacts in sequences. Also skips contacts that cannot have another enrolment. */
  enrolAll(tx: Ctx, contactIds: readonly number[], sequenceIds: readonly number[]): Promise<void>
  /** Removes contacts from all sequences. */
  leaveAll(tx: Ctx, contactIds: readonly number[]): Promise<void>
  /** Links records that a module stores by e-mail address to the contacts that now have this address. */
  linkByAddress(tx: Ctx, contactIds: readonly number[]): Promise<void>
  /** Returns why a contact must be kept, or undefined if it may be deleted. The contact's row is locked. */
  reasonToKeep(tx: Ctx, contactId: number): Promise<string | undefined>
  /**
   * Cancels the open work for a contact that is about to be deleted, and removes its personal values. Rows that statistics
   * count stay, with the bare id of the contact. The contact's row is locked.
   */
  redact(tx: Ctx, contactId: number): Promise<void>
  /**
   * Returns SQL that selects the ids of the contacts that are related to any of the rows, or to any row if `ids` is
   * undefined. It may repeat an id.
   */
  selectContacts(ctx: Ctx, relation: ContactRelation, ids: readonly number[] | undefined): Sql
  /** Finds the campaigns that can still be sent and whose audiences use a segment: the first names, and the number of all. */
  campaignsWithSegment(tx: Ctx, segmentId: number): Promise<{ names: readonly string[]; total: number }>
  /** Returns those of the ids that rows of a type of a higher module have. */
  existingIds(ctx: Ctx, type: string, ids: readonly number[]): Promise<readonly number[]>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('contacts')
