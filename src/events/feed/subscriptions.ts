import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { cursorOf, type FeedSelection, positionOf, type Source } from '../../kernel/feed.ts'
import type { Announcements, EventType } from '../types/event-types.ts'
import { type EventFilter, readFilter } from './event-filter.ts'

/** The start of a subscription: after a cursor, or now if it is absent. */
interface StartOptions {
  readonly after?: string | null | undefined
}

/**
 * Subscribes to the events of the account that a filter selects. `types` is its field of that name.
 *
 * **Throws** FORBIDDEN if the key cannot read one of the types, VALIDATION_ERROR for an invalid filter or cursor, and
 * CURSOR_EXPIRED if events after the cursor are no longer stored.
 */
export async function events(
  ctx: Ctx,
  {
    types,
    filter,
    ...start
  }: StartOptions & { types?: readonly EventType[] | null | undefined; filter?: EventFilter | null | undefined },
): Promise<Source> {
  if (types && filter?.types) throw invalid({ types: ['cannot be combined with filter.types'] }, 'NOT_COMBINABLE')
  if (types?.length === 0) throw invalid({ types: ['must contain at least one type, or be absent'] }, 'REQUIRED')
  return follow(ctx, start, readFilter(ctx, { ...filter, types: types ?? filter?.types }))
}

/** Subscribes to events and signals. **Throws** VALIDATION_ERROR and CURSOR_EXPIRED as `events` does. */
export async function follow(
  ctx: Ctx,
  { after }: StartOptions,
  selection: Omit<FeedSelection, 'accountId' | 'after' | 'types'> & {
    readonly types: readonly (keyof Announcements)[]
  },
): Promise<Source> {
  return ctx.feed.follow({ ...selection, accountId: ctx.accountId, after: startPosition(ctx, after) })
}

/**
 * Returns the position after which a stream starts; undefined without a cursor. **Throws** VALIDATION_ERROR for an invalid one.
 */
export function startPosition(ctx: Ctx, after: string | null | undefined): bigint | undefined {
  // The position of a reconnecting stream is newer than the cursor in its document.
  const cursor = ctx.resumeAfter ?? after ?? undefined
  const position = cursor === undefined ? undefined : positionOf(cursor)
  if (cursor !== undefined && position === undefined) throw invalid({ after: ['must be the cursor of an event'] })
  return position
}

/**
 * Returns a cursor for a client that reads state now and subscribes afterwards. It misses no event; events of the last second
 * may be delivered again.
 */
export function latestCursor(ctx: Ctx): string {
  return cursorOf(ctx.feed.position())
}
