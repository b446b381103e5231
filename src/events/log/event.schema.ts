import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/builder.ts'
import { scopeName } from '../../graphql/query.ts'
import { cursorOf, type StampedEvent } from '../../kernel/feed.ts'
import { declarationOf, type EventType, eventTypes, following, isEventType } from '../index.ts'

/** Returns the enum value of an event type: CONTACT_TAG_ADDED for `contact.tag_added`. */
const enumNameOf = (type: string) => type.replace('.', '_').toUpperCase()

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'The type of an event. A key receives the types for which it has the scope.',
  values: Object.fromEntries(
    eventTypes().map((type) => {
      const { needs, description } = declarationOf(type)
      return [
        enumNameOf(type),
        { value: type, description: `${description} Requires the scope \`${scopeName(needs)}\`.` },
      ]
    }),
  ),
})

export const EventInterface = builder.interfaceRef<StampedEvent>('Event').implement({
  description:
    'An event of the account. The resources of an event are read when it is delivered, so they show the state at that time.',
  resolveType: ({ type }) => (isEventType(type) ? declarationOf(type).kind : undefined),
  fields: (t) => ({
    cursor: t.string({
      description: 'Position of the event in the log. Subscribe with it as `after` to receive the following events.',
      resolve: ({ position }) => cursorOf(position),
    }),
    type: t.field({
      type: EventTypeEnum,
      description: 'Type of the event.',
      resolve: ({ type }) => type as EventType,
    }),
    name: t.exposeString('type', {
      description: 'Type of the event as webhooks spell it, such as `contact.created`.',
    }),
    occurredAt: t.exposeTime('createdAt', { description: 'Time of the event.' }),
  }),
})

/** The description of the argument `after` of every subscription. */
export const afterDescription =
  'Cursor after which to start; events since then are delivered first. If absent, only new events are delivered. A stream of server-sent events that reconnects with `Last-Event-ID` starts after that event.'

builder.subscriptionFields((t) => ({
  events: t.field({
    type: EventInterface,
    description:
      'Events of the account. The events of one resource are delivered in the order in which they occurred. Each type requires its scope; without `types`, types that the key cannot read are left out.\n\nTo miss no event, query `eventCursor` in the same document as the state that you show, then subscribe after that cursor.\n\n**Throws** FORBIDDEN if the key cannot read one of `types`, and CURSOR_EXPIRED if events after the cursor are no longer stored.',
    args: {
      after: t.arg.string({ description: afterDescription }),
      types: t.arg({
        type: [EventTypeEnum],
        description: 'Delivers only these types. Defaults to all types that the key can read.',
      }),
    },
    subscribe: (_root, args, ctx: Ctx) => following.events(ctx, args),
    resolve: (event) => event,
  }),
}))

builder.queryFields((t) => ({
  eventCursor: t.string({
    description:
      'Current position of the event log, for the argument `after` of subscriptions. A client that reads state in the same document and then subscribes after this cursor misses no change of that state. Events of the last second may be delivered again.',
    resolve: (_root, _args, ctx) => following.latestCursor(ctx),
  }),
}))
