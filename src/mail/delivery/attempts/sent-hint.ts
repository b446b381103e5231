import type { System } from '../../../db/context.ts'
import { announcedChannel } from '../../../events/index.ts'

/** Minimum time between two hints. Each hint makes the readers of the event log look for new events. */
const hintIntervalMs = 100

/** Returns a function that hints that there are new events, at most once per interval and once more after the last call. */
export function newSentHint({ notify }: System): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    if (timer) return
    notify(announcedChannel)
    timer = setTimeout(() => {
      timer = undefined
      notify(announcedChannel)
    }, hintIntervalMs)
  }
}
