import { Prisma } from '../../prisma/generated/client/client.ts'
import type { Caller } from '../kernel/scopes.ts'
import type { Client } from './client.ts'
import { type Ctx, newLoad, type System } from './context.ts'
import { statementOf } from './sql.ts'

/** How long a transaction may take, unless its work says that it needs longer. */
const usualMilliseconds = 30_000

/** How often a transaction that lost against another is tried again. */
const attempts = 4

/**
 * Runs work in one transaction of the account: all of it happens, or nothing. Called inside an open transaction it joins
 * that. A transaction that the server broke off to undo a deadlock is tried again from the start, so `work` may run more
 * than once: what must happen once goes into `tx.afterCommit`. `timeout` is in milliseconds, for the whole and for each of
 * its statements.
 */
export async function inTransaction<Result>(
  ctx: Ctx,
  work: (tx: Ctx) => Promise<Result>,
  timeout = usualMilliseconds,
): Promise<Result> {
  if (ctx.afterCommit) return work(ctx)
  for (let attempt = 1; ; attempt += 1) {
    const actions: (() => void)[] = []
    try {
      const result = await ctx.db.$transaction(
        async (client) => {
          // A single statement may be what takes so long, and the server ends those of a minute.
          if (timeout > usualMilliseconds) await client.$executeRawUnsafe(`SET LOCAL statement_timeout = ${timeout}`)
          return work(ctxOf(ctx, client as unknown as Client, (action) => actions.push(action)))
        },
        { maxWait: 10_000, timeout },
      )
      ctx.load.clear()
      for (const action of actions) action()
      return result
    } catch (error) {
      if (attempt >= attempts || !isLostRace(error)) throw error
    }
  }
}

/**
 * Tries work inside an open transaction that may go on without it: where it throws, what it did is undone, and the
 * transaction is as it was before.
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

/** A transaction of no account in particular. */
export interface SystemTx extends System {
  readonly afterCommit: (action: () => void) => void
}

/** The same for work that belongs to no account, or to many: administration, and readers of the log. */
export async function inSystemTransaction<Result>(
  system: System,
  work: (tx: SystemTx) => Promise<Result>,
  timeout = 5_000,
): Promise<Result> {
  const actions: (() => void)[] = []
  const result = await system.db.$transaction(
    (client) =>
      work({ ...system, db: client as unknown as Client, afterCommit: (action) => void actions.push(action) }),
    { maxWait: 10_000, timeout },
  )
  for (const action of actions) action()
  return result
}

/** The part of a transaction that is about one account: what operations take. */
export function ofAccount(tx: SystemTx, accountId: number): Ctx {
  return ctxOf({ ...tx, accountId }, tx.db, tx.afterCommit)
}

function ctxOf(ctx: System & Caller, client: Client, afterCommit: (action: () => void) => void): Ctx {
  const tx: Ctx = {
    ...ctx,
    db: client,
    sql: statementOf(ctx.accountId, (text, values) => client.$queryRawUnsafe(text, ...values)),
    load: newLoad(() => tx),
    afterCommit,
  }
  return tx
}

/** Deadlock and serialisation failure, which say "again" rather than "no". */
function isLostRace(error: unknown): boolean {
  return (
    error instanceof Prisma.PrismaClientKnownRequestError &&
    (error.code === 'P2034' || /40P01|40001/.test(codeOf(error)))
  )
}

/** PostgreSQL's own code of a failed statement, or empty text. */
function codeOf(error: Prisma.PrismaClientKnownRequestError): string {
  const cause = (error.meta?.['driverAdapterError'] as { cause?: { originalCode?: string } } | undefined)?.cause
  return cause?.originalCode ?? ''
}
