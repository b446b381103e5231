import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { cursorOf, positionOf, type Source, type StampedEvent } from '../../kernel/feed.ts'
import { may, mustBeAllowed } from '../../kernel/scopes.ts'
import { type Announced, declarationOf, type EventType, eventTypes } from './types.ts'

/** The start of a subscription: after a cursor, or now if it is absent. */
interface StartOptions {
  readonly after?: string | null | undefined
}

/**
 * Subscribes to the events of the account: those of `types`, or all types that the key can read.
 *
 * **Throws** FORBIDDEN if the key cannot read one of `types`, VALIDATION_ERROR for an invalid cursor, and CURSOR_EXPIRED if
 * events after the cursor are no longer stored.
 */
export async function events(
  ctx: Ctx,
  { types, ...start }: StartOptions & { types?: readonly EventType[] | null | undefined },
): Promise<Source> {
  for (const type of types ?? []) mustBeAllowed(ctx, declarationOf(type).needs)
  if (types?.length === 0) throw invalid({ types: ['must contain at least one type, or be absent'] }, 'REQUIRED')
  return follow(ctx, start, types ?? eventTypes().filter((type) => may(ctx, declarationOf(type).needs)))
}

/** Subscribes to events and signals of `types` for which `isWanted` returns true. **Throws** as `events` does. */
export async function follow(
  ctx: Ctx,
  { after }: StartOptions,
  types: readonly (keyof Announced)[],
  isWanted?: (event: StampedEvent) => boolean,
): Promise<Source> {
  // The position of a reconnecting stream is newer than the cursor in its document.
  const cursor = ctx.resumeAfter ?? after ?? undefined
  const position = cursor === undefined ? undefined : positionOf(cursor)
  if (cursor !== undefined && position === undefined) throw invalid({ after: ['must be the cursor of an event'] })
  return ctx.feed.follow({ accountId: ctx.accountId, after: position, types, isWanted })
}

/**
 * Returns a cursor for a client that reads state now and subscribes afterwards. It misses no event; events of the last second
 * may be delivered again.
 */
export function latestCursor(ctx: Ctx): string {
  return cursorOf(ctx.feed.position())
}
