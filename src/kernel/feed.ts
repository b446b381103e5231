import { refuse } from './errors.ts'

/** An event with its position in the event log. */
export interface StampedEvent {
  readonly accountId: number
  /** Position over all accounts, without gaps. Positions are never reused. */
  readonly position: bigint
  readonly id: bigint
  readonly type: string
  readonly data: unknown
  readonly createdAt: Date
}

/** Fields of the data of events, each with the ids that select an event. All fields must match. */
export type Subjects = Readonly<Record<string, readonly number[]>>

/** The events of an account that a subscription selects. */
export interface FeedSelection {
  readonly accountId: number
  /** Selects events after this position. Defaults to events from now on. */
  readonly after?: bigint | undefined
  readonly types: readonly string[]
  /** The objects that the events are about. Defaults to all. */
  readonly subjects?: Subjects | undefined
  /** Further condition on events of these types. */
  readonly isWanted?: ((event: StampedEvent) => boolean) | undefined
}

/**
 * The selected events in their order, without gaps and duplicates: past events first, then new events as they occur.
 */
export interface Source extends AsyncIterableIterator<StampedEvent> {
  return(): Promise<IteratorResult<StampedEvent>>
  /**
   * Called once if the source had to end: `slow` if the consumer is slower than the events, `expired` if the next
   * events are no longer kept.
   */
  onBreak: ((why: 'slow' | 'expired') => void) | undefined
}

/** Source of events for subscriptions. */
export interface Feed {
  /** Returns the selected events. Throws CURSOR_EXPIRED if events after the position are no longer kept. */
  follow(selection: FeedSelection): Promise<Source>
  /**
   * Returns a recent position. A client that reads state after this call and follows from this position misses no
   * event.
   */
  position(): bigint
}

/** Returns the cursor of a position. */
export function cursorOf(position: bigint): string {
  return Buffer.from(`event:${position}`).toString('base64url')
}

/** Returns the position of a cursor, or undefined if `cursorOf` did not create it. */
export function positionOf(cursor: string): bigint | undefined {
  const digits = /^event:(0|[1-9]\d{0,17})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (digits === undefined) return undefined
  const position = BigInt(digits)
  return cursorOf(position) === cursor ? position : undefined
}

/** Creates the error for a cursor whose next events are no longer kept. */
export function expired() {
  return refuse(
    'CURSOR_EXPIRED',
    'The events after this cursor are no longer kept. Read the state anew, with `eventCursor`, and follow from there.',
  )
}
