type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs at most `max` tasks at the same time. The others wait in a queue. */
export function newConcurrencyLimit(max: number): ConcurrencyLimit {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
