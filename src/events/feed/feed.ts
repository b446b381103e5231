import { LRUCache } from 'lru-cache'
import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { expired, type Feed, type FeedSelection, type Source, type StampedEvent } from '../../kernel/feed.ts'
import { loop } from '../../kernel/work/loop.ts'
import { storedEvents } from './stored-events.ts'

/** The maximum number of stored events per query. */
const pageSize = 200

/** The buffer limit of one subscriber. A subscriber that falls behind further is ended. Events are shared by all subscribers. */
const maxBuffered = 2_000

/** What the feed needs. It is itself a dependency of operations. */
type FeedSystem = Pick<System, 'db' | 'log'>

/** Delay before a failed query of stored events is retried. */
const retryDelayMs = 500

interface RunningFeed extends Feed {
  /** Makes the feed check for new events, if anyone subscribes to events. */
  wake(): void
  stop(): Promise<void>
}

/**
 * Reads the log for all subscriptions of this process, with one query for all of them. A subscriber first gets stored events at
 * its own speed, then new events from memory.
 */
export async function runFeed(system: FeedSystem): Promise<RunningFeed> {
  const subscribers = new Map<number, Set<Subscriber>>()
  // Lets subscribers that read the same stored events share the objects, and what is derived from them.
  const recent = new LRUCache<bigint, StampedEvent>({ max: 2 * maxBuffered })
  let tail = (await logEnds(system)).position
  /** The running query. A subscriber of an account that it does not cover must not go live before it ends. */
  let current: { readonly accounts: ReadonlySet<number>; readonly done: Promise<void> } | undefined

  const known = (events: StampedEvent[]) =>
    events.map((event) => {
      const first = recent.get(event.position)
      if (!first) recent.set(event.position, event)
      return first ?? event
    })

  const read = async (): Promise<boolean> => {
    // Read before the events, so that all events up to it are visible.
    const { position: end } = await logEnds(system)
    if (end <= tail) return false
    const accounts = [...subscribers.keys()]
    const { promise: done, resolve: finish } = Promise.withResolvers<void>()
    current = { accounts: new Set(accounts), done }
    try {
      const events =
        accounts.length === 0 ? [] : known(await eventsBetween(system, { accounts, after: tail, end, limit: pageSize }))
      for (const event of events) for (const each of subscribers.get(event.accountId) ?? []) each.hear(event)
      tail = events.length === pageSize ? (events.at(-1) as StampedEvent).position : end
    } finally {
      current = undefined
      finish()
    }
    return tail < end
  }

  const past = async ({ accountId, types, subjects = {} }: FeedSelection, after: bigint): Promise<StoredBatch> => {
    if (current && !current.accounts.has(accountId)) await current.done
    const end = tail
    const isAll = (reached: bigint) => reached >= tail && (!current || current.accounts.has(accountId))
    if (after >= end) return { events: [], reached: after, isAll }
    const statement = system.db.$statement(accountId)
    const isAboutAny = Object.keys(subjects).length === 0
    const events = known(
      isAboutAny
        ? await eventsBetween(system, { accounts: [accountId], after, end, limit: pageSize, types })
        : await statement<StampedEvent>`${storedEvents(statement.account, {
            ...{ types, subjects, after, before: end + 1n },
            ...{ direction: 'ASC', limit: pageSize },
          })}`,
    )
    // A partition that was dropped during the query may be missing.
    if ((await logEnds(system)).dropped > after) throw expired()
    return { events, reached: events.length === pageSize ? (events.at(-1) as StampedEvent).position : end, isAll }
  }

  const running = loop('feed', read, { log: system.log })
  return {
    position: () => tail,
    follow: async (selection) => {
      const { position, dropped } = await logEnds(system)
      const after = selection.after ?? position
      if (after < dropped) throw expired()
      if (after > position) throw invalid({ after: ['must be a cursor of this server'] })
      const group = subscribers.get(selection.accountId) ?? new Set()
      const subscriber = new Subscriber(system, selection, after, past, () => {
        group.delete(subscriber)
        if (group.size === 0 && subscribers.get(selection.accountId) === group) subscribers.delete(selection.accountId)
      })
      subscribers.set(selection.accountId, group.add(subscriber))
      if (tail < position) running.wake()
      return subscriber
    },
    // Without subscribers, only the position is needed, and it may be a second old.
    wake: () => {
      if (subscribers.size > 0) running.wake()
    },
    stop: async () => {
      await running.stop()
      for (const group of subscribers.values()) for (const each of group) await each.return()
    },
  }
}

/** A batch of stored events, the position that it reaches, and whether no more are stored at the time of the call. */
interface StoredBatch {
  readonly events: StampedEvent[]
  readonly reached: bigint
  isAll(reached: bigint): boolean
}

