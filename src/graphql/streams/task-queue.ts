/** Runs tasks with limited concurrency. */
interface TaskQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>
}

/**
 * Returns a queue that runs at most `maxRunning` tasks at a time, in the order of their arrival. Each task starts in its
 * own turn of the event loop, so that a burst of tasks does not block other work.
 */
export function newTaskQueue(maxRunning: number): TaskQueue {
  const waiting: (() => void)[] = []
  let running = 0
  const startNext = () => {
    const next = running < maxRunning ? waiting.shift() : undefined
    if (!next) return
    running += 1
    setImmediate(next)
  }
  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          task()
            .then(resolve, reject)
            .finally(() => {
              running -= 1
              startNext()
            })
        })
        startNext()
      }),
  }
}
