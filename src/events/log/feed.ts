import { LRUCache } from 'lru-cache'
import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { expired, type Feed, type Source, type StampedEvent, type Wish } from '../../kernel/feed.ts'
import { loop } from '../../kernel/loop.ts'

/** How many events of the past are read at once. */
const pageSize = 200

/** How many events may lie for someone who does not take them. They are shared by all who hear of them. */
const mostUntaken = 2_000

/** How long a read of the past that failed waits before it is tried again, in milliseconds. */
const retryPause = 500

/** A feed that runs. */
export interface RunningFeed extends Feed {
  /** Looks for new events soon. */
  wake(): void
  stop(): Promise<void>
}

/**
 * Follows the log in this process: one read for all who listen, however many they are. Who listens gets the past from the
 * log first, as fast as it takes it, and what is new from memory after that.
 */
export async function runFeed(system: System): Promise<RunningFeed> {
  const followers = new Map<number, Set<Follower>>()
  // So that all who read the same part of the past hear of the same objects, and share what is made of them.
  const recent = new LRUCache<bigint, StampedEvent>({ max: 2 * mostUntaken })
  let tail = (await ends(system)).position
  /** The read that runs just now: whoever is not among its accounts must not go live before it is done. */
  let current: { readonly accounts: ReadonlySet<number>; readonly done: Promise<void> } | undefined

  const known = (events: StampedEvent[]) =>
    events.map((event) => {
      const first = recent.get(event.position)
      if (!first) recent.set(event.position, event)
      return first ?? event
    })

  const read = async (): Promise<boolean> => {
    // Read before the events are: all up to it can be seen.
    const { position: end } = await ends(system)
    if (end <= tail) return false
    const accounts = [...followers.keys()]
    const { promise: done, resolve: finish } = Promise.withResolvers<void>()
    current = { accounts: new Set(accounts), done }
    try {
      const events =
        accounts.length === 0 ? [] : known(await between(system, { accounts, after: tail, end, limit: pageSize }))
      for (const event of events) for (const each of followers.get(event.accountId) ?? []) each.hear(event)
      tail = events.length === pageSize ? (events.at(-1) as StampedEvent).position : end
    } finally {
      current = undefined
      finish()
    }
    return tail < end
  }

  const past = async ({ accountId, types }: Wish, after: bigint): Promise<Past> => {
    if (current && !current.accounts.has(accountId)) await current.done
    const end = tail
    const isAll = (reached: bigint) => reached >= tail && (!current || current.accounts.has(accountId))
    if (after >= end) return { events: [], reached: after, isAll }
    const events = known(await between(system, { accounts: [accountId], after, end, limit: pageSize, types }))
    // What was dropped while we read may be missing.
    if ((await ends(system)).dropped > after) throw expired()
    return { events, reached: events.length === pageSize ? (events.at(-1) as StampedEvent).position : end, isAll }
  }

  const running = loop('feed', read, { log: system.log })
  return {
    position: () => tail,
    follow: async (wish) => {
      const { position, dropped } = await ends(system)
      const after = wish.after ?? position
      if (after < dropped) throw expired()
      if (after > position) throw invalid({ after: ['names no event of this server'] })
      const company = followers.get(wish.accountId) ?? new Set()
      const follower = new Follower(system, wish, after, past, () => {
        company.delete(follower)
        if (company.size === 0 && followers.get(wish.accountId) === company) followers.delete(wish.accountId)
      })
      followers.set(wish.accountId, company.add(follower))
      return follower
    },
    wake: running.wake,
    stop: async () => {
      await running.stop()
      for (const company of followers.values()) for (const each of company) await each.return()
    },
  }
}

/** A part of the past: its events, how far it reaches, and whether that is all, at the moment of asking. */
interface Past {
  readonly events: StampedEvent[]
  readonly reached: bigint
  isAll(reached: bigint): boolean
}

type Taken = IteratorResult<StampedEvent>

