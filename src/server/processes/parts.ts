import type { Log } from '../../kernel/telemetry/log.ts'
import { within } from '../../kernel/work/within.ts'

/** Maximum time for all parts to stop, in milliseconds. */
const stopTimeoutMs = 8_000

/** Time that each part has to stop even if the parts before it took all the time, in milliseconds. */
const minStopTimeMs = 200

/** The started parts of an app, which stop in reverse order. */
export interface Parts {
  add(stop: () => Promise<unknown>): void
  close(): Promise<void>
}

/** Creates an empty list of parts. A part that fails or hangs while it stops is logged, and does not block the others. */
export function newParts(log: Log): Parts {
  const stops: (() => Promise<unknown>)[] = []
  return {
    add: (stop) => stops.push(stop),
    close: async () => {
      const deadline = performance.now() + stopTimeoutMs
      for (const stop of stops.splice(0).reverse()) {
        const timeLeft = Math.max(deadline - performance.now(), minStopTimeMs)
        const stopped = stop().catch((error: unknown) => log.warn({ err: error }, 'a part failed to stop'))
        if (!(await within(stopped, timeLeft))) log.warn('a part did not stop in time')
      }
    },
  }
}
