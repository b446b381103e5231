import { refuse } from './errors.ts'

/** An event that has its place in the order of all events. */
export interface StampedEvent {
  readonly accountId: number
  /** Dense over all accounts: without a gap, and never given again. */
  readonly position: bigint
  readonly id: bigint
  readonly type: string
  readonly data: unknown
  readonly createdAt: Date
}

/** What someone wants to hear of the events of an account. */
export interface Wish {
  readonly accountId: number
  /** Only what comes after this position; what comes from now on where absent. */
  readonly after?: bigint | undefined
  readonly types: readonly string[]
  /** A narrower choice among these types. */
  readonly isWanted?: ((event: StampedEvent) => boolean) | undefined
}

/** The events of a wish in their order, without a gap and without a repeat: those of the past first, then as they come. */
export interface Source extends AsyncIterableIterator<StampedEvent> {
  return(): Promise<IteratorResult<StampedEvent>>
  /** Called once where it had to end: events came faster than they were taken, or what was to come is no longer kept. */
  onBreak: ((why: 'slow' | 'expired') => void) | undefined
}

/** Where subscriptions hear of events. */
export interface Feed {
  /** Fails with CURSOR_EXPIRED where events after the position are no longer kept. */
  follow(wish: Wish): Promise<Source>
  /**
   * A position that this process knew a moment ago: whoever reads state after having asked for it misses nothing by
   * following from here.
   */
  position(): bigint
}

/** The text by which a client names a position. */
export function cursorOf(position: bigint): string {
  return Buffer.from(`event:${position}`).toString('base64url')
}

/** The position that a cursor names, or undefined where it is none that `cursorOf` made. */
export function positionOf(cursor: string): bigint | undefined {
  const digits = /^event:(0|[1-9]\d{0,17})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (digits === undefined) return undefined
  const position = BigInt(digits)
  return cursorOf(position) === cursor ? position : undefined
}

/** What to throw where events after a cursor are gone. */
export function expired() {
  return refuse(
    'CURSOR_EXPIRED',
    'The events after this cursor are no longer kept. Read the state anew, with `eventCursor`, and follow from there.',
  )
}
