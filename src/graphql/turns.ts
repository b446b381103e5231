/** Does work in turns: at most so much at once, and each piece begins in a turn of the event loop of its own. */
export interface Turns {
  take<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Turns for work of which any amount may come at once. What waits is done in the order in which it came. */
export function newTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  const begin = () => {
    const next = running < atOnce ? waiting.shift() : undefined
    if (!next) return
    running += 1
    setImmediate(next)
  }
  return {
    take: (work) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          work()
            .then(resolve, reject)
            .finally(() => {
              running -= 1
              begin()
            })
        })
        begin()
      }),
  }
}
