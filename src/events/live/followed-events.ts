import type { Ctx } from '../../db/context.ts'
import { problem } from '../../db/filters/filter.ts'
import { isRelativeToNow, usesOf } from '../../db/filters/filter-uses.ts'
import type { List } from '../../db/lists/list.ts'
import type { Sql } from '../../db/sql.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Announcements } from '../types/event-types.ts'

type AnyEvent = keyof Announcements

/**
 * When a condition on a field can change its outcome: after the changes of the row itself (`row`), after other events about
 * the row, after events that can change it for many rows (`resets`), or without an event (null).
 */
type FollowedField =
  | 'row'
  | { readonly changes: readonly AnyEvent[]; readonly resets?: readonly AnyEvent[] }
  | { readonly resets: readonly AnyEvent[] }
  | null

/** A list whose changes can be followed. */
export interface LiveDefinition<Filter extends object> {
  // biome-ignore lint/suspicious/noExplicitAny: neither the rows nor the orders of the list matter
  readonly list: List<any, Filter, any>
  readonly needs: Scope
  /** The field of the data of events with the id of a row. */
  readonly subject: string
  /** The events after which a row was created, changed or deleted. */
  readonly changes: readonly AnyEvent[]
  /** Each field of the filter. */
  readonly fields: Readonly<Record<Exclude<keyof Filter, 'and' | 'or' | 'not'>, FollowedField>>
  /** Selects the rows (`id`) that objects with ids (`via`) belong to, by the field of events with the id of such an object. */
  readonly related?: Readonly<Record<string, (ctx: Ctx, ids: readonly number[]) => Sql>>
}

// biome-ignore lint/suspicious/noExplicitAny: lists with all filters are followed alike
export type AnyLiveDefinition = LiveDefinition<any>

/** The events that can change a list with a filter: those about single rows, and those after which it is read again. */
export interface FollowedEvents {
  readonly changes: ReadonlySet<string>
  readonly resets: ReadonlySet<string>
}

/**
 * Returns the events that can change a list with a checked filter.
 *
 * **Throws** VALIDATION_ERROR for a condition whose outcome can change without an event: one that is relative to the current
 * time, or on values whose changes no event reports.
 */
export async function followedEvents(
  ctx: Ctx,
  { list, changes, fields }: AnyLiveDefinition,
  filter: object,
): Promise<FollowedEvents> {
  const followed = { changes: new Set<string>(changes), resets: new Set<string>() }
  for (const { name, value, path } of await usesOf(ctx, list.filter, filter, 'filter')) {
    const field = (fields as Readonly<Record<string, FollowedField>>)[name]
    if (!field) throw problem(path, 'cannot be followed: no event reports when its outcome changes')
    if (isRelativeToNow(value)) throw problem(path, 'cannot be followed: it depends on the current time')
    if (field === 'row') continue
    if ('changes' in field) for (const type of field.changes) followed.changes.add(type)
    for (const type of field.resets ?? []) followed.resets.add(type)
  }
  return followed
}
