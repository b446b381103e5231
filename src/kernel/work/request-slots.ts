import { ClientGone, Unavailable } from '../errors.ts'
import { newStartTurns, type StartTurns } from './start-turns.ts'

/** Maximum numbers of requests at a time. */
export interface ConcurrencyLimits {
  /** Requests in execution. */
  readonly running: number
  /** Requests of one holder in execution. Less than `running`, so that other holders always have free slots. */
  readonly runningPerHolder: number
  /** Requests that are not answered yet: in execution, waiting, or still sending their body. */
  readonly present: number
  readonly presentPerHolder: number
}

/** The slot of one request, from its arrival until its response was sent. */
export interface Slot {
  /**
   * Waits for the start of execution. Throws UNAVAILABLE if it takes too long or the process is overloaded, and ClientGone if the
   * client has disconnected.
   */
  start(): Promise<void>
  /**
   * To be called when the client has disconnected. A request that waits gives its place up. One that is executed keeps it until
   * it ends, because its work continues: many clients that disconnect would start more work than there are places.
   */
  leave(): void
  /** Releases the slot when the request was executed. Safe to repeat. */
  release(): void
}

export interface ConcurrencyLimiter {
  /** Acquires a slot. `holder` is an account, a key or an address. Throws UNAVAILABLE if no slot is free. */
  acquire(holder: string | number): Slot
  /**
   * Runs work in a slot. `client` is an emitter of `close`, by which the client is known to have disconnected. Throws as
   * `acquire` and `start` do.
   */
  run<Result>(holder: string | number, work: () => Promise<Result>, client: Closable): Promise<Result>
  state(): {
    readonly running: number
    readonly waiting: number
    readonly refused: Readonly<Record<RefusalReason, number>>
    /** Number of requests whose clients disconnected before the execution. */
    readonly closed: number
  }
  close(): void
}

/** A connection or a response, which emits `close` when its client has disconnected. */
interface Closable {
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** Why a request was refused: no slot was free, it waited too long, or the event loop is delayed. */
type RefusalReason = 'full' | 'timeout' | 'overloaded'

/** Maximum time that a request waits for its execution, in milliseconds. */
const waitTimeoutMs = 5_000

/** Interval at which the delay of the event loop is measured, in milliseconds. */
const measureIntervalMs = 100

/** Delay of the event loop from which on requests are refused instead of waiting, in milliseconds. */
const maxDelayMs = 500

/** Seconds after which a client should repeat a request that was refused. */
const retryAfterSeconds = 2

const messages: Readonly<Record<RefusalReason, string>> = {
  full: 'Too many requests are being served at the moment. No changes were made. Try again in a moment.',
  timeout: 'The request waited too long for its turn. No changes were made. Try again in a moment.',
  overloaded: 'The server is overloaded at the moment. No changes were made. Try again in a moment.',
}

/** A request that waits for its execution. */
interface WaitingRequest {
  begin(): void
  fail(error: Error): void
}

interface Holder {
  present: number
  running: number
  readonly queue: Set<WaitingRequest>
}

/**
 * Limits the requests in execution and the requests that wait for it. Holders take turns: before the first request of a
 * holder runs, at most one waiting request of each other holder does. `turns` are those of the process, which its limiters share.
 * `count` is called for each request.
 */
export function newConcurrencyLimiter(
  limits: ConcurrencyLimits,
  turns: StartTurns = newStartTurns(),
  count: (holder: string | number) => void = () => undefined,
): ConcurrencyLimiter {
  /** Holders with requests. The holder whose turn is next comes first. */
  const holders = new Map<string | number, Holder>()
  const refused = { full: 0, timeout: 0, overloaded: 0 }
  let [present, running, waiting, closed] = [0, 0, 0, 0]
  const loopDelay = measureLoopDelay()

  const refuse = (reason: RefusalReason): Unavailable => {
    refused[reason] += 1
    return new Unavailable(messages[reason], retryAfterSeconds)
  }
  const canRun = (holder: Holder) => running < limits.running && holder.running < limits.runningPerHolder
  let isTurnDue = false
  const startInNextTurn = () => {
    if (isTurnDue) return
    isTurnDue = true
    setImmediate(() => {
      isTurnDue = false
      startWaiting()
    })
  }
  /** Starts the requests that may start, one of each holder after another. */
  const startWaiting = () => {
    while (waiting > 0 && startNext());
  }
  const startNext = (): boolean => {
    for (const [name, holder] of holders) {
      const [next] = holder.queue
      if (!next || !canRun(holder)) continue
      if (!turns.take(name)) {
        startInNextTurn()
        continue
      }
      // The holder had its turn, so it moves to the end.
      holders.delete(name)
      holders.set(name, holder)
      next.begin()
      return true
    }
    return false
  }

  const acquire = (name: string | number): Slot => {
    count(name)
    turns.note(name)
    const holder = holders.get(name) ?? { present: 0, running: 0, queue: new Set<WaitingRequest>() }
    if (present >= limits.present || holder.present >= limits.presentPerHolder) throw refuse('full')
    holders.set(name, holder)
    present += 1
    holder.present += 1
    let [isRunning, isReleased] = [false, false]
    let queued: WaitingRequest | undefined

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
    const waitForTurn = () =>
      new Promise<void>((resolve, reject) => {
        const timeout = setTimeout(() => queued?.fail(refuse('timeout')), waitTimeoutMs)
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
    const release = () => {
      if (isReleased) return
      isReleased = true
      queued?.fail(new ClientGone())
      present -= 1
      holder.present -= 1
      if (holder.present === 0) holders.delete(name)
      if (!isRunning) return
      running -= 1
      holder.running -= 1
      startWaiting()
    }
    return {
      start: async () => {
        if (isReleased) throw new ClientGone()
        if (!canRun(holder)) {
          if (loopDelay.current() > maxDelayMs) throw refuse('overloaded')
        } else if (holder.queue.size === 0 && turns.take(name)) return begin()
        else startInNextTurn()
        await waitForTurn()
      },
      leave: () => {
        if (isRunning || isReleased) return
        closed += 1
        release()
      },
      release,
    }
  }
  return {
    acquire,
    run: async (holder, work, client) => {
      const slot = acquire(holder)
      client.once('close', slot.leave)
      try {
        await slot.start()
        return await work()
      } finally {
        client.off('close', slot.leave)
        slot.release()
      }
    },
    state: () => ({ running, waiting, refused, closed }),
    close: loopDelay.stop,
  }
}

/** Measures the delay of the event loop. A delay halves with each measurement, so that it counts for a while. */
function measureLoopDelay(): { current(): number; stop(): void } {
  let delay = 0
  let measuredAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    delay = Math.max(now - measuredAt - measureIntervalMs, delay / 2)
    measuredAt = now
  }, measureIntervalMs).unref()
  return { current: () => delay, stop: () => clearInterval(timer) }
}
