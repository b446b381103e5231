import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../kernel/telemetry/log.ts'

/** Interval at which the server is checked, in milliseconds. */
const checkIntervalMs = 250

/** First and maximum delay between two restarts, in milliseconds. */
const minDelayMs = 250
const maxDelayMs = 15_000

/** Time after which a restart counts as successful, in milliseconds. */
const stableAfterMs = 60_000

/** Keeps a server running. */
interface Supervisor {
  /** Stops the supervision. Resolves when no restart is in progress. */
  stop(): Promise<void>
}

/**
 * Restarts the server whenever it has ended. The delay doubles after each failed restart, and after a server that ended
 * soon.
 *
 * `isRunning` is called often and must be cheap. `restart` starts the server, unless another process has done so.
 */
export function supervise(options: { isRunning(): Promise<boolean>; restart(): Promise<void>; log: Log }): Supervisor {
  const { isRunning, restart, log } = options
  const ending = new AbortController()
  const { signal } = ending
  const wait = (milliseconds: number) => pause(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)

  const run = async () => {
    let delay = minDelayMs
    let startedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (await isRunning()) {
        if (performance.now() - startedAt > stableAfterMs) delay = minDelayMs
        await wait(checkIntervalMs)
        continue
      }
      log.error('the embedded PostgreSQL has ended; restarting it')
      if (startedAt > 0) await wait(delay)
      if (signal.aborted) return
      delay = Math.min(2 * delay, maxDelayMs)
      startedAt = performance.now()
      try {
        await restart()
        log.info('the embedded PostgreSQL is running again')
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
