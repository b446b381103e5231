import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../kernel/telemetry/log.ts'
import { loop } from '../../kernel/work/loop.ts'
import { within } from '../../kernel/work/within.ts'
import { numberOf, replayed } from './positions.ts'
import type { Replica } from './replica.ts'

/** Maximum age of the data of a replica that is used, in milliseconds. */
export const maxLagMs = 10_000

/** Interval at which the positions of all servers are read, in milliseconds. */
const intervalMs = 500

/** Maximum time that a request waits for a replica to reach a position, and the pause between two looks. */
const waitMs = 500
const lookAgainMs = 20

/** A position of the primary, and the time before which all changes up to it were committed. */
interface Sample {
  readonly at: number
  readonly position: bigint
}

/** How old the data of replicas is. */
interface Lags {
  /** Returns the age of the data of a replica in milliseconds. Infinity if the replica is not in use. */
  of(replica: Replica): number
  /** Waits a short time until a replica has reached a position. Returns whether it has. */
  reach(replica: Replica, position: bigint): Promise<boolean>
  stop(): Promise<void>
}

/**
 * Reads the positions of replicas and of their primary at intervals, until stopped. The lag of a replica is the age of the newest
 * known position of the primary that it has reached, so that a replica which receives nothing is not taken for one that has
 * nothing to receive. `primaryPosition` returns undefined if it is unknown.
 */
export function watchLags(
  replicas: readonly Replica[],
  primaryPosition: () => Promise<string | undefined>,
  log: Log,
): Lags {
  /** Positions of the primary, oldest first, until the oldest is too old for any replica. */
  const samples: Sample[] = []
  const reached = new Map<Replica, bigint>()
  const looks = new Map<Replica, Promise<void>>()
  /** Reads the position of a replica once for all who wait, because clients choose what they wait for. */
  const look = (replica: Replica): Promise<void> => {
    const underWay = looks.get(replica) ?? readPosition(replica).finally(() => looks.delete(replica))
    looks.set(replica, underWay)
    return underWay
  }
  const readPosition = async (replica: Replica): Promise<void> => {
    const position = await replayed(replica.pool).catch(() => undefined)
    if (position === undefined) reached.delete(replica)
    else reached.set(replica, position)
  }
  const samplePositions = async () => {
    const at = performance.now()
    // Without new samples, the lag of the replicas grows until they are not used.
    const position = await primaryPosition()
    if (position !== undefined) samples.push({ at, position: numberOf(position) as bigint })
    while (samples.length > 1 && (samples[1] as Sample).at < at - maxLagMs) samples.shift()
    await within(Promise.all(replicas.map(look)), intervalMs)
    return false
  }
  const sampling = loop('replicas', samplePositions, { log, every: intervalMs })
  return {
    of: (replica) => {
      const position = reached.get(replica)
      if (position === undefined || replica.watch.isAway()) return Number.POSITIVE_INFINITY
      const sample = samples.findLast((each) => each.position <= position)
      return sample ? performance.now() - sample.at : Number.POSITIVE_INFINITY
    },
    reach: async (replica, position) => {
      const deadline = performance.now() + waitMs
      let known = reached.get(replica)
      while (known !== undefined && known < position && performance.now() < deadline) {
        await pause(lookAgainMs)
        if (!(await within(look(replica), Math.max(deadline - performance.now(), 0)))) return false
        known = reached.get(replica)
      }
      return known !== undefined && known >= position
    },
    stop: () => sampling.stop(),
  }
}
