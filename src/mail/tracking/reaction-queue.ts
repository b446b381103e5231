import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { within } from '../../kernel/work/within.ts'

/** Opens, and clicks on one link, of one message that are recorded per minute. Further ones are dropped. */
export const recordedPerMinute = 60

/** Database connections that requests of links in messages use at a time: few, because anyone with one message can send many. */
const maxRunning = 3

/** Time that a response waits for its record, in milliseconds. It is sent then, and the record is made later. */
const maxWaitMs = 1_000

/** Maximum number of messages whose counts of this minute are remembered. */
const maxCounted = 20_000

/** Numbers of waiting records from which repeats of a minute, and all others, are dropped. */
const maxWaiting = { repeats: 1_000, all: 50_000 } as const

/**
 * Records the reactions to messages. Those to one message follow each other, since each locks it: only the first waits for the
 * database, and the others wait in memory.
 */
export interface ReactionQueue {
  /**
   * Records a reaction of a kind, such as a click on one link. Resolves when it was recorded, or when it waits. Returns undefined
   * if it is dropped, because the message had enough of this kind in this minute, or too many wait.
   */
  add(message: string, kind: string, record: () => Promise<void>): Promise<void> | undefined
  /** Runs other work for links in messages within the same limit of connections. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Waits for what was not recorded yet. */
  stop(): Promise<void>
}

/** Creates the queue of a process. `record` must not throw. */
export function newReactionQueue(): ReactionQueue {
  const run = pLimit(maxRunning)
  const counts = new LRUCache<string, { count: number }>({ max: maxCounted, ttl: 60_000, ttlResolution: 1_000 })
  const queues = new Map<string, { readonly waiting: (() => Promise<void>)[]; readonly end: Promise<void> }>()
  let waitingCount = 0

  const recordAll = async (message: string, waiting: (() => Promise<void>)[]) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await run(next)
      waitingCount -= 1
    }
    queues.delete(message)
  }
  const isTooMuch = (key: string): boolean => {
    const counted = counts.get(key) ?? { count: 0 }
    if (counted.count === 0) counts.set(key, counted)
    counted.count += 1
    return (
      counted.count > recordedPerMinute || waitingCount >= (counted.count > 1 ? maxWaiting.repeats : maxWaiting.all)
    )
  }
  return {
    add: (message, kind, record) => {
      if (isTooMuch(`${message} ${kind}`)) return undefined
      waitingCount += 1
      const queue = queues.get(message)
      if (queue) {
        queue.waiting.push(record)
        return Promise.resolve()
      }
      const waiting: (() => Promise<void>)[] = []
      const recorded = run(record).then(() => {
        waitingCount -= 1
      })
      queues.set(message, { waiting, end: recorded.then(() => recordAll(message, waiting)) })
      return within(recorded, maxWaitMs).then(() => undefined)
    },
    run,
    stop: async () => {
      await Promise.all([...queues.values()].map(({ end }) => end))
    },
  }
}
