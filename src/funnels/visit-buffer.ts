import { newCtx, type System } from '../db/context.ts'
import { visitors } from '../forms/index.ts'
import type { Attribution } from '../kernel/attribution.ts'
import { recordMany } from './visits.ts'

/** A look at a page, as it is seen at the door. */
export interface BufferedVisit {
  readonly accountId: number
  readonly funnelId: number
  readonly stepId: number
  readonly visitorId: string
  readonly contactId: number | null
  readonly isBot: boolean
  /** What led the visitor here; empty for who goes on from one page to the next. */
  readonly touch: Attribution
  readonly at: Date
}

/** Visits that are to be written: together, a moment after they happened, so that no page waits for it. */
export interface VisitBuffer {
  /** Takes a visit; waits only while there are too many of its account that are not yet written. */
  add(visit: BufferedVisit): Promise<void> | undefined
  /** Writes what was taken so far of an account, or of all. */
  flush(accountId?: number): Promise<void>
  /** Writes what is left, and nothing by itself any more. */
  stop(): Promise<void>
}

/** For how long visits are gathered. */
const flushDelayMs = 100

/** How many visits of an account may wait to be written; those who come then wait for room. */
const maxWaiting = 10_000

/** How many visits one statement takes. */
const batch = 2_000

/** Visits of an account: those that wait, and how many there are with those that are on their way. */
interface Queue {
  waiting: BufferedVisit[]
  count: number
  writing: Promise<void>
}

/**
 * A buffer without visits. Each account's are written by themselves, so that one whose writing takes long keeps no other
 * waiting. A visit that cannot be written, after all, is lost: it counts for less than a page.
 */
export function newVisitBuffer(system: System): VisitBuffer {
  const queues = new Map<number, Queue>()
  let timer: NodeJS.Timeout | undefined

  const flushOne = (accountId: number): Promise<void> => {
    const queue = queues.get(accountId)
    if (!queue) return Promise.resolve()
    const visits = queue.waiting
    queue.waiting = []
    if (visits.length > 0) {
      queue.writing = queue.writing
        .then(() => write(system, accountId, visits))
        .then(() => {
          queue.count -= visits.length
          if (queue.count === 0) queues.delete(accountId)
        })
    }
    return queue.writing
  }
  const flushAll = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    await Promise.all([...queues.keys()].map(flushOne))
  }
  return {
    add: (visit) => {
      const queue = queues.get(visit.accountId) ?? { waiting: [], count: 0, writing: Promise.resolve() }
      queues.set(visit.accountId, queue)
      queue.waiting.push(visit)
      queue.count += 1
      timer ??= setTimeout(flushAll, flushDelayMs)
      return queue.count > maxWaiting ? flushOne(visit.accountId) : undefined
    },
    flush: (accountId) => (accountId === undefined ? flushAll() : flushOne(accountId)),
    stop: flushAll,
  }
}

async function write(system: System, accountId: number, visits: readonly BufferedVisit[]): Promise<void> {
  const ctx = newCtx(system, { accountId })
  for (let from = 0; from < visits.length; from += batch) {
    const some = visits.slice(from, from + batch)
    try {
      await visitors.recordTouches(
        ctx,
        some.flatMap(({ visitorId, touch: attribution, at, isBot }) => (isBot ? [] : { visitorId, attribution, at })),
      )
      await recordMany(ctx, some)
    } catch (error) {
      system.log.error({ err: error, accountId, visits: some.length }, 'visits could not be written and are lost')
    }
  }
}
