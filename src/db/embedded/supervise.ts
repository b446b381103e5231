import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../kernel/log.ts'

/** How often the server is looked at, in milliseconds. */
const interval = 250

/** The first and the longest pause between two attempts to start it again, in milliseconds. */
const shortestPause = 250
const longestPause = 15_000

/** A server that has run for so long was started successfully, in milliseconds. */
const steady = 60_000

/** Keeps a server running. */
export interface Supervisor {
  /** Ends it; resolves when no attempt to start the server is under way. */
  stop(): Promise<void>
}

/**
 * Starts the server again when it has ended, whatever ended it. After each attempt that failed, and after a server that
 * ended soon, it waits twice as long as before.
 *
 * `isRunning` is asked often and must be cheap. `restart` starts the server, or finds that another process has done so.
 */
export function supervise(options: { isRunning(): Promise<boolean>; restart(): Promise<void>; log: Log }): Supervisor {
  const { isRunning, restart, log } = options
  const ending = new AbortController()
  const { signal } = ending
  const wait = (milliseconds: number) => pause(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)

  const run = async () => {
    let delay = shortestPause
    let startedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (await isRunning()) {
        if (performance.now() - startedAt > steady) delay = shortestPause
        await wait(interval)
        continue
      }
      log.error('the embedded PostgreSQL has ended: starting it again')
      if (startedAt > 0) await wait(delay)
      if (signal.aborted) return
      delay = Math.min(2 * delay, longestPause)
      startedAt = performance.now()
      try {
        await restart()
        log.info('the embedded PostgreSQL runs again')
      } catch (error) {
        log.error({ reason: error instanceof Error ? error.message : String(error) }, 'it could not be started again')
      }
    }
  }
  const running = run()
  return {
    stop: async () => {
      ending.abort()
      await running
    },
  }
}
