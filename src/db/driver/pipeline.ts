import type { Writable } from 'node:stream'
import type pg from 'pg'
import { costsConnection, DatabaseUnavailable } from './outages.ts'
import type { PreparedStatement } from './prepared-statement.ts'
import { connectMilliseconds } from './watch.ts'

/** A statement, and the function that gets its error or its rows. */
export interface Outgoing {
  readonly statement: PreparedStatement
  readonly settle: (error: Error | undefined, rows?: readonly object[]) => void
}

/** Sends single statements on connections of a pool. */
export interface StatementSender {
  /** Sends statements together on one connection. Each succeeds or fails by itself. */
  send(group: readonly Outgoing[]): void
  /** Returns an unused connection to the pool, for work that needs one for itself. */
  release(): void
  /** Removes a connection that was lost while it was unused. */
  drop(client: pg.PoolClient, error: Error): boolean
  /** Returns the numbers of unused connections and of groups that wait for one. */
  state(): { readonly idle: number; readonly waiting: number }
  /** Returns all connections to the pool, also those that are in use when their statements end. */
  close(): void
}

/** Interval at which connections are returned that were not used since the last time, in milliseconds. */
const sweepMs = 500

/** Message of the pool if it has no connection in time. */
const poolTimeout = 'timeout exceeded when trying to connect'

interface Waiting {
  readonly group: readonly Outgoing[]
  readonly since: number
}

/**
 * Creates what sends single statements. It keeps connections of the pool while statements follow one another, because acquiring and
 * releasing one takes as long as sending a statement. Transactions and statements take turns if both wait for a connection.
 */
export function newStatementSender(pool: pg.Pool, isAway: () => boolean): StatementSender {
  const free: pg.PoolClient[] = []
  const waiting: Waiting[] = []
  /** Requests to the pool, and how many of them wait because it has no connection left. */
  let requested = 0
  let queued = 0
  let leastFree = 0
  let isOthersTurn = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const sweep = () => {
    for (let unused = leastFree; unused > 0; unused -= 1) free.shift()?.release()
    leastFree = free.length
    failOld()
    if (free.length + waiting.length > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const startSweeping = () => {
    timer ??= setInterval(sweep, sweepMs).unref()
  }
  const failOld = () => {
    const tooOld = performance.now() - connectMilliseconds
    while (waiting[0] && waiting[0].since < tooOld) failNext(new Error(poolTimeout))
  }
  const failNext = (error: Error) => {
    for (const { settle } of waiting.shift()?.group ?? []) settle(error)
  }

  /** A waiting group has always requested a connection of the pool, because others may release one there. */
  const request = () => {
    const before = pool.waitingCount
    let isQueued = false
    requested += 1
    pool.connect((error, client) => {
      requested -= 1
      if (isQueued) queued -= 1
      if (client) use(client)
      // It waited in the pool while the connections that are kept here served others, so the groups of now are younger.
      else if (error?.message === poolTimeout) failOld()
      else failNext(error as Error)
      if (waiting.length > 0 && requested === 0) request()
    })
    isQueued = pool.waitingCount > before
    if (isQueued) queued += 1
  }
  const doOthersWait = () => pool.waitingCount > queued
  const use = (client: pg.PoolClient) => {
    const next = waiting.shift()
    if (next) run(client, next.group)
    else if (isClosed || doOthersWait()) client.release()
    else {
      free.push(client)
      startSweeping()
    }
  }
  const end = (client: pg.PoolClient, failure: Error | undefined) => {
    // The driver reports this only if no statement follows immediately.
    client.emit('drain')
    isOthersTurn = !isOthersTurn && doOthersWait()
    if (failure || isOthersTurn) client.release(failure)
    else use(client)
  }
  const run = (client: pg.PoolClient, group: readonly Outgoing[]) => {
    const { stream } = client.connection as unknown as { stream: Writable }
    let left = group.length
    let failure: Error | undefined
    stream.cork()
    for (const { statement, settle } of group) {
      const done = (error: Error | undefined, rows?: readonly object[]) => {
        left -= 1
        if (error && costsConnection(error)) failure ??= error
        if (left === 0) end(client, failure)
        settle(error, rows)
      }
      client.query(statement as never, done as never)
    }
    stream.uncork()
  }

  return {
    send: (group) => {
      if (isAway()) {
        const error = new DatabaseUnavailable('unreached', 'The database does not answer.')
        for (const { settle } of group) settle(error)
        return
      }
      const client = free.pop()
      leastFree = Math.min(leastFree, free.length)
      if (client) return run(client, group)
      waiting.push({ group, since: performance.now() })
      startSweeping()
      if (requested === 0 || pool.totalCount < pool.options.max) request()
    },
    release: () => {
      free.pop()?.release()
      leastFree = Math.min(leastFree, free.length)
    },
    drop: (client, error) => {
      const index = free.indexOf(client)
      if (index < 0) return false
      free.splice(index, 1)
      client.release(error)
      return true
    },
    state: () => ({ idle: free.length, waiting: waiting.length }),
    close: () => {
      isClosed = true
      for (const client of free.splice(0)) client.release()
    },
  }
}
