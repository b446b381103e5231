import { setImmediate as nextTurn } from 'node:timers/promises'

/** Time that work takes before other work of the process gets a turn, in milliseconds. */
const sliceMs = 10

/**
 * Returns a function to call between the steps of long synchronous work. It gives other work of the process a turn if the steps
 * since the last one took 10 ms, so the number of steps in a turn depends on what they cost.
 */
export function newTurns(): () => Promise<void> {
  let start = performance.now()
  return async () => {
    if (performance.now() - start < sliceMs) return
    await nextTurn()
    start = performance.now()
  }
}