/**
 * Someone who listens. It is written by hand, not as an async generator: whose `return` would wait behind a `next` that
 * never comes.
 */
class Follower implements Source {
  onBreak: Source['onBreak']
  readonly #system: System
  readonly #wish: Wish
  readonly #types: ReadonlySet<string>
  readonly #past: (wish: Wish, after: bigint) => Promise<Past>
  readonly #leave: () => void
  /** Up to here all was put into `untaken`. */
  #at: bigint
  #isLive = false
  #isReading = false
  #isEnded = false
  #untaken: StampedEvent[] = []
  #taken = 0
  #waiting: ((taken: Taken) => void) | undefined

  constructor(
    system: System,
    wish: Wish,
    after: bigint,
    past: (wish: Wish, after: bigint) => Promise<Past>,
    leave: () => void,
  ) {
    this.#system = system
    this.#wish = wish
    this.#types = new Set(wish.types)
    this.#at = after
    this.#past = past
    this.#leave = leave
  }

  [Symbol.asyncIterator]() {
    return this
  }

  next(): Promise<Taken> {
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined })
    const event = this.#untaken[this.#taken]
    if (event) {
      this.#taken += 1
      if (this.#taken === this.#untaken.length) {
        this.#untaken = []
        this.#taken = 0
      }
      return Promise.resolve({ done: false, value: event })
    }
    return new Promise((resolve) => {
      this.#waiting = resolve
      if (!this.#isLive && !this.#isReading) this.#catchUp()
    })
  }

  return(): Promise<Taken> {
    this.#end()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Hears of a new event; nothing, while it still reads of the past. */
  hear(event: StampedEvent): void {
    if (!this.#isLive || event.position <= this.#at) return
    this.#at = event.position
    this.#give(event)
  }

  #give(event: StampedEvent): void {
    if (!this.#types.has(event.type) || this.#wish.isWanted?.(event) === false) return
    const waiting = this.#waiting
    if (waiting) {
      this.#waiting = undefined
      waiting({ done: false, value: event })
    } else if (this.#untaken.length - this.#taken < mostUntaken) {
      this.#untaken.push(event)
    } else {
      this.#break('slow')
    }
  }

  /** Reads on in the past until someone can be told something, or there is no past left. */
  async #catchUp(): Promise<void> {
    this.#isReading = true
    while (!this.#isEnded && !this.#isLive && this.#waiting) {
      try {
        const { events, reached, isAll } = await this.#past(this.#wish, this.#at)
        if (this.#isEnded) break
        for (const event of events) this.#give(event)
        this.#at = reached
        // Nothing may come between asking and hearing: both are in this one moment.
        this.#isLive = isAll(reached)
      } catch (error) {
        if (error instanceof Refusal) return this.#break('expired')
        this.#system.log.warn({ err: error }, 'the log could not be read; it is tried again')
        await new Promise((resolve) => setTimeout(resolve, retryPause))
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
    this.#untaken = []
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }
}

/** The last position, and the highest one that is no longer kept. */
async function ends(system: System): Promise<{ position: bigint; dropped: bigint }> {
  const [counter] = await system.db.$unscoped<{ position: bigint; dropped: bigint }>(
    'positions are counted over all accounts',
    sql`SELECT position, dropped FROM event_counter`,
  )
  return counter ?? { position: 0n, dropped: 0n }
}

interface Stretch {
  accounts: number[]
  after: bigint
  end: bigint
  limit: number
  types?: readonly string[]
}

async function between(system: System, { accounts, after, end, limit, types }: Stretch): Promise<StampedEvent[]> {
  return system.db.$unscoped<StampedEvent>(
    'one read serves all accounts that someone listens for',
    sql`
      SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt" FROM outbox_event
      WHERE account_id = ANY(${accounts}::int[]) AND position > ${after} AND position <= ${end}
        AND (${types ?? null}::text[] IS NULL OR type = ANY(${types ?? null}::text[]))
      ORDER BY position LIMIT ${limit}`,
  )
}
