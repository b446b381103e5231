import type { GraphQLResolveInfo } from 'graphql'
import type { Ctx } from '../../db/context.ts'
import { fullAccess, type KeyScope, MissingScope, may, mustBeAllowed, type Scope } from '../../kernel/scopes.ts'

/** The permission that a field requires of a key: a scope, or full access. */
export type Need = Scope | 'full access'

/** Returns the permission to do what needs a scope, or full access. */
export function needFor(scope: KeyScope): Need {
  return scope === fullAccess ? 'full access' : scope
}

/** Throws FORBIDDEN if the key lacks the permission. */
export function mustReach(ctx: Ctx, need: Need): void {
  if (need !== 'full access') mustBeAllowed(ctx, need)
  else if (ctx.scopes !== undefined) throw new MissingScope(fullAccess)
}

/** Returns whether the key has the permission. */
export function canReach(ctx: Ctx, need: Need): boolean {
  return need === 'full access' ? ctx.scopes === undefined : may(ctx, need)
}

/** Returns the value of the enum Scope: CONTACTS_READ for `contacts:read`. */
export function scopeName(scope: Scope | typeof fullAccess): string {
  return scope.replace(':', '_').toUpperCase()
}

const checkedNeeds = new WeakMap<object, Need>()

/** Wraps a resolver with a check of the key's permission. The resolver throws FORBIDDEN if the key lacks it. */
export function allowed<Parent, Args, Answer>(
  need: Need,
  resolve: (parent: Parent, args: Args, ctx: Ctx, info: GraphQLResolveInfo) => Answer,
): (parent: Parent, args: Args, ctx: Ctx, info: GraphQLResolveInfo) => Answer {
  const checked = (parent: Parent, args: Args, ctx: Ctx, info: GraphQLResolveInfo) => {
    mustReach(ctx, need)
    return resolve(parent, args, ctx, info)
  }
  checkedNeeds.set(checked, need)
  return checked
}

/** Returns the permission that a resolver checks, or undefined if `allowed` did not create it. */
export function needOf(resolve: object): Need | undefined {
  return checkedNeeds.get(resolve)
}
