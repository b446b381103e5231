import { Prisma } from '../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../kernel/context.ts'
import { newLoad } from '../kernel/load.ts'
import type { Client } from './client.ts'
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
          return work(ctxOf(ctx, client as unknown as Client, actions))
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

/** The same for work that belongs to no account yet: administration. */
export async function inSystemTransaction<Result>(
  system: System,
  work: (tx: System) => Promise<Result>,
): Promise<Result> {
  return system.db.$transaction((client) => work({ ...system, db: client as unknown as Client }), { maxWait: 10_000 })
}

function ctxOf(ctx: Ctx, client: Client, actions: (() => void)[]): Ctx {
  const tx: Ctx = {
    ...ctx,
    db: client,
    sql: statementOf(ctx.accountId, (text, values) => client.$queryRawUnsafe(text, ...values)),
    load: newLoad(() => tx),
    afterCommit: (action) => actions.push(action),
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
