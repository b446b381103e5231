import { Unavailable } from './errors.ts'

/** How many requests there may be at a time. */
export interface ConcurrencyLimits {
  /** In execution, all together. */
  readonly running: number
  /** Of one holder: a part of the others stays free for the rest. */
  readonly runningPerHolder: number
  /** That have arrived and are not answered: in execution, waiting for it, or still sending their body. */
  readonly present: number
  readonly presentPerHolder: number
}

/** The place of one request, from its arrival to its last byte. */
export interface Place {
  /** Waits for the request's turn. Fails with UNAVAILABLE where that does not come in time, or the process is too busy. */
  start(): Promise<void>
  /** Makes room. Safe to repeat. */
  end(): void
}

export interface ConcurrencyLimiter {
  /** Takes a request in; `holder` is who it is for. Fails with UNAVAILABLE where there is no room. */
  arrive(holder: string | number): Place
  /** Runs work in the holder's turn. Fails as `arrive` and `start` do. */
  run<Result>(holder: string | number, work: () => Promise<Result>): Promise<Result>
  state(): { readonly running: number; readonly waiting: number; readonly refused: Readonly<Record<Reason, number>> }
  close(): void
}

/** Why a request was refused: there is no room, its turn did not come in time, or the event loop is late. */
export type Reason = 'full' | 'waited' | 'late'

/** How long a request waits for its turn at most, in milliseconds. */
const longestWait = 5_000

/** How often the event loop is looked at, and from which lateness on nobody is let wait, in milliseconds. */
const [lookEvery, tooLate] = [100, 500]

/** After how many seconds who was refused is to come again. */
const retryAfterSeconds = 2

const messages: Readonly<Record<Reason, string>> = {
  full: 'Too many requests are being served at the moment. No changes were made. Try again in a moment.',
  waited: 'The request waited too long for its turn. No changes were made. Try again in a moment.',
  late: 'The server is overloaded at the moment. No changes were made. Try again in a moment.',
}

/** A request that waits for its turn. */
interface Waiting {
  begin(): void
  fail(error: Error): void
}

interface Holder {
  present: number
  running: number
  readonly queue: Set<Waiting>
}

/**
 * Bounds the requests in execution, and those that wait for it. Holders take turns: however many requests one of them has,
 * the next one's first request is behind one of each other holder's at most.
 */
export function newConcurrencyLimiter(limits: ConcurrencyLimits): ConcurrencyLimiter {
  /** Those with requests here; whose turn it is next stands first. */
  const holders = new Map<string | number, Holder>()
  const refused = { full: 0, waited: 0, late: 0 }
  let [present, running, waiting] = [0, 0, 0]
  let lateness = 0

  const refusal = (reason: Reason): Unavailable => {
    refused[reason] += 1
    return new Unavailable(messages[reason], retryAfterSeconds)
  }
  let looked = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    // What was late a moment ago is taken to be late still, for a while.
    lateness = Math.max(now - looked - lookEvery, lateness / 2)
    looked = now
  }, lookEvery).unref()

  const mayRun = (holder: Holder) => running < limits.running && holder.running < limits.runningPerHolder
  const startNext = () => {
    if (waiting === 0) return
    for (const [name, holder] of holders) {
      const [next] = holder.queue
      if (!next || !mayRun(holder)) continue
      // To the end of the line.
      holders.delete(name)
      holders.set(name, holder)
      next.begin()
      return
    }
  }

  const arrive = (name: string | number): Place => {
    const holder = holders.get(name) ?? { present: 0, running: 0, queue: new Set<Waiting>() }
    if (present >= limits.present || holder.present >= limits.presentPerHolder) throw refusal('full')
    holders.set(name, holder)
    present += 1
    holder.present += 1
    let [isRunning, isGone] = [false, false]
    let queued: Waiting | undefined

    const begin = () => {
      isRunning = true
      running += 1
      holder.running += 1
    }
    const leaveQueue = () => {
      if (!queued) return
      holder.queue.delete(queued)
      queued = undefined
      waiting -= 1
    }
    const turn = () =>
      new Promise<void>((resolve, reject) => {
        const timeout = setTimeout(() => queued?.fail(refusal('waited')), longestWait)
        const settle = (then: () => void) => {
          clearTimeout(timeout)
          leaveQueue()
          then()
        }
        queued = {
          begin: () => settle(() => resolve(begin())),
          fail: (error) => settle(() => reject(error)),
        }
        holder.queue.add(queued)
        waiting += 1
      })
    return {
      start: async () => {
        // Nobody waits for the answer any more.
        if (isGone) throw new Unavailable(messages.waited, retryAfterSeconds)
        if (mayRun(holder)) return begin()
        if (lateness > tooLate) throw refusal('late')
        await turn()
      },
      end: () => {
        if (isGone) return
        isGone = true
        queued?.fail(new Unavailable(messages.waited, retryAfterSeconds))
        present -= 1
        holder.present -= 1
        if (holder.present === 0) holders.delete(name)
        if (!isRunning) return
        running -= 1
        holder.running -= 1
        startNext()
      },
    }
  }
  return {
    arrive,
    run: async (holder, work) => {
      const place = arrive(holder)
      try {
        await place.start()
        return await work()
      } finally {
        place.end()
      }
    },
    state: () => ({ running, waiting, refused }),
    close: () => clearInterval(timer),
  }
}
