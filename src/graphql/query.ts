import type { Ctx } from '../db/context.ts'
import { refuse } from '../kernel/errors.ts'
import { mustBeAllowed, type Scope } from '../kernel/scopes.ts'

/** What a key needs for a field: a scope, or full access. */
export type Need = Scope | 'full access'

/** Throws FORBIDDEN unless the key has the scope, or full access if that is needed. */
export function mustReach(ctx: Ctx, need: Need): void {
  if (need !== 'full access') mustBeAllowed(ctx, need)
  else if (ctx.scopes !== undefined) throw refuse('FORBIDDEN', 'This takes a key with full access.')
}

const checkedNeeds = new WeakMap<object, Need>()

/** Wraps a resolver so that it first checks that the key reaches this far. */
export function allowed<Parent, Args, Answer>(
  need: Need,
  resolve: (parent: Parent, args: Args, ctx: Ctx) => Answer,
): (parent: Parent, args: Args, ctx: Ctx) => Answer {
  const checked = (parent: Parent, args: Args, ctx: Ctx) => {
    mustReach(ctx, need)
    return resolve(parent, args, ctx)
  }
  checkedNeeds.set(checked, need)
  return checked
}

/** The need that a resolver checks, if `allowed` made it. */
export function needOf(resolve: object): Need | undefined {
  return checkedNeeds.get(resolve)
}
