import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/builder.ts'
import { cursorOf, type StampedEvent } from '../../kernel/feed.ts'
import { type EventType, eventTypes, following } from '../index.ts'

/** `contact.tag_added` as enums have it: CONTACT_TAG_ADDED. */
const enumNameOf = (type: string) => type.replace('.', '_').toUpperCase()

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'What can happen. A key hears of what it may read.',
  values: Object.fromEntries(
    Object.entries(eventTypes).map(([type, { needs, description }]) => [
      enumNameOf(type),
      { value: type as EventType, description: `${description} Needs the scope \`${needs}\`.` },
    ]),
  ) as Record<string, { value: EventType; description: string }>,
})

/** Which object type shows an event, by the event's type; `event-kinds.schema.ts` fills it. */
export const kinds = new Map<string, string>()

export const EventInterface = builder.interfaceRef<StampedEvent>('Event').implement({
  description:
    'Something that happened in the account. What it is about is read as it is now, when the event is delivered.',
  resolveType: ({ type }) => kinds.get(type),
  fields: (t) => ({
    cursor: t.string({
      description: 'Its place: subscribe with it as `after` to get what came after it.',
      resolve: ({ position }) => cursorOf(position),
    }),
    type: t.field({
      type: EventTypeEnum,
      description: 'What happened.',
      resolve: ({ type }) => type as EventType,
    }),
    name: t.exposeString('type', {
      description: 'The same as webhooks name it, such as `contact.created`.',
    }),
    occurredAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
})

/** What every subscription says of the argument `after`. */
export const afterDescription =
  'The cursor after which to begin: what has happened since comes first. Absent: what happens from now on. A stream of server-sent events that comes again with `Last-Event-ID` begins after that.'

builder.subscriptionFields((t) => ({
  events: t.field({
    type: EventInterface,
    description:
      'What happens in the account, in the order in which it happened; the events of one resource never overtake each other. Needs for each type the scope that the type names: without `types`, what the key may not read is left out.\n\nTo miss nothing, ask `eventCursor` together with the state that you show, and subscribe after it.',
    args: {
      after: t.arg.string({ description: afterDescription }),
      types: t.arg({ type: [EventTypeEnum], description: 'Only these; all that the key may read when absent.' }),
    },
    subscribe: (_root, args, ctx: Ctx) => following.events(ctx, args),
    resolve: (event) => event,
  }),
}))

builder.queryFields((t) => ({
  eventCursor: t.string({
    description:
      'A cursor for subscriptions: who reads state in the same document, and then subscribes after this cursor, misses nothing that happens to that state. What happened in the last second may come again.',
    resolve: (_root, _args, ctx) => following.latestCursor(ctx),
  }),
}))
