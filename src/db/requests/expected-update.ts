import { Refusal } from '../../kernel/errors.ts'
import { formatInstant } from '../../kernel/values/format-instant.ts'
import type { Ctx } from '../context.ts'

/** Locks the object that an update changes until the transaction ends, and returns it. */
export type LockTarget<Input> = (tx: Ctx, input: Input) => Promise<{ readonly updatedAt: Date }>

/**
 * Returns an update that checks the `expectedUpdatedAt` of its input: in the transaction of the update, `lock` locks the object
 * before the update reads it. A repeat with the same idempotency key returns the stored result and checks nothing.
 *
 * It **throws** CONFLICT with the current `updatedAt` if the object was changed, and what `lock` and `run` throw.
 */
export function unlessChanged<Input, Result>(
  lock: LockTarget<Input>,
  run: (ctx: Ctx, input: Input) => Promise<Result>,
): (ctx: Ctx, input: Input & { expectedUpdatedAt?: Date | null }) => Promise<Result> {
  return async (ctx, { expectedUpdatedAt, ...rest }) => {
    const input = rest as Input
    if (expectedUpdatedAt == null) return run(ctx, input)
    const precondition = async (tx: Ctx) => {
      const { updatedAt } = await lock(tx, input)
      if (updatedAt.getTime() !== expectedUpdatedAt.getTime()) throw conflict(updatedAt)
    }
    if (!ctx.afterCommit) return run({ ...ctx, precondition }, input)
    await precondition(ctx)
    return run(ctx, input)
  }
}

function conflict(current: Date): Refusal {
  const updatedAt = formatInstant(current)
  const fault = { path: 'expectedUpdatedAt', code: 'OUTDATED', message: `must be ${updatedAt}` } as const
  return new Refusal('CONFLICT', `The object was changed at ${updatedAt}. No changes were made.`, [fault], {
    updatedAt,
  })
}
