import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idsText, scopeText } from '../../graphql/schema/descriptions.ts'
import { needFor } from '../../graphql/schema/query.ts'
import { cursorOf, type StampedEvent } from '../../kernel/feed.ts'
import { declarationOf, type EventType, eventTypes, isEventType } from '../types/event-types.ts'
import { type EventFilter, maxSubjects } from './event-filter.ts'
import * as eventList from './event-list.ts'
import * as following from './subscriptions.ts'

/** Returns the enum value of an event type: CONTACT_TAG_ADDED for `contact.tag_added`. */
const enumNameOf = (type: string) => type.replace('.', '_').toUpperCase()

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'The type of an event. A key receives the types for which it has the scope.',
  values: Object.fromEntries(
    eventTypes().map((type) => {
      const { needs, description } = declarationOf(type)
      return [enumNameOf(type), { value: type, description: `${description} ${scopeText(needFor(needs))}` }]
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

const EventFilterInput = builder.inputRef<EventFilter>('EventFilterInput').implement({
  description: 'Condition on events. All fields that are set must match.',
  fields: (t) => {
    const about = (noun: string) =>
      t.idList({
        description: `The event contains one of these ${noun}. ${idsText(`the ${noun}`)} An empty list matches nothing. Maximum ${maxSubjects} IDs.`,
      })
    return {
      types: t.field({
        type: [EventTypeEnum],
        description: 'The event has one of these types. Defaults to all types that the key can read.',
      }),
      contactIds: about('contacts'),
      tagIds: about('tags'),
      formIds: about('forms'),
      funnelIds: about('funnels'),
      sequenceIds: about('sequences'),
      campaignIds: about('campaigns'),
    }
  },
})

const EventConnection = connectionOf(EventInterface, {
  noun: 'events',
  filter: EventFilterInput,
  orders: { POSITION: 'Position in the log: the order in which the events occurred.' },
})

accountList('events', EventConnection, eventList.list)

/** The description of the argument `after` of every subscription. */
export const afterDescription =
  'Cursor after which to start; events since then are delivered first. If absent, only new events are delivered. A stream of server-sent events that reconnects with `Last-Event-ID` starts after that event.'

/** The description of the argument `after` of a subscription that shows the state of one object. */
export const progressAfterDescription =
  'Accepted from clients that resume streams after a cursor. The stream starts with the current state in any case.'

builder.subscriptionFields((t) => ({
  events: t.field({
    type: EventInterface,
    description:
      'Events of the account. The events of one resource are delivered in the order in which they occurred. Each type needs its scope; types that the key cannot read are left out unless the filter names them.\n\nTo miss no event, query `eventCursor` in the same document as the state that you show, then subscribe after that cursor. The start cursor of a page of `Query.events`, newest first, is such a cursor too.\n\n**Throws** FORBIDDEN if the key cannot read one of the types of the filter, and CURSOR_EXPIRED if events after the cursor are no longer stored.',
    args: {
      after: t.arg.string({ description: afterDescription }),
      types: t.arg({
        type: [EventTypeEnum],
        description: 'The same as `types` of `filter`, with which it cannot be combined.',
      }),
      filter: t.arg({
        type: EventFilterInput,
        description: 'Delivers only the events that match. Only these are charged. Cannot be combined with `types`.',
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
