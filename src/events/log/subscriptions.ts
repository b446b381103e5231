import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { cursorOf, positionOf, type Source, type StampedEvent } from '../../kernel/feed.ts'
import { may, mustBeAllowed } from '../../kernel/scopes.ts'
import { type Announced, type EventType, eventTypes } from './types.ts'

/** Where someone wants to begin: after a cursor, or now. */
export interface From {
  readonly after?: string | null | undefined
}

/**
 * Follows the account's events: those of these types, or all that the key may read. Fails with FORBIDDEN where it may not
 * read one that is asked for, with VALIDATION_ERROR where the cursor is none, and with CURSOR_EXPIRED where what came
 * after it is no longer kept.
 */
export async function events(
  ctx: Ctx,
  { types, ...from }: From & { types?: readonly EventType[] | null | undefined },
): Promise<Source> {
  for (const type of types ?? []) mustBeAllowed(ctx, eventTypes[type].needs)
  if (types?.length === 0) throw invalid({ types: ['must name a type, or be left out'] })
  const all = Object.keys(eventTypes) as EventType[]
  return follow(ctx, from, types ?? all.filter((type) => may(ctx, eventTypes[type].needs)))
}

/** The same for a subscription of its own: of what is announced under these types, what is about its subject. */
export async function follow(
  ctx: Ctx,
  { after }: From,
  types: readonly (keyof Announced)[],
  isWanted?: (event: StampedEvent) => boolean,
): Promise<Source> {
  if (!ctx.feed) throw new Error('Nobody can follow events here.')
  // A stream that broke off knows better where it was than the document that began it.
  const cursor = ctx.resumeAfter ?? after ?? undefined
  const position = cursor === undefined ? undefined : positionOf(cursor)
  if (cursor !== undefined && position === undefined) throw invalid({ after: ['must be the cursor of an event'] })
  return ctx.feed.follow({ accountId: ctx.accountId, after: position, types, isWanted })
}

/**
 * A cursor for whoever reads the state now and follows what happens after it: nothing lies between, and what happened in
 * the last moment may come too.
 */
export function latestCursor(ctx: Ctx): string {
  if (!ctx.feed) throw new Error('Nobody can follow events here.')
  return cursorOf(ctx.feed.position())
}
