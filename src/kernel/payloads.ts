import type { Caller, Scope } from './scopes.ts'

/** An event as it is told to the outside. */
export interface Told {
  readonly accountId: number
  readonly type: string
  /** Its place in the log; 0 where it has none. */
  readonly position: bigint
  readonly data: unknown
  /** When it happened. */
  readonly createdAt: Date
}

/** What an event says to those outside of the graph: only the composition root knows the shapes, for it knows the graph. */
export interface Payloads {
  /** What `/v1` shows of it, as far as the caller may read; ids alone where what it is about has gone. */
  resource(caller: Caller, event: Told): Promise<unknown>
  /** What a subscription's document selects of it. */
  selection(caller: Caller, document: string, event: Told): Promise<unknown>
  /** The scopes of all that a payload of such an event shows to full access: what `/v1` shows, or what a document selects. */
  needs(type: string, document: string | null): Promise<readonly Scope[]>
  /** Why a document cannot stand for a webhook's payload, in sentences; nothing where it can. */
  faults(caller: Caller, document: string): Promise<string[]>
}
