import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { newCtx, type System } from '../../db/context.ts'
import { matchingIds } from '../../db/lists/matching.ts'
import { sql } from '../../db/sql.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import type { Source, StampedEvent } from '../../kernel/feed.ts'
import { type Loop, loop } from '../../kernel/work/loop.ts'
import { logEnds } from '../feed/feed.ts'
import { storedEvents } from '../feed/stored-events.ts'
import { type AnyLiveDefinition, type FollowedEvents, followedEvents } from './followed-events.ts'
import { type EvaluatedChange, type Follower, type ListChange, type ListElement, newFollower } from './follower.ts'
import { addNamed, type NamedEvent, rowsOf } from './named-rows.ts'

/** Limits of one list. */
const limits = {
  /** Rows whose membership is remembered. Of a longer list, all rows that match are CHANGED, and all others LEFT. */
  members: 100_000,
  /** The same of all lists of a process together, each with about 30 bytes. */
  membersOfProcess: 2_000_000,
  /** Rows that are evaluated by one statement. */
  batch: 1_000,
  /** Rows that wait for their evaluation. Instead of more, the list is read again. */
  pending: 10_000,
  /** Events after the cursor of a client that are evaluated. Instead of more, the client reads the list again. */
  missed: 1_000,
} as const

/** Time between two evaluations: at least this, and four times as long as the last one took. */
const minPauseMs = 50

/** Age up to which clients share the result of reading a list. */
const sharedMs = 1_000

/** The rows whose membership the lists of a process remember. */
export interface Memory {
  rows: number
}

interface LiveListOptions {
  readonly system: System
  readonly accountId: number
  readonly definition: AnyLiveDefinition
  /** A checked filter. */
  readonly filter: object
  readonly followed: FollowedEvents
  readonly memory: Memory
  /** Runs a statement of the list, one at a time for each account. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Called when the list follows no more events. */
  readonly onEnd: () => void
}

/** A list with a filter that this process follows. */
export interface LiveList {
  /**
   * Follows the list after a position. Without one, or if it is too old, the first element is the list. Calls `onLeave` once.
   * **Throws** UNAVAILABLE if the list has ended.
   */
  follow(after: bigint | undefined, onLeave: () => void): Promise<Source>
  stop(): void
}

