import type { Log } from './log.ts'

/** Work that is done again and again, never twice at the same time. */
export interface Loop {
  /** Does the work soon: now, or again right after what runs now. */
  wake(): void
  /** Lets what runs now finish; nothing comes after it. */
  stop(): Promise<void>
}

const firstPause = 100
const longestPause = 30_000

/**
 * Does work at each wake-up, at the latest every second, and at once again while it answers that there is more. Work that
 * fails is logged and tried again after a pause that grows with each failure; wake-ups do not shorten that.
 */
export function loop(
  name: string,
  work: () => Promise<boolean>,
  { log, every = 1_000 }: { log: Log; every?: number },
): Loop {
  let isStopped = false
  let isRunning = false
  let isWanted = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> = Promise.resolve()

  const turn = async (): Promise<void> => {
    isRunning = true
    clearTimeout(timer)
    let pause = every
    try {
      do {
        isWanted = false
        if (await work()) isWanted = true
        failures = 0
      } while (isWanted && !isStopped)
    } catch (error) {
      failures += 1
      pause = Math.min(firstPause * 2 ** failures, longestPause)
      if (!isStopped) log.error({ err: error, loop: name, failures }, 'background work failed; it is tried again')
    }
    isRunning = false
    if (!isStopped) timer = setTimeout(begin, pause)
  }
  const begin = () => {
    current = turn()
  }
  begin()
  return {
    wake: () => {
      isWanted = true
      if (!isRunning && !isStopped && failures === 0) begin()
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await current
    },
  }
}
