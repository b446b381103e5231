import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often the process is looked at, in milliseconds. */
const intervalMs = 10_000

/** A process that used less CPU time than this in an interval is idle, in milliseconds. */
const idleCpuMs = 1_000

/** Resident memory above that after the last release, from which on it is released again, in bytes. */
const growthBytes = 64 * 1024 * 1024

/** Minimum number of intervals between two releases, so that a client that alternates load and pauses blocks little. */
const minIntervals = 3

type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Returns memory to the operating system when the process is idle after a load. V8 keeps the pages of collected objects
 * for later, so that a process that was busy once stays at its peak. Only its last-resort collection returns them; that
 * blocks the event loop for some 200 ms, which is why an idle moment is awaited. Returns a function that stops it.
 */
export function releaseIdleMemory(): () => void {
  let collect: CollectGarbage | undefined
  let released = 0
  let intervals = minIntervals
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    intervals += 1
    if (intervals < minIntervals) return
    if ((user + system) / 1_000 > idleCpuMs || process.memoryUsage.rss() < released + growthBytes) return
    collect ??= garbageCollector()
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    released = process.memoryUsage.rss()
    intervals = 0
    before = process.cpuUsage()
  }, intervalMs).unref()
  return () => clearInterval(timer)
}

/** Returns V8's collector. The flag exposes it to contexts made afterwards, of which this is the only one. */
function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as CollectGarbage
  setFlagsFromString('--no-expose-gc')
  return collect
}
