import type { Ctx } from '../db/context.ts'
import type { Leaf } from '../db/filters/conditions.ts'
import type { Maybe, Place } from '../db/filters/filter.ts'
import type { NumberFilter, TextFilter, TimeFilter } from '../db/filters/value-conditions.ts'
import type { ErasedPerson, ErasureStep } from '../db/persons/erasure.ts'
import type { Sql } from '../db/sql.ts'
import { newPorts } from '../kernel/ports.ts'
import type { Scope } from '../kernel/scopes.ts'

/** How a contact is related to the rows of a higher module, for filters. */
export type ContactRelation =
  | 'SEQUENCES'
  | 'NEXT_STAGES'
  | 'STAGES_SENT'
  | 'STAGES_OPENED'
  | 'STAGES_CLICKED'
  | 'FORMS'
  | 'OUTCOMES'
  | 'FUNNELS_VISITED'
  | 'STEPS_VISITED'
  | 'CAMPAIGNS_SENT'
  | 'CAMPAIGNS_OPENED'
  | 'CAMPAIGNS_NOT_OPENED'
  | 'CAMPAIGNS_CLICKED'
  | 'CAMPAIGNS_NOT_CLICKED'
  | 'ORDERS'
  | 'SUPPRESSION'

/** An object of a higher module that belongs to a contact. */
export type OwnedObject = 'ORDER' | 'SUBSCRIPTION' | 'SUBMISSION'

/** What rows of a higher module that belong to a contact have one of a set of values of, for filters. */
export type ContactTrait = 'SUBSCRIPTION_STATUS' | 'SUPPRESSION_REASON' | 'SUPPRESSION_CAUSE'

/**
 * Condition on the completed orders of a contact. A contact without any has the number and the value 0, and no times.
 * `lifetimeValue` is in `currency`, by default that of the account.
 */
export interface PurchasesFilter {
  readonly orders?: Maybe<NumberFilter>
  readonly lifetimeValue?: Maybe<NumberFilter>
  readonly currency?: Maybe<string>
  readonly firstOrderAt?: Maybe<TimeFilter>
  readonly lastOrderAt?: Maybe<TimeFilter>
}

/** Conditions on the sales to a contact. */
export interface SalesConditions {
  purchases(value: PurchasesFilter, place: Place): Promise<Leaf[]>
  products(value: TextFilter, place: Place): Leaf[]
}

/** A contact that is merged into another one, or into which another one is merged. */
export interface MergedContact {
  readonly id: number
  readonly email: string
}

/** Result of enrolling contacts: ids of contacts. */
interface EnrolmentResult {
  readonly enrolled: ReadonlySet<number>
  /** Contacts that would be in too many sequences. */
  readonly aboveLimit: ReadonlySet<number>
}

/** Where the entries of one type come from: the table that stores them already. Each module declares those of its tables. */
export interface TimelineSource {
  /** Order of entries with the same time: higher ranks are newer. Unique, and never changed, because cursors contain it. */
  readonly rank: number
  /** Name of the GraphQL type of the entries. */
  readonly kind: string
  /** Scope that a key needs to read the entries. */
  readonly needs: Scope
  readonly description: string
  /** Columns with the time and the id of an entry. An index must begin with what `from` compares and continue with them. */
  readonly at: Sql
  readonly id: Sql
  /** JSON with the ids of linked rows, and the values of the entry. */
  readonly data: Sql
  /** Returns `FROM … WHERE …` with conditions on the account and on `parent.id`, the id of the contact. */
  readonly from: (ctx: Ctx) => Sql
  /** Returns a query that reads `entries` for each of several rows, if more than one belongs to a contact. */
  readonly around?: (ctx: Ctx, entries: Sql) => Sql
}

