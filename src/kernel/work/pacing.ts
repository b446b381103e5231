import { setTimeout as sleep } from 'node:timers/promises'

/** Notifies all processes that one of them is serving many requests. */
export const busyChannel = 'campanile_busy'

/** Interval at which the requests of a process are counted, in milliseconds. */
const countIntervalMs = 1_000

/** Number of requests in an interval from which on a process is busy. Fewer leave the processors idle most of the time. */
const busyRequests = 12

/** Number of requests of an account that count. A client that waits for an import and asks how far it is must not delay it. */
const countedPerAccount = 8

/**
 * Number of requests of an address that count. A visitor waits for one page at a time, and few clients must not delay all work.
 */
const countedPerAddress = 1

/** Time after a notification for which work pauses, in milliseconds. Longer than the interval, so that one may be late. */
const busyMs = 2_500

/**
 * By how much parts are smaller while requests are served. A part of half a second delays all requests that arrive meanwhile,
 * where processors are few; ten short ones delay hardly any by as much.
 */
const partDivisor = 10

/** Maximum duration of a pause, in milliseconds: work always advances. */
const maxPauseMs = 10_000

/** How often a pause looks whether requests are still served, in milliseconds. */
const checkMs = 200

/**
 * Returns the share of the time that long work takes by default. With few processors more of the requests that arrive during a
 * part need the processor that it uses. These must be fewer than one in a hundred, and with two processors they are for a share
 * of 0.04.
 */
export function defaultShare(processors: number): number {
  return Math.min(Math.max(0.02 * processors, 0.04), 0.1)
}

/** Work on many rows, which pauses between its parts while requests are served. */
export interface PacedWork {
  /** Runs the next part when the pause after the one before is over. */
  part<Result>(run: () => Promise<Result>): Promise<Result>
  /** Returns how many rows the next part has: `most`, or a tenth of it while requests are served. */
  partSize(most: number): number
  /** Resolves when the pause after the last part is over. */
  pause(): Promise<void>
  /** Ends the work. Must be called once. */
  end(): void
}

/** Lets the long work of a process take only a share of the time while requests are served, here or in other processes. */
export interface Pacing {
  start(): PacedWork
  /** Records that a process is serving many requests. */
  noteBusy(): void
  /** Ends all pauses. */
  stop(): void
}

interface PacingOptions {
  /** Share of the time that all paced work of the process together takes while requests are served. With 1, it never rests. */
  readonly share: number
  /** Counts time in which paced work ran or paused. */
  readonly count?: (state: 'working' | 'resting', seconds: number) => void
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Creates the pacing of a process. After a part that took t milliseconds, work pauses for t (1 / share - 1), and for as many
 * times as long as there is other work, so that all together keep to the share. A pause ends early when no process is busy any
 * more. Without requests, work never pauses.
 */
export function newPacing({
  share,
  count = () => undefined,
  now = () => performance.now(),
  wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
}: PacingOptions): Pacing {
  const stopped = new AbortController()
  let busyUntil = Number.NEGATIVE_INFINITY
  let works = 0
  const mustPause = () => share < 1 && now() < busyUntil && !stopped.signal.aborted
  return {
    start: () => {
      works += 1
      let pausedUntil = Number.NEGATIVE_INFINITY
      const pause = async () => {
        for (let since = now(); mustPause() && since < pausedUntil; since = now()) {
          await wait(Math.min(pausedUntil - since, checkMs), stopped.signal)
          count('resting', (now() - since) / 1_000)
        }
      }
      return {
        pause,
        partSize: (most) => (mustPause() ? Math.ceil(most / partDivisor) : most),
        part: async (run) => {
          await pause()
          const since = now()
          try {
            return await run()
          } finally {
            const worked = now() - since
            count('working', worked / 1_000)
            pausedUntil = now() + Math.min(worked * (1 / share - 1) * works, maxPauseMs)
          }
        },
        end: () => {
          works -= 1
        },
      }
    },
    noteBusy: () => {
      busyUntil = now() + busyMs
    },
    stop: () => stopped.abort(),
  }
}

/** Returns how many rows the next part of a work has. What a request does at once, without such a work, always has `most`. */
export function partSize(work: Pick<PacedWork, 'partSize'> | undefined, most: number): number {
  return work?.partSize(most) ?? most
}

/** Returns how many rows an operation changes at once before a job continues, or the next part of a job has. */
export function rowsAtOnce(
  { work, maxRowsAtOnce = Number.POSITIVE_INFINITY }: RowsAtOnce & { readonly work?: PacedWork },
  most: number,
): number {
  return partSize(work, Math.min(most, maxRowsAtOnce))
}

/** Lowers the number of rows that operations and the parts of jobs change at once. Each has a maximum of its own. */
export interface RowsAtOnce {
  readonly maxRowsAtOnce?: number | undefined
}

/** Yields the items of a source, each of which is a part of paced work. Between them it pauses, also while the reader is slow. */
export async function* paced<Item>(
  pacing: Pick<Pacing, 'start'>,
  open: (work: PacedWork) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const work = pacing.start()
  const source = open(work)
  try {
    for (;;) {
      const next = await work.part(() => source.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    work.end()
    await source.return(undefined)
  }
}

/** Counts the requests of a process. `holder` is the id of an account, or the address of a visitor. */
interface Traffic {
  count(holder: string | number): void
  stop(): void
}

/** Creates the counter of the requests of a process. Calls `notify` after each second in which it served many. */
export function newTraffic(notify: () => void): Traffic {
  const counts = new Map<string | number, number>()
  const timer = setInterval(() => {
    if (counts.size === 0) return
    if (isBusy(counts)) notify()
    counts.clear()
  }, countIntervalMs).unref()
  return {
    count: (holder) => counts.set(holder, (counts.get(holder) ?? 0) + 1),
    stop: () => clearInterval(timer),
  }
}

/** Returns whether a process is busy that served these numbers of requests in a second, by holder. */
export function isBusy(counts: Iterable<readonly [holder: string | number, count: number]>): boolean {
  let sum = 0
  for (const [holder, count] of counts)
    sum += Math.min(count, typeof holder === 'number' ? countedPerAccount : countedPerAddress)
  return sum >= busyRequests
}
