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

/** How the statements of transactions are sent. */
interface Sending {
  /** Returns what is sent for a statement. */
  readonly inTransaction: (text: string, values: unknown[]) => pg.QueryConfig
  /** Gets the error of each statement. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Creates the function that runs transactions on the connections of a pool. Our own statements go directly to the connection.
 * Prisma's client joins the transaction when work first uses it.
 */
export function newTransact<Client>(
  pool: Pick<pg.Pool, 'connect'>,
  prisma: () => Opener<Client>,
  sending: Sending,
): Transact<Client> {
  return async (work, timeout) => {
    const transaction = new Transaction(await pool.connect(), sending, timeout)
    let leave: (() => void) | undefined
    const join = () =>
      new Promise<Client>((resolve, reject) => {
        const work = (client: Client) => {
          resolve(client)
          return new Promise<void>((left) => {
            leave = left
          })
        }
        current.run(transaction.query, () => prisma().$transaction(work, { timeout: timeout * 2 })).catch(reject)
      })
    try {
      const result = await work(lazily(join, transaction))
      transaction.mustBeOpen()
      await transaction.end('COMMIT')
      return result
    } catch (error) {
      if (!transaction.hasEnded) await transaction.end('ROLLBACK').catch(ignore)
      throw error
    } finally {
      leave?.()
    }
  }
}

/** An open transaction on a connection of the pool. It is rolled back if it takes longer than `timeout` milliseconds. */
class Transaction {
  readonly #connection: pg.PoolClient
  readonly #sending: Sending
  readonly #send: Query
  readonly #timeout: number
  readonly #timer: NodeJS.Timeout
  #failure: unknown
  hasEnded = false

  constructor(connection: pg.PoolClient, sending: Sending, timeout: number) {
    this.#connection = connection
    this.#sending = sending
    this.#timeout = timeout
    this.#send = (connection as unknown as Connection).newTransaction().send
    // Without a handler, the loss of the connection would end the process. The next statement fails.
    connection.on('error', ignore)
    this.#timer = setTimeout(() => this.end('ROLLBACK').catch(ignore), timeout)
    // It is sent with the first statement, which fails if it does.
    this.#send(sending.inTransaction('BEGIN', []), true).catch(ignore)
  }

  /** Sends a statement with its values. */
  run(text: string, values: unknown[], isLater?: boolean): Promise<StatementResult> {
    return this.query(this.#sending.inTransaction(text, values), isLater)
  }

  /** Sends a statement. The connection may serve another request when the transaction has ended, so each one looks. */
  readonly query: Query = async (config, isLater) => {
    this.mustBeOpen()
    try {
      return await this.#send(config, isLater)
    } catch (error) {
      this.#sending.onFailure(error)
      const inFailedTransaction = '25P02'
      if ((error as { code?: string }).code === inFailedTransaction) throw await this.#reason(error)
      this.#failure = error
      throw error
    }
  }

  mustBeOpen(): void {
    if (this.hasEnded) throw new DatabaseUnavailable('lost', `The transaction took longer than ${this.#timeout} ms.`)
  }

  async end(command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    clearTimeout(this.#timer)
    this.hasEnded = true
    const { inTransaction, onFailure } = this.#sending
    try {
      // A transaction in which a statement failed is rolled back, also by COMMIT.
      const { command: done } = await this.#send(inTransaction(command, []))
      if (done !== command) throw await this.#reason(new Error('The transaction was rolled back.'))
      this.#release()
    } catch (error) {
      onFailure(error)
      // Not sent: a statement before it in the same message failed.
      await this.#send(inTransaction('ROLLBACK', [])).then(
        () => this.#release(),
        (failure: unknown) => this.#release(failure),
      )
      throw error
    }
  }

  /** Returns why the transaction is aborted. That error has arrived, but those who wait for it may not have it yet. */
  async #reason(otherwise: unknown): Promise<unknown> {
    await setImmediate()
    return this.#failure ?? otherwise
  }

  #release(error?: unknown): void {
    this.#connection.off('error', ignore)
    this.#connection.release(error !== undefined)
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
function lazily<Client>(join: () => Promise<Client>, transaction: Transaction): Client {
  let client: Promise<Client> | undefined
  const send = (text: TemplateStringsArray | Prisma.Sql, values: unknown[]) => {
    const statement = text instanceof Prisma.Sql ? text : Prisma.sql(text as TemplateStringsArray, ...values)
    return transaction.run(statement.text, statement.values as unknown[])
  }
  const raw = {
    $statement: (accountId: number): Statement =>
      statementOf(accountId, {
        send: async (text, values) => (await transaction.run(text, values)).rows,
        sendLater: (text, values) => void transaction.run(text, values, true).catch(ignore),
      }),
    $unscoped: async (_reason: string, statement: Prisma.Sql) => (await send(statement, [])).rows,
    $executeRaw: async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await send(text, values)).rowCount ?? 0,
    $executeRawUnsafe: async (text: string, ...values: unknown[]) =>
      (await transaction.run(text, values)).rowCount ?? 0,
    $queryRaw: async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => (await send(text, values)).rows,
  }
  const run = async (model: string, operation: string, args: unknown[]) => {
    transaction.mustBeOpen()
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
