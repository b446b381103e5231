import type { Ctx } from '../../db/context.ts'
import type { StampedEvent } from '../../kernel/feed.ts'
import type { AnyLiveDefinition } from './followed-events.ts'

/** The last event that names a row, with the id of the first one that it replaced. */
export interface NamedEvent extends StampedEvent {
  readonly firstId: bigint
}

/**
 * Adds an event under what it names: a field of its data and the id in it, such as `contactId 7`, that of the row itself before
 * others. It replaces an earlier event, so that the map stays in the order of the events.
 */
export function addNamed(
  named: Map<string, NamedEvent>,
  event: StampedEvent,
  { subject, related = {} }: AnyLiveDefinition,
): void {
  const ids = event.data as Readonly<Record<string, unknown>>
  const field = [subject, ...Object.keys(related)].find((name) => typeof ids[name] === 'number')
  if (field === undefined) return
  const key = `${field} ${ids[field]}`
  const firstId = named.get(key)?.firstId ?? event.id
  named.delete(key)
  named.set(key, { ...event, firstId })
}

/** Returns the rows that events name, each with its last event, in the order of the events. */
export async function rowsOf(
  ctx: Ctx,
  { subject, related = {} }: AnyLiveDefinition,
  named: readonly (readonly [string, NamedEvent])[],
): Promise<Map<number, NamedEvent>> {
  const found: [number, NamedEvent][] = []
  for (const [field, group] of Map.groupBy(named, ([key]) => key.split(' ')[0] ?? '')) {
    const events = new Map(group.map(([key, event]) => [Number(key.split(' ')[1]), event]))
    const select = field === subject ? undefined : related[field]
    const rows = select
      ? await ctx.sql<{ id: number; via: number }>`${select(ctx, [...events.keys()])}`
      : [...events.keys()].map((id) => ({ id, via: id }))
    found.push(...rows.map(({ id, via }): [number, NamedEvent] => [id, events.get(via) as NamedEvent]))
  }
  // A later event of a row replaces an earlier one.
  const rows = new Map<number, NamedEvent>()
  for (const [id, event] of found.sort(([, a], [, b]) => (a.position < b.position ? -1 : 1))) {
    const earlier = rows.get(id)?.firstId ?? event.firstId
    rows.delete(id)
    rows.set(id, { ...event, firstId: earlier < event.firstId ? earlier : event.firstId })
  }
  return rows
}
