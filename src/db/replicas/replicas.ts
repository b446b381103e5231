import type { Log } from '../../kernel/telemetry/log.ts'
import type { Client, Database } from '../client.ts'
import type { Replicas } from '../context.ts'
import { maxLagMs, watchLags } from './lags.ts'
import { numberOf, written } from './positions.ts'
import { openReplica, type Replica } from './replica.ts'

/** Where a request was read: on a replica, on the primary because no replica was suitable, or first on one, then on the other. */
type ReadTarget = 'replica' | 'primary' | 'fallback'

/** The connections to replicas. */
export interface OpenReplicas extends Replicas {
  /** Returns the age of the data of each replica in seconds, by its address. Infinity if the replica is not in use. */
  lags(): { readonly replica: string; readonly seconds: number }[]
  close(): Promise<void>
}

/** Opens the replicas at `urls`. `count` counts the reads by target. */
export function openReplicas(options: {
  urls: readonly string[]
  primary: Database
  poolSize: number
  count: (target: ReadTarget) => void
  log: Log
}): OpenReplicas {
  const { urls, primary, count, log } = options
  const replicas = urls.map((url) =>
    openReplica({ url, primary, poolSize: options.poolSize, onFallback: () => count('fallback'), log }),
  )
  const writtenIfKnown = () => written(primary.pool).catch(() => undefined)
  const lags = watchLags(replicas, writtenIfKnown, log)
  let turn = 0
  const choose = async (maxAgeMs: number, after?: bigint): Promise<Client> => {
    const limit = Math.min(maxAgeMs, maxLagMs)
    turn += 1
    const inTurn = replicas.map((_, index) => replicas[(index + turn) % replicas.length] as Replica)
    const replica = inTurn.find((each) => lags.of(each) <= limit)
    if (replica === undefined || (after !== undefined && !(await lags.reach(replica, after)))) {
      count('primary')
      return primary.db
    }
    count('replica')
    return replica.db
  }
  return {
    clientFor: async ({ maxAgeMs, after }) => {
      const position = after === undefined ? undefined : numberOf(after)
      if (after !== undefined && position === undefined) return primary.db
      return choose(maxAgeMs, position)
    },
    currentClient: async () => {
      const position = await writtenIfKnown()
      return position === undefined ? primary.db : choose(maxLagMs, numberOf(position))
    },
    position: writtenIfKnown,
    lags: () => replicas.map((each) => ({ replica: each.address, seconds: lags.of(each) / 1_000 })),
    close: async () => {
      await lags.stop()
      await Promise.all(replicas.map((each) => each.close()))
    },
  }
}
