import type { Ctx } from '../kernel/context.ts'
import { mustReach, type Need } from './mutation.ts'

/** A resolver that first asks whether the key reaches this far. */
export function allowed<Parent, Args, Answer>(
  need: Need,
  resolve: (parent: Parent, args: Args, ctx: Ctx) => Answer,
): (parent: Parent, args: Args, ctx: Ctx) => Answer {
  return (parent, args, ctx) => {
    mustReach(ctx, need)
    return resolve(parent, args, ctx)
  }
}
