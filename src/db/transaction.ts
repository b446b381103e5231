import type { Caller } from '../kernel/scopes.ts'
import type { Client } from './client.ts'
import type { Ctx, System } from './context.ts'
import { newLoad } from './loaders.ts'

/** Default timeout of a transaction, in milliseconds. */
const defaultTimeoutMs = 30_000

/** Maximum number of attempts after deadlocks, serialisation failures, and prepared statements that a pooler lost. */
const maxAttempts = 4

/**
 * Runs work in one transaction of the account. Inside an open transaction, it joins that transaction. After a deadlock
 * or a serialisation failure, the work is repeated, so `work` may run more than once. Effects that must happen once
 * belong in `tx.afterCommit`. `timeout` is in milliseconds and applies to the transaction and to each statement.
 */
export async function inTransaction<Result>(
  ctx: Ctx,
  work: (tx: Ctx) => Promise<Result>,
  timeout = defaultTimeoutMs,
): Promise<Result> {
  if (ctx.afterCommit) return work(ctx)
  for (let attempt = 1; ; attempt += 1) {
    const actions: (() => void)[] = []
    try {
      const run = async (client: Client) => {
        const tx = ctxOf(ctx, client, (action) => actions.push(action))
        // A single statement may take this long, and the default statement timeout is a minute.
        if (timeout > defaultTimeoutMs) await tx.db.$executeRawUnsafe(`SET LOCAL statement_timeout = ${timeout}`)
        const checked = async (inner: Ctx) => {
          await ctx.precondition?.(inner)
          return work(inner)
        }
        const result = await (ctx.keyed ? ctx.keyed(tx, checked) : checked(tx))
        await ctx.record?.(tx, result)
        return result
      }
      const result = await ctx.db.$inTurn(ctx.accountId, () => ctx.db.$transact(run, timeout))
      ctx.load.clear()
      for (const action of actions) action()
      return result
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryable(error)) throw error
    }
  }
}

/**
 * Runs work in a savepoint of an open transaction. If the work throws, its changes are rolled back and the transaction
 * can continue.
 */
export async function inSavepoint<Result>(tx: Ctx, work: (inner: Ctx) => Promise<Result>): Promise<Result> {
  const actions: (() => void)[] = []
  await tx.db.$executeRawUnsafe('SAVEPOINT attempt')
  try {
    const result = await work(ctxOf(tx, tx.db, (action) => actions.push(action)))
    await tx.db.$executeRawUnsafe('RELEASE SAVEPOINT attempt')
    for (const action of actions) tx.afterCommit?.(action)
    return result
  } catch (error) {
    await tx.db.$executeRawUnsafe('ROLLBACK TO SAVEPOINT attempt')
    throw error
  }
}

/** A transaction without an account. */
export interface SystemTx extends System {
  readonly afterCommit: (action: () => void) => void
}

/**
 * Runs work in one transaction without an account: administration, and readers of the event log. `timeout` is in
 * milliseconds. The work is repeated if a pooler lost a prepared statement, and after no other failure.
 */
export async function inSystemTransaction<Result>(
  system: System,
  work: (tx: SystemTx) => Promise<Result>,
  timeout = 5_000,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const actions: (() => void)[] = []
    try {
      const result = await system.db.$transact(
        (client: Client) => work({ ...system, db: client, afterCommit: (action) => void actions.push(action) }),
        timeout,
      )
      for (const action of actions) action()
      return result
    } catch (error) {
      if (attempt >= maxAttempts || !lostStatement.test(codeOf(error))) throw error
    }
  }
}

/**
 * Runs work without an account in one transaction whose statements all see the same rows: those of its start. Throws a
 * serialisation failure if it changes a row that another transaction changed since. `timeout` is in milliseconds and applies to
 * each statement. The transaction may take twice as long.
 */
export async function inSnapshot<Result>(
  system: System,
  work: (tx: SystemTx) => Promise<Result>,
  timeout: number,
): Promise<Result> {
  return inSystemTransaction(
    system,
    async (tx) => {
      await tx.db.$executeRawUnsafe('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      await tx.db.$executeRawUnsafe(`SET LOCAL statement_timeout = ${timeout}`)
      return work(tx)
    },
    2 * timeout,
  )
}

/** Returns the context of a transaction for the operations of one account. */
export function ofAccount(tx: SystemTx, accountId: number): Ctx {
  return ctxOf({ ...tx, accountId }, tx.db, tx.afterCommit)
}

function ctxOf(ctx: System & Caller, client: Client, afterCommit: (action: () => void) => void): Ctx {
  const tx: Ctx = {
    ...ctx,
    db: client,
    sql: client.$statement(ctx.accountId),
    load: newLoad(() => tx),
    afterCommit,
  }
  return tx
}

/**
 * Returns an error, to be thrown, after which `inTransaction` repeats its work, because another transaction has changed what the
 * work has read. Its locks are released before.
 */
export function conflict(): Error {
  return Object.assign(new Error('A concurrent transaction has changed the same rows.'), { code: '40001' })
}

/** Codes of deadlocks and serialisation failures, after which a retry may succeed. */
const contention = /^(P2034|40P01|40001)$/

/** Codes of a prepared statement that a pooler lost, or has of another client. It was not executed. */
const lostStatement = /^(26000|42P05)$/

function isRetryable(error: unknown): boolean {
  const code = codeOf(error)
  return contention.test(code) || lostStatement.test(code)
}

function codeOf(error: unknown): string {
  const { code, meta } = error as {
    code?: string
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } }
  }
  return code === 'P2034' ? code : (meta?.driverAdapterError?.cause?.originalCode ?? code ?? '')
}