/** Functions of higher modules that the operations of this module call in the same transaction. */
export interface Ports {
  /** Enrols a contact in sequences. Skips unknown ids and sequences without stages. Errors name the input field `field`. */
  enrol(tx: Ctx, contactId: number, sequenceIds: readonly number[], field: string): Promise<void>
  /**
   * Enrols many contacts in sequences. Also skips contacts that cannot have that many more enrolments. Returns the ids of
   * the contacts that were enrolled, and of those that were skipped.
   */
  enrolAll(tx: Ctx, contactIds: readonly number[], sequenceIds: readonly number[]): Promise<EnrolmentResult>
  /** Removes contacts from sequences, or from all sequences. Returns the ids of the contacts that were in one of them. */
  leaveAll(tx: Ctx, contactIds: readonly number[], sequenceIds?: readonly number[]): Promise<readonly number[]>
  /**
   * Throws NOT_FOUND if a sequence does not exist, and with `isEnrolling` SEQUENCE_HAS_NO_STAGES if contacts cannot be
   * enrolled in it.
   */
  mustBeSequences(
    tx: Ctx,
    sequenceIds: readonly number[],
    options: { path: string; isEnrolling: boolean },
  ): Promise<void>
  /**
   * Suppresses addresses that are different, in all their spellings. An existing suppression stays, except that a complaint
   * replaces other reasons.
   */
  suppressAll(
    tx: Ctx,
    addresses: readonly { email: string; reason: 'BOUNCE' | 'COMPLAINT'; detail: string }[],
  ): Promise<unknown>
  /** Links records that a module stores by e-mail address to the contacts that now have this address. */
  linkByAddress(tx: Ctx, contactIds: readonly number[]): Promise<void>
  /** Returns why contacts must be kept, by their ids. The other contacts may be deleted. Their rows are locked. */
  reasonsToKeep(tx: Ctx, contactIds: readonly number[]): Promise<ReadonlyMap<number, string>>
  /**
   * Cancels the open work for contacts that are about to be deleted, and removes their personal values. Rows that statistics
   * count stay, with the bare ids of the contacts. Their rows are locked.
   */
  redact(tx: Ctx, contactIds: readonly number[]): Promise<void>
  /**
   * Returns the ids of the objects of a contact by the field of an event that contains one, and further e-mail addresses of the
   * person. The contact's row is locked.
   */
  identify(tx: Ctx, contactId: number): Promise<{ refs: Record<string, readonly number[]>; emails: readonly string[] }>
  /**
   * Gives the records of a contact that is about to be deleted to another one, without sending it anything twice. The rows of
   * both contacts are locked. `into` is the field of the input that errors name.
   */
  merge(tx: Ctx, from: MergedContact, into: MergedContact): Promise<void>
  /** Removes the person from records that are found by an id or an address, after the contact was deleted. */
  erase(tx: Ctx, person: ErasedPerson, isOptedOut: boolean): Promise<void>
  /** Steps that remove an erased person from other records, in the background. */
  readonly erasureSteps: readonly ErasureStep[]
  /**
   * Returns SQL that selects the ids of the contacts that are related to any of the rows, or to any row if `ids` is
   * undefined. It may repeat an id.
   */
  selectContacts(ctx: Ctx, relation: ContactRelation, ids: readonly number[] | undefined): Sql
  /** Returns SQL that selects the ids of the contacts that have a trait with any of the values. It may repeat an id. */
  selectContactsWith(ctx: Ctx, trait: ContactTrait, values: readonly string[]): Sql
  /** Returns SQL that selects the contact (`id`) of each object (`via`) that belongs to one. */
  selectOwners(ctx: Ctx, of: OwnedObject, ids: readonly number[]): Sql
  readonly sales: SalesConditions
  /** Reads a value of the input type `ContactFilterInput` in a document, or returns the end of a sentence about what is wrong. */
  parseFilter(value: unknown): { readonly value: object } | { readonly fault: string }
  /** Finds the campaigns that can still be sent and whose audiences use a segment: the first names, and the number of all. */
  campaignsWithSegment(tx: Ctx, segmentId: number): Promise<{ names: readonly string[]; total: number }>
  /** Counts the e-mails that name a topic. */
  emailsWithTopic(tx: Ctx, topicId: number): Promise<number>
  /** The sources of timelines, by the type of their entries. */
  readonly timeline: Readonly<Record<string, TimelineSource>>
  /** Returns those of the ids that rows of a type of a higher module have. */
  existingIds(ctx: Ctx, type: string, ids: readonly number[]): Promise<readonly number[]>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('contacts')
