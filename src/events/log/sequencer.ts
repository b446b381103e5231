import type { DatabaseWatch } from '../../db/driver/index.ts'
import { Connection } from '../../db/driver/index.ts'
import { inOrder } from '../../kernel/in-order.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { loop } from '../../kernel/work/loop.ts'
import { within } from '../../kernel/work/within.ts'

/** The NOTIFY channel for committed events without a position. */
export const announcedChannel = 'campanile_announced'

/** The NOTIFY channel for events that got a position and can be read. */
export const stampedChannel = 'campanile_stamped'

/** The key of the advisory lock of the leader. It must be the same in all processes. */
const lockNumber = 72_707_370

/** The maximum number of events per pass. */
const batchSize = 1_000

/** If an event has no position for this time, other processes assign positions too. */
const takeoverMs = 2_500

/** If an event has no position for this time, an error is logged. */
const alarmMs = 10_000

/** A running pass gets this time to finish when the process stops. */
const stopTimeoutMs = 3_000

/** The running sequencer of a process. */
interface Sequencer {
  /** Makes the leader look for events. Other processes act only after the takeover time. */
  wake(): void
  /** Returns whether this process is the leader. Other processes then need no notification of its events. */
  isLeader(): boolean
  stop(): Promise<void>
}

/**
 * Assigns a position to each committed event. Positions have no gaps over all accounts and follow the order of IDs, so a
 * reader that continues after a position misses no event. An open transaction delays only its own events.
 *
 * One process is the leader: its connection holds an advisory lock. If the leader dies or stalls, another process takes over.
 * Concurrent passes are safe, because each locks the counter.
 */
export function runSequencer(options: {
  /** Must bypass a transaction pooler, because the lock belongs to the connection. */
  directUrl: string
  watch?: DatabaseWatch | undefined
  /** Notifies the readers of new positions. */
  tell: () => void
  metrics: Metrics
  log: Log
}): Sequencer {
  const { directUrl, tell, metrics, log } = options
  let client: Connection | undefined
  let isLeader = false
  let waiting: { id: string; since: number } | undefined
  let isAlarmed = false

  const connect = async (): Promise<Connection> => {
    if (client) return client
    const next = new Connection({
      connectionString: directUrl,
      application_name: 'campanile sequencer',
      // Sends the statements of a pass in one message, so that no transaction stays open if this process is suspended.
      pipeline: true,
      watch: options.watch,
      isLasting: true,
    })
    const handleLoss = () => {
      if (client !== next) return
      client = undefined
      isLeader = false
    }
    next.on('error', handleLoss)
    next.on('end', handleLoss)
    try {
      await next.connect()
      await next.query(settings)
    } catch (error) {
      next.destroy()
      throw error
    }
    client = next
    return next
  }

  /** Returns the time for which the oldest committed event has had no position, in milliseconds. */
  const measureLag = (oldest: string | null): number => {
    const now = performance.now()
    if (oldest === null) waiting = undefined
    else if (waiting?.id !== oldest) waiting = { id: oldest, since: now }
    const lag = waiting ? now - waiting.since : 0
    metrics.eventLag(lag / 1000)
    if (lag > alarmMs && !isAlarmed) log.error({ seconds: Math.round(lag / 1000) }, 'events have no position')
    isAlarmed = lag > alarmMs
    return lag
  }

  const work = async (): Promise<boolean> => {
    const db = await connect()
    if (!isLeader) {
      const { rows } = await db.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [lockNumber])
      isLeader = rows[0]?.mine === true
    }
    const { send } = db.newTransaction()
    const run = async (config: { text: string; name?: string }) => (await send(config)).rows[0]
    const { oldest } = (await run({ name: 'oldest', text: oldestUnstamped })) as { oldest: string | null }
    const lag = measureLag(oldest)
    if (!waiting || !(isLeader || lag > takeoverMs)) return false
    const statements = [
      { name: 'lock', text: lockCounter },
      { name: 'pass', text: pass },
    ]
    const sent = [{ text: 'BEGIN' }, ...statements, { text: 'COMMIT' }].map(run)
    const [, , counted] = await inOrder(sent).catch(async (error: unknown) => {
      // The transaction stays open after an error, and a lost connection is opened again.
      await db.query('ROLLBACK').catch(() => undefined)
      throw error
    })
    const stamped = Number((counted as { stamped: string }).stamped)
    if (stamped > 0) {
      metrics.stamped(stamped)
      tell()
    }
    return stamped === batchSize
  }
  const running = loop('sequencer', work, { log })
  return {
    wake: () => {
      if (isLeader) running.wake()
    },
    isLeader: () => isLeader,
    stop: async () => {
      await within(running.stop(), stopTimeoutMs)
      if (client) await client.close()
    },
  }
}

// Keepalives end the lock of a leader whose machine failed. The planner settings make a pass use the indexes whatever the
// statistics of the table say. JIT is off because the artificial costs of such plans would trigger a compilation of 0.5 s.
const settings = `
  SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2;
  SET statement_timeout = 30000; SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 3000;
  SET jit = off; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`

const oldestUnstamped = 'SELECT min(id)::text AS oldest FROM outbox_event WHERE position IS NULL'

const lockCounter = 'SELECT position FROM event_counter FOR UPDATE'

// Prepared, because planning the update of all partitions takes longer than running it. It starts after the lock is acquired, so
// it sees the positions that another process has assigned.
const pass = `
  WITH unstamped AS (
    SELECT account_id, id, created_at FROM outbox_event WHERE position IS NULL ORDER BY id LIMIT ${batchSize}
  ), placed AS (
    SELECT *, row_number() OVER (ORDER BY id) AS place FROM unstamped
  ), stamped AS (
    UPDATE outbox_event o SET position = c.position + p.place FROM placed p, event_counter c
    WHERE o.account_id = p.account_id AND o.id = p.id AND o.created_at = p.created_at RETURNING o.id
  )
  UPDATE event_counter SET position = position + (SELECT count(*) FROM stamped)
  RETURNING (SELECT count(*) FROM stamped) AS stamped`
