import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import { within } from '../kernel/within.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** How often connections are looked at. Limits are counted in these, so that a pause of this process is none of the database. */
const tickMilliseconds = 500

/** How often the database is asked whether it is there. */
const probeEvery = 1_000

/** After how long without an answer the database counts as away, and what runs longer than that is given up. */
const awayAfter = 2_500

/** How long a connection may take, and a request for one that is free. */
export const connectMilliseconds = 5_000

/** How long a statement may take that says nothing else; PostgreSQL ends it at this time, and we a little later. */
export const statementMilliseconds = 60_000
const grace = 5_000

/** How long a goodbye may take. */
export const partingMilliseconds = 1_000

const ticksOf = (milliseconds: number) => Math.ceil(milliseconds / tickMilliseconds)

interface Watched {
  /** Since how many ticks the statement that runs has run; undefined while none runs. */
  ticks: number | undefined
  readonly limit: number
  /** The limit of the transaction that is open, where it has one of its own. */
  ownLimit: number | undefined
  readonly isLasting: boolean
}

/** Knows whether the database answers, and gives up connections on which it does not. */
export interface DatabaseWatch {
  /** Whether the database has not answered lately: who needs it fails at once, and need not wait. */
  isAway(): boolean
  /**
   * Gives a connection its time limits: a statement that runs longer than `milliseconds` ends it, and so does one of more
   * than a moment while the database is away. A `isLasting` one is made anew after the database was away.
   */
  guard(client: pg.Client, options?: { milliseconds?: number; isLasting?: boolean }): void
  close(): Promise<void>
}

/**
 * Watches the database at `url` over a connection of its own. A server that hangs answers nothing and refuses nothing: only
 * a clock on this side tells.
 */
export function watchDatabase({ url, log }: { url: string; log: Log }): DatabaseWatch {
  const clients = new Map<pg.Client, Watched>()
  let isAway = false
  let probe: pg.Client | undefined
  /** The question that has no answer yet. */
  let asked: { ticks: number } | undefined
  let ticksSince = 0

  const drop = (client: pg.Client) => {
    if (probe === client) probe = undefined
    destroy(client)
  }
  const newProbe = () => {
    const client = new pg.Client({ connectionString: url, application_name: 'campanile watch' })
    client.on('error', () => drop(client))
    return client
  }
  const answered = () => {
    asked = undefined
    if (!isAway) return
    isAway = false
    log.warn('the database answers again')
    // Their other side may be gone without a word.
    for (const [client, { isLasting }] of clients) if (isLasting) giveUp(client)
  }
  const failed = (error: unknown) => {
    asked = undefined
    if (probe) drop(probe)
    if (!isAway) log.error({ err: error }, 'the database does not answer')
    isAway = true
  }
  const ask = async () => {
    const mine = { ticks: 0 }
    asked = mine
    ticksSince = 0
    try {
      // A connection of before may have ended meanwhile: that alone says nothing of the database.
      const known = probe
      if (known) await known.query('SELECT 1').catch(() => drop(known))
      if (!probe) {
        probe = newProbe()
        await probe.connect()
        await probe.query('SELECT 1')
      }
      if (asked === mine) answered()
    } catch (error) {
      if (asked === mine) failed(error)
    }
  }
  const look = () => {
    ticksSince += 1
    if (asked) {
      asked.ticks += 1
      if (asked.ticks > ticksOf(awayAfter)) failed(new DatabaseUnavailable('unreached', 'no answer in time'))
    } else if (ticksSince >= ticksOf(probeEvery)) ask()
    for (const [client, each] of clients) {
      if (each.ticks === undefined) continue
      each.ticks += 1
      const limit = isAway ? Math.min(each.limit, ticksOf(awayAfter)) : (each.ownLimit ?? each.limit)
      if (each.ticks > limit) giveUp(client)
    }
  }
  const timer = setInterval(look, tickMilliseconds).unref()

  return {
    isAway: () => isAway,
    guard: (client, { milliseconds = statementMilliseconds, isLasting = false } = {}) => {
      const each: Watched = { ticks: undefined, limit: ticksOf(milliseconds + grace), ownLimit: undefined, isLasting }
      clients.set(client, each)
      // An error of a connection that nobody uses at the moment must not end the process.
      client.on('error', () => undefined)
      client.on('end', () => clients.delete(client))
      client.on('drain', () => {
        each.ticks = undefined
      })
      const query = client.query
      client.query = ((...args: Parameters<typeof query>) => {
        each.ticks ??= 0
        noteOwnLimit(each, args[0])
        return query.apply(client, args)
      }) as typeof query
    },
    close: async () => {
      clearInterval(timer)
      asked = undefined
      if (probe) destroy(probe)
    },
  }
}

/** Ends a connection at once; what waits on it fails. */
function giveUp(client: pg.Client): void {
  streamOf(client).destroy(
    new DatabaseUnavailable('lost', 'Connection terminated: the database gave no answer in time'),
  )
}

/** Ends a connection: with a goodbye to the database, or, where that gets no answer within a second, without one. */
export async function endClient(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined)
  if (!(await within(ended, partingMilliseconds))) destroy(client)
}

/** Ends a connection at once, without a word to the other side, which may not be there. */
export function destroy(client: pg.Client): void {
  streamOf(client).destroy()
}

function streamOf(client: pg.Client): { destroy(error?: Error): void } {
  return (client as unknown as { connection: { stream: { destroy(error?: Error): void } } }).connection.stream
}

/** A transaction that sets its own limit keeps it until it ends. */
function noteOwnLimit(each: Watched, query: unknown): void {
  const text = typeof query === 'string' ? query : (query as { text?: unknown }).text
  if (typeof text !== 'string') return
  if (each.ownLimit === undefined) {
    const own = /^SET LOCAL statement_timeout = (\d+)$/.exec(text)?.[1]
    if (own !== undefined) each.ownLimit = ticksOf(Number(own) + grace)
  } else if (text === 'COMMIT' || text === 'ROLLBACK') each.ownLimit = undefined
}
