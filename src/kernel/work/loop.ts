import type { Log } from '../telemetry/log.ts'

/** Repeated background work. It never runs twice at the same time. */
export interface Loop {
  /** Runs the work now, or again after the current run. */
  wake(): void
  /** Waits for the current run. No further run starts. */
  stop(): Promise<void>
}

const retryDelayMs = 100
const maxRetryDelayMs = 30_000

/**
 * Runs work at each wake-up and at least every `every` milliseconds (default 1,000). Runs it again immediately if it
 * returns true. After a failure, which is logged, it waits for a time that doubles with each failure. Wake-ups do not
 * shorten this time.
 */
export function loop(
  name: string,
  work: () => Promise<boolean>,
  { log, every = 1_000 }: { log: Log; every?: number },
): Loop {
  let isStopped = false
  let isRunning = false
  let isRequested = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> = Promise.resolve()

  const run = async (): Promise<void> => {
    isRunning = true
    clearTimeout(timer)
    let pause = every
    try {
      do {
        isRequested = false
        if (await work()) isRequested = true
        failures = 0
      } while (isRequested && !isStopped)
    } catch (error) {
      failures += 1
      pause = Math.min(retryDelayMs * 2 ** failures, maxRetryDelayMs)
      if (!isStopped) log.error({ err: error, loop: name, failures }, 'background work failed; it is retried')
    }
    isRunning = false
    if (!isStopped) timer = setTimeout(startRun, pause)
  }
  const startRun = () => {
    current = run()
  }
  startRun()
  return {
    wake: () => {
      isRequested = true
      if (!isRunning && !isStopped && failures === 0) startRun()
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await current
    },
  }
}
