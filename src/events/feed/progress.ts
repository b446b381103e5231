import { setTimeout as pause } from 'node:timers/promises'
import type { Ctx } from '../../db/context.ts'
import { raw, sql } from '../../db/sql.ts'
import type { Table } from '../../db/table.ts'
import type { Source, StampedEvent, Subjects } from '../../kernel/feed.ts'
import { mustBeAllowed, type Scope } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import type { Announcements } from '../types/event-types.ts'
import { startPosition } from './subscriptions.ts'

/** Minimum time between two elements of a progress stream. */
const minIntervalMs = 500

/** Work of the server, such as the sending of a campaign, that changes one object until it is over. */
interface Work {
  /** The events and signals after which the object has changed. */
  readonly changes: readonly (keyof Announcements)[]
  /** Those after which the work can be over. */
  readonly ends: readonly (keyof Announcements)[]
  readonly subjects: Subjects
  /** Reads whether the work is over. */
  readonly isOver: () => Promise<boolean>
}

/** An object on which the server works until it has one of the statuses `over`. */
interface ProgressOptions<Status extends string, Field extends string> extends Pick<Work, 'changes' | 'ends'> {
  readonly table: Pick<Table<{ readonly id: number; readonly status: Status }>, 'alias' | 'select' | 'notFound'>
  /** Name of the GraphQL type. */
  readonly type: string
  /** The argument with the id of the object, and the field of the events with it. */
  readonly field: Field
  readonly needs: Scope
  readonly over: readonly Status[]
}

/**
 * Creates the subscription to the work on an object, until the work is over or the object was deleted. It **throws** FORBIDDEN,
 * NOT_FOUND, and the same as `followProgress`.
 */
export function progressOf<Status extends string, Field extends string>(followed: ProgressOptions<Status, Field>) {
  const { table, type, field, needs, over, changes, ends } = followed
  return async (
    ctx: Ctx,
    args: Readonly<Record<Field, string | number>> & { readonly after?: string | null | undefined },
  ): Promise<Source> => {
    mustBeAllowed(ctx, needs)
    const id = idOf(type, args[field], field)
    const find = async () => (await table.select(ctx, sql`AND ${raw(table.alias)}.id = ${id}`))[0]
    if (!(await find())) throw table.notFound(field)
    const isOver = async () => {
      const found = await find()
      return !found || over.includes(found.status)
    }
    return followProgress(ctx, args, { changes, ends, subjects: { [field]: [id] }, isOver })
  }
}

/**
 * Follows work until it is over. The first element is delivered at once, further ones after changes, at most every 500 ms, and
 * the last one when the work is over. An element has no data: its result is the state of the object at its delivery.
 *
 * **Throws** VALIDATION_ERROR for an invalid cursor, and what `isOver` throws.
 */
async function followProgress(ctx: Ctx, { after }: { after?: string | null | undefined }, work: Work): Promise<Source> {
  // The state replaces the changes that a stream missed, so only the format of its cursor matters.
  startPosition(ctx, after)
  // Before the state is read, so that no change is missed.
  const source = await ctx.feed.follow({ accountId: ctx.accountId, types: work.changes, subjects: work.subjects })
  try {
    const isOver = await work.isOver()
    const first = {
      ...{ accountId: ctx.accountId, position: ctx.feed.position(), id: 0n, type: 'progress', data: firstData(work) },
      createdAt: ctx.clock.now(),
    }
    return newProgress(source, first, isOver, work)
  } catch (error) {
    source.return()
    throw error
  }
}

/** The data of the first element, with the ids of the object. */
function firstData({ subjects }: Work): object {
  return Object.fromEntries(Object.entries(subjects).map(([field, [id]]) => [field, id]))
}

function newProgress(source: Source, first: StampedEvent, isOver: boolean, { ends, isOver: check }: Work): Source {
  const stop = new AbortController()
  const latest = newLatest(source, new Set<string>(ends))
  async function* states(): AsyncGenerator<StampedEvent, undefined> {
    yield first
    for (let isLast = isOver; !isLast; ) {
      await pause(minIntervalMs, undefined, { signal: stop.signal }).catch(() => undefined)
      const taken = await latest.take()
      if (!taken) return
      // Before the element is delivered: a state that is over only afterwards needs an element of its own.
      isLast = taken.mayEnd && (await check())
      yield taken.event
    }
  }
  const elements = states()
  const progress: Source = {
    [Symbol.asyncIterator]: () => progress,
    next: () => elements.next(),
    // Does not wait for the generator, which may wait for a change.
    return: () => {
      stop.abort()
      return source.return()
    },
    set onBreak(handle) {
      source.onBreak = handle
    },
    get onBreak() {
      return source.onBreak
    },
  }
  return progress
}

/** The newest event that was not taken, and whether it or one before it may end the work. */
interface NewestEvent {
  readonly event: StampedEvent
  readonly mayEnd: boolean
}

/** Reads a source as fast as events arrive, and keeps the newest. `take` waits for one; undefined after the end. */
function newLatest(source: Source, ends: ReadonlySet<string>): { take(): Promise<NewestEvent | undefined> } {
  let newest: NewestEvent | undefined
  let isEnded = false
  let wake = Promise.withResolvers<void>()
  const read = async () => {
    for await (const event of source) {
      newest = { event, mayEnd: ends.has(event.type) || newest?.mayEnd === true }
      wake.resolve()
    }
  }
  read().finally(() => {
    isEnded = true
    wake.resolve()
  })
  return {
    take: async () => {
      if (!newest && !isEnded) await wake.promise
      wake = Promise.withResolvers()
      const taken = newest
      newest = undefined
      return taken
    },
  }
}
