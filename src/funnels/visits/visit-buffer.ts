import type { Attribution } from '../../contacts/index.ts'
import { newCtx, type System } from '../../db/context.ts'
import { visitors } from '../../forms/index.ts'
import { newVisitAnnouncer, type VisitAnnouncer } from './visit-announcer.ts'
import { recordMany } from './visits.ts'

/** A visit of a public page. */
interface BufferedVisit {
  readonly accountId: number
  readonly funnelId: number
  readonly stepId: number
  readonly visitorId: string
  readonly contactId: number | null
  readonly isBot: boolean
  /** Attribution parameters of the visit. Empty if the visitor came from another page of the funnel. */
  readonly touch: Attribution
  readonly at: Date
}

/** Buffer of visits. Inserts them in batches after a short delay, so that responses do not wait for it. */
export interface VisitBuffer {
  /** Adds a visit. Returns a promise to wait for only if the account has too many buffered visits. */
  add(visit: BufferedVisit): Promise<void> | undefined
  /** Inserts the buffered visits of an account, or of all accounts. */
  flush(accountId?: number): Promise<void>
  /** Inserts and announces the remaining visits, and cancels the timers. */
  stop(): Promise<void>
}

/** Delay before buffered visits are inserted, in milliseconds. */
const flushDelayMs = 100

/** Maximum number of buffered visits per account. If it is exceeded, requests wait until the buffer is flushed. */
const maxBuffered = 10_000

/** Maximum number of visits per statement. */
const maxPerStatement = 2_000

/** Buffered visits of an account. `count` includes the visits that are being inserted. */
interface Queue {
  waiting: BufferedVisit[]
  count: number
  writing: Promise<void>
}

/**
 * Creates an empty buffer. The visits of each account are inserted separately, so that slow inserts of one account do not
 * delay the others. Visits that cannot be inserted are logged and lost, because serving the page is more important.
 */
export function newVisitBuffer(system: System): VisitBuffer {
  const queues = new Map<number, Queue>()
  const announcer = newVisitAnnouncer(system)
  let timer: NodeJS.Timeout | undefined

  const flushAccount = (accountId: number): Promise<void> => {
    const queue = queues.get(accountId)
    if (!queue) return Promise.resolve()
    const visits = queue.waiting
    queue.waiting = []
    if (visits.length > 0) {
      queue.writing = queue.writing
        .then(() => insertVisits(system, announcer, accountId, visits))
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
    await Promise.all([...queues.keys()].map(flushAccount))
  }
  return {
    add: (visit) => {
      const queue = queues.get(visit.accountId) ?? { waiting: [], count: 0, writing: Promise.resolve() }
      queues.set(visit.accountId, queue)
      queue.waiting.push(visit)
      queue.count += 1
      timer ??= setTimeout(flushAll, flushDelayMs)
      return queue.count > maxBuffered ? flushAccount(visit.accountId) : undefined
    },
    flush: (accountId) => (accountId === undefined ? flushAll() : flushAccount(accountId)),
    stop: async () => {
      await flushAll()
      await announcer.stop()
    },
  }
}

async function insertVisits(
  system: System,
  announcer: VisitAnnouncer,
  accountId: number,
  visits: readonly BufferedVisit[],
): Promise<void> {
  const ctx = newCtx(system, { accountId })
  for (let from = 0; from < visits.length; from += maxPerStatement) {
    const chunk = visits.slice(from, from + maxPerStatement)
    try {
      await visitors.recordTouches(
        ctx,
        chunk.flatMap(({ visitorId, touch: attribution, at, isBot }) => (isBot ? [] : { visitorId, attribution, at })),
      )
      const counts = Map.groupBy(
        chunk.filter(({ isBot }) => !isBot),
        ({ funnelId }) => funnelId,
      )
      const announced = [...counts.keys()].filter((funnelId) => !announcer.isQuiet(accountId, funnelId))
      await recordMany(ctx, chunk, announced)
      for (const [funnelId, { length }] of counts) announcer.count({ accountId, funnelId, visits: length })
    } catch (error) {
      system.log.error({ err: error, accountId, visits: chunk.length }, 'inserting visits failed, the visits are lost')
    }
  }
}
