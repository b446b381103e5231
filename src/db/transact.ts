import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { Prisma } from '../../prisma/generated/client/client.ts'
import { type Connection, DatabaseUnavailable, type StatementResult } from './driver/index.ts'
import { type Statement, statementOf } from './sql.ts'

/** Sends a statement on the connection of a transaction, or later with the next one. Throws if the transaction has ended. */
type Query = (config: pg.QueryConfig, isLater?: boolean) => Promise<StatementResult>

/** The open transaction that Prisma's client joins with the transaction that it opens. */
const current = new AsyncLocalStorage<Query>()

/**
 * Runs work in a transaction, with a client whose statements belong to it. `timeout` is in milliseconds. Rolls back if the work
 * throws or takes longer.
 */
export type Transact<Client> = <Result>(work: (client: Client) => Promise<Result>, timeout: number) => Promise<Result>

/** A client of Prisma that opens transactions. */
interface Opener<Client> {
  $transaction<Result>(work: (client: Client) => Promise<Result>, options: { timeout: number }): Promise<Result>
}

/**
 * Creates the function that runs transactions on the connections of a pool. Our own statements go directly to the connection.
 * Prisma's client joins the transaction when work first uses it. `inTransaction` returns what is sent for a statement, and
 * `onFailure` gets its error.
 */
export function newTransact<Client>(
  pool: Pick<pg.Pool, 'connect'>,
  prisma: () => Opener<Client>,
  {
    inTransaction: toQuery,
    onFailure,
  }: {
    inTransaction: (text: string, values: unknown[]) => pg.QueryConfig
    onFailure: (error: unknown) => void
  },
): Transact<Client> {
  return async (work, timeout) => {
    const connection = await pool.connect()
    // Without a handler, the loss of the connection would end the process. The next statement fails.
    connection.on('error', ignore)
    const release = (error?: unknown) => {
      connection.off('error', ignore)
      connection.release(error !== undefined)
    }
    const { send } = (connection as unknown as Connection).newTransaction()
    let hasEnded = false
    let failure: unknown
    /** Returns why the transaction is aborted. That error has arrived, but those who wait for it may not have it yet. */
    const reason = async (otherwise: unknown) => {
      await setImmediate()
      return failure ?? otherwise
    }
    const end = async (command: 'COMMIT' | 'ROLLBACK') => {
      clearTimeout(timer)
      hasEnded = true
      try {
        // A transaction in which a statement failed is rolled back, also by COMMIT.
        const { command: done } = await send(toQuery(command, []))
        if (done !== command) throw await reason(new Error('The transaction was rolled back.'))
        release()
      } catch (error) {
        onFailure(error)
        // Not sent: a statement before it in the same message failed.
        await send(toQuery('ROLLBACK', [])).then(() => release(), release)
        throw error
      }
    }
    const timer = setTimeout(() => end('ROLLBACK').catch(ignore), timeout)
    const mustBeOpen = () => {
      if (hasEnded) throw new DatabaseUnavailable('lost', `The transaction took longer than ${timeout} ms.`)
    }
    // The connection may serve another request when the transaction has ended, so each statement looks.
    const query: Query = async (config, isLater) => {
      mustBeOpen()
      try {
        return await send(config, isLater)
      } catch (error) {
        onFailure(error)
        const inFailedTransaction = '25P02'
        if ((error as { code?: string }).code === inFailedTransaction) throw await reason(error)
        failure = error
        throw error
      }
    }
    let leave: (() => void) | undefined
    const join = () =>
      new Promise<Client>((resolve, reject) => {
        const work = (client: Client) => {
          resolve(client)
          return new Promise<void>((left) => {
            leave = left
          })
        }
        current.run(query, () => prisma().$transaction(work, { timeout: timeout * 2 })).catch(reject)
      })
    // It is sent with the first statement, which fails if it does.
    send(toQuery('BEGIN', []), true).catch(ignore)
    try {
      const result = await work(
        lazily(join, mustBeOpen, (text, values, isLater) => query(toQuery(text, values), isLater)),
      )
      mustBeOpen()
      await end('COMMIT')
      return result
    } catch (error) {
      if (!hasEnded) await end('ROLLBACK').catch(ignore)
      throw error
    } finally {
      leave?.()
    }
  }
}

/**
 * Returns the pool that Prisma's client uses. A transaction that it opens inside one of `newTransact` gets the same connection,
 * and its BEGIN and COMMIT are not sent.
 */
export function sharingPool(pool: pg.Pool): pg.Pool {
  const connect = async () => {
    const query = current.getStore()
    return query ? joined(query) : pool.connect()
  }
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return connect
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function joined(query: Query) {
  return {
    query: async (config: pg.QueryConfig) =>
      /^(BEGIN|COMMIT|ROLLBACK)$/.test(config.text) ? { fields: [], rows: [], rowCount: 0 } : query(config),
    on: () => undefined,
    removeListener: () => undefined,
    release: () => undefined,
  }
}

/** Returns a client of Prisma that joins the transaction when a model is first used. Raw statements do not need Prisma. */
function lazily<Client>(
  join: () => Promise<Client>,
  mustBeOpen: () => void,
  query: (text: string, values: unknown[], isLater?: boolean) => Promise<StatementResult>,
): Client {
  let client: Promise<Client> | undefined
  const send = (text: TemplateStringsArray | Prisma.Sql, values: unknown[]) => {
    const statement = text instanceof Prisma.Sql ? text : Prisma.sql(text as TemplateStringsArray, ...values)
    return query(statement.text, statement.values as unknown[])
  }
  const raw = {
    $statement: (accountId: number): Statement =>
      statementOf(accountId, {
        send: async (text, values) => (await query(text, values)).rows,
        sendLater: (text, values) => void query(text, values, true).catch(ignore),
      }),
    $executeRaw: async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await send(text, values)).rowCount ?? 0,
    $executeRawUnsafe: async (text: string, ...values: unknown[]) => (await query(text, values)).rowCount ?? 0,
    $queryRaw: async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => (await send(text, values)).rows,
  }
  const run = async (model: string, operation: string, args: unknown[]) => {
    mustBeOpen()
    client ??= join()
    const operations = (await client) as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>
    return operations[model]?.[operation]?.(...args)
  }
  const ofModel = (model: string) =>
    new Proxy(
      {},
      {
        get:
          (_, operation: string) =>
          (...args: unknown[]) =>
            run(model, operation, args),
      },
    )
  return new Proxy(raw, {
    get: (own, name: string) => own[name as keyof typeof raw] ?? ofModel(name),
  }) as Client
}

function ignore(): void {
  // The failure is reported by the statement that follows, or by the end of the transaction.
}