/** Opens a list: reads the rows that are in it, and evaluates those that later events name. */
export async function openLiveList(options: LiveListOptions): Promise<LiveList> {
  const { system, accountId, definition, filter, memory, inTurn } = options
  const { list } = definition
  const followers = new Set<Follower>()
  const pending = new Map<string, NamedEvent>()
  const entries = new Map<number, bigint>()
  let { followed } = options
  let members: Set<number> | undefined
  /** The number of members that `memory` contains. */
  let counted = 0
  let lastSeen = (await logEnds(system)).position
  /** All events up to this position are evaluated. */
  let position = lastSeen
  let resetAt: bigint | undefined
  let shared: ListElement | undefined
  let source: Source | undefined
  let running: Loop | undefined
  let isEnded = false
  const newContext = () => newCtx(system, { accountId })
  const types = () => [...followed.changes, ...followed.resets]

  /** Remembers members, unless there are too many of them in the list or in the process. */
  const keep = (next: Set<number> | undefined) => {
    const others = memory.rows - counted
    const isTooMany = next && (next.size > limits.members || others + next.size > limits.membersOfProcess)
    members = isTooMany ? undefined : next
    counted = members?.size ?? 0
    memory.rows = others + counted
  }
  const readMembers = async () => {
    const ids = await inTurn(() => matchingIds(newContext(), list, filter, { limit: limits.members + 1 }))
    keep(isEnded ? undefined : new Set(ids))
    entries.clear()
  }
  const changeOf = (kind: ListChange['kind'], id: number | null): ListChange => ({
    ...{ kind, id, filter },
    totalCount: members?.size ?? null,
  })
  const elementOf = (event: StampedEvent, data: ListChange): ListElement => ({ ...event, type: 'list', data })
  const listed = () => {
    const createdAt = system.clock.now()
    if (!shared || shared.position !== position || createdAt.getTime() - shared.createdAt.getTime() > sharedMs) {
      const event = { accountId, position, id: 0n, type: 'list', data: undefined, createdAt }
      shared = elementOf(event, changeOf('LISTED', null))
    }
    return shared
  }

  const hear = (event: StampedEvent) => {
    if (event.position > lastSeen) lastSeen = event.position
    if (followed.resets.has(event.type)) resetAt = event.position
    if (!followed.changes.has(event.type)) return
    addNamed(pending, event, definition)
    if (pending.size > limits.pending) resetAt = event.position
  }
  const end = () => {
    if (isEnded) return
    isEnded = true
    void running?.stop()
    source?.return()
    keep(undefined)
    for (const follower of [...followers]) follower.break()
    options.onEnd()
  }
  /** Reads the events that can change the list from now on, instead of those before. */
  const listen = async () => {
    const own = await system.feed.follow({ accountId, types: types(), after: lastSeen })
    source?.return()
    source = own
    const read = async () => {
      for await (const event of own) {
        hear(event)
        running?.wake()
      }
    }
    const finish = () => {
      if (source === own) end()
    }
    read().then(finish, finish)
  }

  /** Reads the list again, and has all followers read it again. A segment can be about other values than before. */
  const reset = async (at: bigint) => {
    const upTo = lastSeen
    const next = await followedEvents(newContext(), definition, filter)
    if (!isDeepStrictEqual(next, followed)) {
      followed = next
      await listen()
    }
    for (const [key, event] of pending) if (event.position <= upTo) pending.delete(key)
    await readMembers()
    position = upTo
    if (resetAt === at) resetAt = undefined
    for (const follower of followers) follower.restart()
  }

  /** Evaluates the rows that events named, the oldest events first. */
  const evaluate = async () => {
    const batch = [...pending].slice(0, limits.batch)
    const changes = await inTurn(async () => {
      const ctx = newContext()
      const rows = await rowsOf(ctx, definition, batch)
      const matching = new Set(await matchingIds(ctx, list, filter, { ids: [...rows.keys()] }))
      return [...rows].map(([id, event]) => evaluated(id, event, matching.has(id)))
    })
    for (const [key, event] of batch) if (pending.get(key) === event) pending.delete(key)
    const [next] = pending.values()
    position = next ? next.position - 1n : lastSeen
    keep(members)
    for (const follower of followers) follower.hear(changes)
  }
  const evaluated = (id: number, { firstId, ...event }: NamedEvent, matches: boolean): EvaluatedChange => {
    const isMember = members?.has(id)
    if (matches) members?.add(id)
    else members?.delete(id)
    if (isMember === false && matches) remember(entries, id, event.position)
    const kind = !matches ? 'LEFT' : isMember === false ? 'ENTERED' : 'CHANGED'
    return { element: elementOf(event, changeOf(kind, id)), firstId, isNews: matches || isMember !== false }
  }
  const work = async (): Promise<boolean> => {
    if (pending.size === 0 && resetAt === undefined) {
      position = lastSeen
      return false
    }
    const began = performance.now()
    try {
      await (resetAt === undefined ? evaluate() : reset(resetAt))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // The filter cannot be followed any more. Those who subscribe again receive the reason.
      end()
      return false
    }
    await pause(Math.max(minPauseMs, 4 * (performance.now() - began)))
    return pending.size > 0 || resetAt !== undefined
  }

  /** Returns the changes between the cursor of a client and the position of the list. Undefined if there are too many. */
  const missedSince = async (after: bigint, upTo: bigint): Promise<ListElement[] | undefined> => {
    if (after >= upTo) return []
    const ctx = newContext()
    const events = await ctx.sql<StampedEvent>`${storedEvents(ctx.sql.account, {
      ...{ types: types(), subjects: {}, after, before: upTo + 1n },
      ...{ direction: 'ASC', limit: limits.missed + 1 },
    })}`
    // Read afterwards, so that no partition was dropped during the query.
    if ((await logEnds(system)).dropped > after) return undefined
    if (events.length > limits.missed || events.some(({ type }) => followed.resets.has(type))) return undefined
    const named = new Map<string, NamedEvent>()
    for (const event of events) addNamed(named, event, definition)
    const rows = await rowsOf(ctx, definition, [...named])
    const known = members ?? new Set(await matchingIds(ctx, list, filter, { ids: [...rows.keys()] }))
    return [...rows].map(([id, event]) => {
      const kind = !known.has(id) ? 'LEFT' : (entries.get(id) ?? 0n) > after ? 'ENTERED' : 'CHANGED'
      return elementOf(event, changeOf(kind, id))
    })
  }

  await listen()
  try {
    await readMembers()
  } catch (error) {
    end()
    throw error
  }
  running = loop(`live list ${list.name}`, work, { log: system.log })

  return {
    follow: async (after, onLeave) => {
      if (isEnded) throw refuse('UNAVAILABLE', 'The list ended. Subscribe again.')
      const isListed = after === undefined
      const follower = newFollower(
        {
          ...{ after: after ?? 0n, listed },
          lastEventId: () => readLastEventId(system),
          onLeave: () => {
            followers.delete(follower)
            onLeave()
          },
        },
        isListed,
      )
      const upTo = position
      followers.add(follower)
      if (isListed) return follower.source
      try {
        const missed = await missedSince(after, upTo)
        follower.resume(missed ?? [listed()])
      } catch (error) {
        follower.source.return()
        throw error
      }
      return follower.source
    },
    stop: end,
  }
}

/** Remembers when a row entered a list, of as many rows as a client can have missed. */
function remember(entries: Map<number, bigint>, id: number, position: bigint): void {
  entries.delete(id)
  entries.set(id, position)
  const [oldest] = entries.keys()
  if (entries.size > limits.missed && oldest !== undefined) entries.delete(oldest)
}

async function readLastEventId({ db }: System): Promise<bigint> {
  const [row] = await db.$unscoped<{ id: bigint }>(
    'ids of events are counted over all accounts',
    sql`SELECT last_value AS id FROM outbox_event_id_seq`,
  )
  return row?.id ?? 0n
}
