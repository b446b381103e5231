import pg from 'pg'
import { connectMilliseconds, type DatabaseWatch, destroy, endClient } from '../../db/watch.ts'
import type { Log } from '../../kernel/log.ts'
import { loop } from '../../kernel/loop.ts'
import type { Metrics } from '../../kernel/metrics.ts'
import { within } from '../../kernel/within.ts'

/** The channel on which processes hear that something was announced, and wants a position. */
export const announcedChannel = 'campanile_announced'

/** The channel on which they hear that events were stamped, and can be read. */
export const stampedChannel = 'campanile_stamped'

/** Any number, the same for all: who holds the lock on it leads. */
const lockNumber = 72_707_370

/** How many events one pass stamps at most. */
const batchSize = 1_000

/** A leader that leaves an event lying so long is helped, in milliseconds; an alarm tells when that is not enough. */
const patience = 2_500
const alarming = 10_000

/** How long a pass has to end when the process stops. */
const stoppingMilliseconds = 3_000

/**
 * Gives each event that has been committed its position: dense over all accounts, in the order of ids, so that whoever
 * reads by position misses nothing. A transaction that is still open holds up nobody but its own events.
 *
 * One process leads, by a lock that its connection holds; where it dies, or stands still, another one does the work. Two
 * at a time do no harm, for each pass locks the one counter.
 */
export function runSequencer(options: {
  /** Must not go through a transaction pooler: the lock belongs to the connection. */
  directUrl: string
  watch?: DatabaseWatch | undefined
  /** Hints that there are new positions. */
  tell: () => void
  metrics: Metrics
  log: Log
}): { wake(): void; stop(): Promise<void> } {
  const { directUrl, tell, metrics, log } = options
  let client: pg.Client | undefined
  let isLeader = false
  let waiting: { id: string; since: number } | undefined
  let isAlarmed = false

  const connected = async (): Promise<pg.Client> => {
    if (client) return client
    const next = new pg.Client({
      connectionString: directUrl,
      application_name: 'campanile sequencer',
      keepAlive: true,
      connectionTimeoutMillis: connectMilliseconds,
    })
    options.watch?.guard(next, { isLasting: true })
    const lost = () => {
      if (client !== next) return
      client = undefined
      isLeader = false
    }
    next.on('error', lost)
    next.on('end', lost)
    try {
      await next.connect()
      await next.query(settings)
    } catch (error) {
      destroy(next)
      throw error
    }
    client = next
    return next
  }

  /** Since how long the oldest event lies that anyone can see, in milliseconds. */
  const watch = (oldest: string | null): number => {
    const now = performance.now()
    if (oldest === null) waiting = undefined
    else if (waiting?.id !== oldest) waiting = { id: oldest, since: now }
    const lag = waiting ? now - waiting.since : 0
    metrics.eventLag(lag / 1000)
    if (lag > alarming && !isAlarmed) log.error({ seconds: Math.round(lag / 1000) }, 'events lie without a position')
    isAlarmed = lag > alarming
    return lag
  }

  const work = async (): Promise<boolean> => {
    const db = await connected()
    if (!isLeader) {
      const { rows } = await db.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [lockNumber])
      isLeader = rows[0]?.mine === true
    }
    const { rows } = await db.query<{ oldest: string | null }>(oldestUnstamped)
    const lag = watch(rows[0]?.oldest ?? null)
    if (!waiting || !(isLeader || lag > patience)) return false
    // Four statements in one message: no transaction stays open where this process is stopped between them.
    const results = (await db.query(pass)) as unknown as pg.QueryResult<{ stamped: string }>[]
    const stamped = Number(results.find(({ command }) => command === 'UPDATE')?.rows[0]?.stamped ?? 0)
    if (stamped > 0) {
      metrics.stamped(stamped)
      tell()
    }
    return stamped === batchSize
  }
  const running = loop('sequencer', work, { log })
  return {
    // Who does not lead has nothing to do before the leader has had its time.
    wake: () => {
      if (isLeader) running.wake()
    },
    stop: async () => {
      await within(running.stop(), stoppingMilliseconds)
      if (client) await endClient(client)
    },
  }
}

// A leader whose machine is gone must not keep its lock for long. The few rows of a pass are found by their keys, whatever
// the statistics of a table say that is mostly empty or mostly full; and plans that avoid what is off look dear enough to
// be compiled, which takes half a second.
const settings = `
  SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2;
  SET statement_timeout = 30000; SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 3000;
  SET jit = off; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`

const oldestUnstamped = 'SELECT min(id)::text AS oldest FROM outbox_event WHERE position IS NULL'

// The second statement sees what was committed until it holds the counter: what another process stamped is not stamped again.
const pass = `
  BEGIN;
  SELECT position FROM event_counter FOR UPDATE;
  WITH unstamped AS (
    SELECT account_id, id, created_at FROM outbox_event WHERE position IS NULL ORDER BY id LIMIT ${batchSize}
  ), placed AS (
    SELECT *, row_number() OVER (ORDER BY id) AS place FROM unstamped
  ), stamped AS (
    UPDATE outbox_event o SET position = c.position + p.place FROM placed p, event_counter c
    WHERE o.account_id = p.account_id AND o.id = p.id AND o.created_at = p.created_at RETURNING o.id
  )
  UPDATE event_counter SET position = position + (SELECT count(*) FROM stamped)
  RETURNING (SELECT count(*) FROM stamped) AS stamped;
  COMMIT`
