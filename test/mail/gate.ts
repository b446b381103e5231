import type { Behaviour } from './sink.ts'

/** Holds the messages of a sink until the test lets them through. */
export interface Gate extends Pick<Behaviour, 'beforeAnswer'> {
  /** Number of messages that arrived and were not let through. */
  readonly held: () => number
  /** Lets this number of messages through, those that are held first. */
  release(count: number): void
}

export function newGate(): Gate {
  const held: (() => void)[] = []
  let free = 0
  return {
    held: () => held.length,
    release: (count) => {
      free += count
      while (free > 0 && held.length > 0) {
        free -= 1
        held.shift()?.()
      }
    },
    beforeAnswer: async () => {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => held.push(resolve))
    },
  }
}
