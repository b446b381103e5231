import type { Source, StampedEvent } from '../../kernel/feed.ts'

/** What happened to a list: it is read (again), or a row entered it, changed in it, or left it. */
export type ListChangeKind = 'LISTED' | 'ENTERED' | 'CHANGED' | 'LEFT'

/** The data of an element of the stream of a list. */
export interface ListChange {
  readonly kind: ListChangeKind
  /** Id of the row. Null for LISTED. */
  readonly id: number | null
  /** Number of rows of the list after the change. Null if it is not known. */
  readonly totalCount: number | null
  /** The filter of the list. */
  readonly filter: object
}

/** An element of the stream of a list: the event that caused it, with the change as its data. */
export type ListElement = StampedEvent & { readonly data: ListChange }

/** An element for those who follow a list. `isNews` is false for a row that left the list but was not in it before. */
export interface EvaluatedChange {
  readonly element: ListElement
  /** Id of the first event that named the row since it was evaluated before. The element has the last one. */
  readonly firstId: bigint
  readonly isNews: boolean
}

/** The maximum number of changes that one follower has not read. The list replaces more of them. */
const maxUnread = 1_000

interface FollowerOptions {
  /** Changes up to this position are known to the client. */
  readonly after: bigint
  /** Returns the element with which the client reads the list again. */
  readonly listed: () => ListElement
  /** Returns an id that all events have reached that were stored before the call. */
  readonly lastEventId: () => Promise<bigint>
  readonly onLeave: () => void
}

/** Returns a source with the changes of a list for one client. `isListed` is whether it begins with the list. */
export function newFollower({ after, listed, lastEventId, onLeave }: FollowerOptions, isListed: boolean) {
  const unread: ListElement[] = []
  let isEnded = false
  let isReady = isListed
  let waiting: ((taken: IteratorResult<StampedEvent>) => void) | undefined
  /**
   * What the client read can be newer than the evaluation of its changes: a row may have been there for a moment that the
   * evaluation missed. Until the event with this id, the client receives each row that is not in the list. Undefined while it
   * is read.
   */
  let readUntil: bigint | undefined
  let isReading = true
  let request = 0

  /** Called when the client has read what it reads, or the list has evaluated changes that the client knows already. */
  const readToNow = () => {
    isReading = false
    readUntil = undefined
    request += 1
    const own = request
    lastEventId().then(
      (id) => {
        if (!isReading && own === request) readUntil = id
      },
      () => undefined,
    )
  }
  const give = (element: ListElement) => {
    const waits = isReady ? waiting : undefined
    if (!waits) {
      unread.push(element)
      return
    }
    waiting = undefined
    deliver(element, waits)
  }
  const deliver = (element: ListElement, to: (taken: IteratorResult<StampedEvent>) => void) => {
    if (element.data.kind === 'LISTED') {
      readUntil = undefined
      isReading = true
    }
    to({ done: false, value: element })
  }
  const restart = () => {
    unread.length = 0
    give(listed())
  }
  const end = () => {
    if (isEnded) return
    isEnded = true
    unread.length = 0
    onLeave()
    waiting?.({ done: true, value: undefined })
    waiting = undefined
  }
  const source: Source = {
    onBreak: undefined,
    [Symbol.asyncIterator]: () => source,
    next: () => {
      if (isEnded) return Promise.resolve({ done: true, value: undefined })
      // The element before was sent, and with it the list.
      if (isReading) readToNow()
      const element = isReady ? unread.shift() : undefined
      const { promise, resolve } = Promise.withResolvers<IteratorResult<StampedEvent>>()
      if (element) deliver(element, resolve)
      else waiting = resolve
      return promise
    },
    return: () => {
      end()
      return Promise.resolve({ done: true, value: undefined })
    },
  }
  if (isListed) give(listed())
  return {
    source,
    restart,
    /** Ends the source. The client continues after its last cursor. */
    break: () => {
      end()
      source.onBreak?.('slow')
    },
    /** Receives changes, in their order. */
    hear: (changes: readonly EvaluatedChange[]) => {
      let isKnown = false
      for (const { element, firstId, isNews } of changes) {
        if (isEnded) return
        if (element.position <= after) {
          // The evaluation may have seen a later change of the row, and does not find that one to be news.
          if (!isReading && !isKnown) readToNow()
          isKnown = true
          continue
        }
        if (!isNews && readUntil !== undefined && firstId > readUntil) continue
        // The list that the client then reads contains the other changes.
        if (unread.length >= maxUnread) return restart()
        give(element)
      }
    },
    /** Receives the changes between the cursor of the client and its first `hear`. What it heard meanwhile follows. */
    resume: (changes: readonly ListElement[]) => {
      isReady = true
      const later = unread.splice(0)
      const isReplaced = later.some(({ data }) => data.kind === 'LISTED')
      for (const element of isReplaced ? later : [...changes, ...later]) give(element)
    },
  }
}

export type Follower = ReturnType<typeof newFollower>
