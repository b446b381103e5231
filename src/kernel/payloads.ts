import type { Caller, Scope } from './scopes.ts'

/** An event of the log, for which a webhook receives a payload. */
export interface EventRecord {
  readonly accountId: number
  readonly type: string
  /** Position in the event log. 0 for an event that is not in the log. */
  readonly position: bigint
  readonly data: unknown
  readonly createdAt: Date
}

/** Creates the payloads of webhooks. */
export interface Payloads {
  /** Returns the resource of the event in the format of the REST API, with only IDs if the object was deleted. */
  resource(caller: Caller, event: EventRecord): Promise<unknown>
  /** Returns the data that a webhook's subscription document selects. */
  selection(caller: Caller, document: string, event: EventRecord): Promise<unknown>
  /** Returns the scopes of all data in a payload: the REST resource, or the selection of a document. */
  needs(type: string, document: string | null): Promise<readonly Scope[]>
  /** Returns why a document cannot be the payload of a webhook, as sentences. Empty if it can. */
  faults(caller: Caller, document: string): Promise<string[]>
}
