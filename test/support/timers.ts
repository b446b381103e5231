import { onTestFinished } from 'vitest'

/**
 * From now on until the end of the test, no `setTimeout` and no `setInterval` of this process with at least this delay fires.
 * What happens nevertheless waits neither for a deadline nor for the next poll, however slow the machine is. Timers that were
 * set before still fire. Returns what ends it earlier: timers that are set after that fire again.
 */
export function holdTimers(leastMilliseconds: number): () => void {
  const { setTimeout, setInterval } = globalThis
  const never = 2 ** 31 - 1
  const held =
    (set: typeof setTimeout | typeof setInterval) =>
    (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
      delay < leastMilliseconds ? set(run, delay, ...args) : set(run, never, ...args).unref()
  // `promisify` looks for the function of `node:timers/promises` here.
  Object.assign(globalThis, {
    setTimeout: Object.assign(held(setTimeout), setTimeout),
    setInterval: held(setInterval),
  })
  const release = () => {
    Object.assign(globalThis, { setTimeout, setInterval })
  }
  onTestFinished(release)
  return release
}

/**
 * Returns the result of work, and how often a timer of this process with this interval fired meanwhile. A pause in which the
 * process does not run counts at most once, unlike in a duration.
 */
export async function countTicks<Result>(
  interval: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; ticks: number }> {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, interval)
  try {
    const result = await work()
    return { result, ticks }
  } finally {
    clearInterval(timer)
  }
}
