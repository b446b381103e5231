import { setImmediate as nextTurn } from 'node:timers/promises'

/** Time that work takes before other work of the process gets a turn, in milliseconds. */
const sliceMs = 10

/**
 * Returns a function to call between the steps of long synchronous work. It gives other work of the process a turn if the steps
 * since the last one took 10 ms, so the number of steps in a turn depends on what they cost. Before a step that can take as long
 * by itself, `isLong` gives a turn in any case.
 */
export function newTurns(): (isLong?: boolean) => Promise<void> {
  let start = performance.now()
  return async (isLong = false) => {
    if (!isLong && performance.now() - start < sliceMs) return
    await nextTurn()
    start = performance.now()
  }
}