type Result = IteratorResult<StampedEvent>

/**
 * A subscriber. It is not an async generator, because the `return` of one would wait for a pending `next`.
 */
class Subscriber implements Source {
  onBreak: Source['onBreak']
  readonly #system: FeedSystem
  readonly #selection: FeedSelection
  readonly #types: ReadonlySet<string>
  readonly #past: (selection: FeedSelection, after: bigint) => Promise<StoredBatch>
  readonly #leave: () => void
  /** All events up to this position were put into the buffer. */
  #position: bigint
  #isLive = false
  #isReading = false
  #isEnded = false
  #buffer: StampedEvent[] = []
  #nextIndex = 0
  #waiting: ((taken: Result) => void) | undefined

  constructor(
    system: FeedSystem,
    selection: FeedSelection,
    after: bigint,
    past: (selection: FeedSelection, after: bigint) => Promise<StoredBatch>,
    leave: () => void,
  ) {
    this.#system = system
    this.#selection = selection
    this.#types = new Set(selection.types)
    this.#position = after
    this.#past = past
    this.#leave = leave
  }

  [Symbol.asyncIterator]() {
    return this
  }

  next(): Promise<Result> {
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined })
    const event = this.#buffer[this.#nextIndex]
    if (event) {
      this.#nextIndex += 1
      if (this.#nextIndex === this.#buffer.length) {
        this.#buffer = []
        this.#nextIndex = 0
      }
      return Promise.resolve({ done: false, value: event })
    }
    return new Promise((resolve) => {
      this.#waiting = resolve
      if (!this.#isLive && !this.#isReading) this.#catchUp()
    })
  }

  return(): Promise<Result> {
    this.#end()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Receives a new event. Ignored while stored events are still being read. */
  hear(event: StampedEvent): void {
    if (!this.#isLive || event.position <= this.#position) return
    this.#position = event.position
    this.#give(event)
  }

  #give(event: StampedEvent): void {
    if (!this.#types.has(event.type) || !isAbout(event, this.#selection) || this.#selection.isWanted?.(event) === false)
      return
    const waiting = this.#waiting
    if (waiting) {
      this.#waiting = undefined
      waiting({ done: false, value: event })
    } else if (this.#buffer.length - this.#nextIndex < maxBuffered) {
      this.#buffer.push(event)
    } else {
      this.#break('slow')
    }
  }

  /** Reads stored events until one can be delivered, or none is left. */
  async #catchUp(): Promise<void> {
    this.#isReading = true
    while (!this.#isEnded && !this.#isLive && this.#waiting) {
      try {
        const { events, reached, isAll } = await this.#past(this.#selection, this.#position)
        if (this.#isEnded) break
        for (const event of events) this.#give(event)
        this.#position = reached
        // No event can arrive in between, because both happen synchronously.
        this.#isLive = isAll(reached)
      } catch (error) {
        if (error instanceof Refusal) return this.#break('expired')
        this.#system.log.warn({ err: error }, 'reading the event log failed, will retry')
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs))
      }
    }
    this.#isReading = false
  }

  #break(why: 'slow' | 'expired'): void {
    this.#end()
    this.onBreak?.(why)
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#leave()
    this.#buffer = []
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }
}

function isAbout({ data }: StampedEvent, { subjects = {} }: FeedSelection): boolean {
  return Object.entries(subjects).every(([field, ids]) => ids.includes((data as Record<string, number>)[field] ?? 0))
}

/** Returns the last position, and the last position that is no longer stored. */
export async function logEnds(system: Pick<FeedSystem, 'db'>): Promise<{ position: bigint; dropped: bigint }> {
  const [counter] = await system.db.$unscoped<{ position: bigint; dropped: bigint }>(
    'positions are counted over all accounts',
    sql`SELECT position, dropped FROM event_counter`,
  )
  return counter ?? { position: 0n, dropped: 0n }
}

interface EventRange {
  accounts: number[]
  after: bigint
  end: bigint
  limit: number
  types?: readonly string[]
}

async function eventsBetween(
  system: FeedSystem,
  { accounts, after, end, limit, types }: EventRange,
): Promise<StampedEvent[]> {
  return system.db.$unscoped<StampedEvent>(
    'one query serves the subscriptions of all accounts',
    sql`
      SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt" FROM outbox_event
      WHERE account_id = ANY(${accounts}::int[]) AND position > ${after} AND position <= ${end}
        AND (${types ?? null}::text[] IS NULL OR type = ANY(${types ?? null}::text[]))
      ORDER BY position LIMIT ${limit}`,
  )
}
