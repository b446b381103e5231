import { expect } from 'vitest'

/** The duration of work on an input of `size` that doubles, by how much it may grow with each doubling. */
const maxFactor = 2.7

/** Number of runs for each size. The shortest counts, because the others waited for the garbage collector. */
const runs = 3

/** Number of runs of the largest size while none of them was short enough: in a large heap, the collector meets most of them. */
const maxRuns = 12

/** A duration below this one is measured too inexactly to be compared, in milliseconds. */
const leastMilliseconds = 4

/**
 * Expects that the time of synchronous or asynchronous work is proportional to the size of its input. `prepare` builds the input
 * of a size, which is not measured, and returns the work. The sizes are `from`, `2 × from` and so on, `doublings` times. With
 * `atMost`, the work on the largest input may take this long, in milliseconds.
 */
export async function expectLinear(
  prepare: (size: number) => () => unknown,
  { from, doublings = 3, atMost }: { from: number; doublings?: number; atMost?: number },
): Promise<void> {
  const times: number[] = []
  // The longest that any of the smaller sizes allows, because the smallest may be too short for the clock.
  const limit = () => {
    const allowed = times
      .slice(0, doublings)
      .map((time, step) => Math.max(time, leastMilliseconds) * maxFactor ** (doublings - step))
    return Math.min(Math.max(...allowed), atMost ?? Number.POSITIVE_INFINITY)
  }
  for (let size = from, step = 0; step <= doublings; size *= 2, step += 1) {
    const work = prepare(size)
    const isLast = step === doublings
    let shortest = Number.POSITIVE_INFINITY
    for (let run = 0; run < runs || (isLast && run < maxRuns && shortest > limit()); run += 1) {
      const start = process.threadCpuUsage()
      await work()
      // The time of the processor, because a busy machine makes others wait.
      const { user, system } = process.threadCpuUsage(start)
      shortest = Math.min(shortest, (user + system) / 1_000)
    }
    times.push(shortest)
  }
  const shown = times.map((time) => time.toFixed(1)).join(', ')
  expect(times.at(-1), `milliseconds of each size: ${shown}`).toBeLessThanOrEqual(limit())
}
