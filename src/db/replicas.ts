import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../kernel/telemetry/log.ts'
import { loop } from '../kernel/work/loop.ts'
import { within } from '../kernel/work/within.ts'
import type { Client, Database } from './client.ts'
import { openReplica, type Replica } from './replica-connection.ts'

/** Maximum age of the data of a replica that is used, in milliseconds. */
const maxLagMs = 10_000

/** Interval at which the positions of all servers are read, in milliseconds. */
const intervalMs = 500

/** Maximum time that a request waits for a replica to reach a position, and the pause between two looks. */
const waitMs = 500
const lookAgainMs = 20

/** A position in the write-ahead log, as PostgreSQL writes it. A server that reached it has all earlier changes. */
const positionPattern = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/** Where a request was read: on a replica, on the primary because no replica was suitable, or first on one, then on the other. */
type ReadTarget = 'replica' | 'primary' | 'fallback'

/** What a request requires of a replica. */
interface Freshness {
  /** Maximum age of the data in milliseconds. */
  readonly maxAgeMs: number
  /** Position that the replica must have reached: that of a change which the client has made. */
  readonly after?: string | undefined
}

/** The read replicas of a database. Their clients send each statement that fails there to the primary. */
export interface Replicas {
  /** Returns the client of a replica that meets the requirements, or that of the primary. */
  clientFor(freshness: Freshness): Promise<Client>
  /** Returns the client of a replica with all changes that were committed before the call, or that of the primary. */
  currentClient(): Promise<Client>
  /** Returns the position of all changes that were committed before the call. Undefined if the primary does not report it. */
  position(): Promise<string | undefined>
  /** Returns the age of the data of each replica in seconds, by its address. Infinity if the replica is not in use. */
  lags(): { readonly replica: string; readonly seconds: number }[]
  close(): Promise<void>
}

/** A position of the primary, and the time before which all changes up to it were committed. */
interface Sample {
  readonly at: number
  readonly position: bigint
}

/**
 * Opens the replicas at `urls`. Their lag is the age of the newest known position of the primary that they have reached, so that
 * a replica which receives nothing is not taken for one that has nothing to receive. `count` counts the reads by target.
 */
export function openReplicas(options: {
  urls: readonly string[]
  primary: Database
  poolSize: number
  count: (target: ReadTarget) => void
  log: Log
}): Replicas {
  const { urls, primary, count, log } = options
  const replicas = urls.map((url) =>
    openReplica({ url, primary, poolSize: options.poolSize, onFallback: () => count('fallback'), log }),
  )
  /** Positions of the primary, oldest first, until the oldest is too old for any replica. */
  const samples: Sample[] = []
  const reached = new Map<Replica, bigint>()

  const writtenIfKnown = () => written(primary.pool).catch(() => undefined)
  const lagOf = (replica: Replica): number => {
    const position = reached.get(replica)
    if (position === undefined || replica.watch.isAway()) return Number.POSITIVE_INFINITY
    const sample = samples.findLast((each) => each.position <= position)
    return sample ? performance.now() - sample.at : Number.POSITIVE_INFINITY
  }
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
    const position = await writtenIfKnown()
    if (position !== undefined) samples.push({ at, position: numberOf(position) as bigint })
    while (samples.length > 1 && (samples[1] as Sample).at < at - maxLagMs) samples.shift()
    await within(Promise.all(replicas.map(look)), intervalMs)
    return false
  }
  const sampling = loop('replicas', samplePositions, { log, every: intervalMs })

  const reach = async (replica: Replica, position: bigint): Promise<boolean> => {
    const deadline = performance.now() + waitMs
    let known = reached.get(replica)
    while (known !== undefined && known < position && performance.now() < deadline) {
      await pause(lookAgainMs)
      if (!(await within(look(replica), deadline - performance.now()))) return false
      known = reached.get(replica)
    }
    return known !== undefined && known >= position
  }
  let turn = 0
  const choose = async (maxAgeMs: number, after?: bigint): Promise<Client> => {
    const limit = Math.min(maxAgeMs, maxLagMs)
    turn += 1
    const inTurn = replicas.map((_, index) => replicas[(index + turn) % replicas.length] as Replica)
    const replica = inTurn.find((each) => lagOf(each) <= limit)
    if (replica === undefined || (after !== undefined && !(await reach(replica, after)))) {
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
    lags: () => replicas.map((each) => ({ replica: each.address, seconds: lagOf(each) / 1_000 })),
    close: async () => {
      await sampling.stop()
      await Promise.all(replicas.map((each) => each.close()))
    },
  }
}

/** Reads the position after all committed changes. The insert position, because `synchronous_commit` may be off. */
async function written(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('SELECT pg_current_wal_insert_lsn()::text AS position')
  return rows[0]?.position as string
}

/** Reads the position that a replica has replayed. Undefined if the server is no replica, because it was promoted. */
async function replayed(pool: pg.Pool): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END::text AS position',
  )
  return numberOf(rows[0]?.position ?? '')
}

/** Returns the number of a position. Undefined if the text is none. */
function numberOf(position: string): bigint | undefined {
  const [, high, low] = positionPattern.exec(position) ?? []
  return high && low ? (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`) : undefined
}
