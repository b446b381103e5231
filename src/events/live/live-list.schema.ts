import type { InputObjectRef, ObjectRef } from '@pothos/core'
import type { Ctx } from '../../db/context.ts'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import type { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { scopeText } from '../../graphql/schema/descriptions.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { cursorOf } from '../../kernel/feed.ts'
import { globalId, nounOf } from '../../kernel/values/ids.ts'
import { afterDescription } from '../feed/event.schema.ts'
import type { LiveDefinition } from './followed-events.ts'
import type { ListChange, ListChangeKind, ListElement } from './follower.ts'
import { followList, maxLiveLists } from './live-lists.ts'

const ListChangeKindEnum = builder.enumType('ListChangeKind', {
  description: 'What happened to a list.',
  values: {
    LISTED: {
      description:
        'The list is read: at the start, after a cursor that is too old, and after a change of many objects at once. It replaces what the client holds.',
    },
    ENTERED: { description: 'The object matches the filter, and did not match before.' },
    CHANGED: { description: 'The object was changed and matches the filter. Add it if it is not in the list.' },
    LEFT: {
      description: 'The object does not match the filter any more, or was deleted. It may be unknown to the client.',
    },
  } satisfies Record<ListChangeKind, object>,
})

/**
 * Adds the subscription to the changes of a list of the account, and the type of a change. `name` is the field of the query
 * with the list, such as `contacts`; the subscription is then `contactsChanged`.
 */
export function liveList<Row extends { id: number }, Filter extends object, Field extends string>(
  name: string,
  type: ObjectRef<Schema, Row>,
  connection: ReturnType<typeof connectionOf<Row, Filter, Field>>,
  live: {
    readonly definition: LiveDefinition<Filter>
    readonly list: Parameters<typeof accountList<Row, Filter, Field>>[2]
  },
): void {
  const { definition, list } = live
  const { noun } = connection
  const object = `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}`
  const one = nounOf(type.name)
  const changeType = `${type.name}ListChange`
  readableWith(changeType, definition.needs)
  const unfollowed = Object.entries(definition.fields).flatMap(([field, events]) => (events ? [] : [`\`${field}\``]))
  const excluded =
    unfollowed.length === 0
      ? ''
      : `Conditions on ${unfollowed.join(', ')} cannot be followed, because no event reports when their outcome changes, nor can those that are relative to the current time. `
  const Change = builder.objectRef<ListElement>(changeType).implement({
    description: `A change of a list of ${noun}.`,
    fields: (t) => ({
      cursor: t.string({
        description:
          'Position of the change in the event log. Subscribe with it as `after` to receive the following changes.',
        resolve: ({ position }) => cursorOf(position),
      }),
      kind: t.field({
        type: ListChangeKindEnum,
        description: 'What happened.',
        resolve: ({ data }) => data.kind,
      }),
      [`${object}Id`]: t.id({
        nullable: true,
        description: `Global ID of the ${one}, even if it was deleted. Null for LISTED.`,
        resolve: ({ data: { id } }) => (id === null ? null : globalId(type.name, id)),
      }),
      [object]: t.node(({ data }: { data: ListChange }) => data.id as number, {
        type,
        description: `Current state of the ${one}. Null if it was deleted, and for LISTED.`,
      }),
      totalCount: t.int({
        nullable: true,
        description: `Number of ${noun} in the list after the change. Null for lists of more than 100,000 ${noun}.`,
        resolve: ({ data }) => data.totalCount,
      }),
      [name]: t.connection(connection, {
        nullable: true,
        description: `The list, for LISTED: all ${noun} that match the filter of the subscription, and \`filter\`. Null for other changes.`,
        resolve: async ({ data: { kind, filter } }, args, ctx) =>
          (kind === 'LISTED'
            ? list(ctx, { ...args, filter: (args.filter ? { and: [filter, args.filter] } : filter) as Filter })
            : null) as never,
      }),
    }),
  })
  const { Filter } = connection as { Filter: InputObjectRef<Schema, Filter> }
  builder.subscriptionField(`${name}Changed`, (t) =>
    t.field({
      type: Change,
      description: `Changes of the list of the ${noun} that match a filter. The first element is LISTED, unless \`after\` continues a stream. Changes are evaluated after the events that cause them, so that several in a short time are one. Subscriptions with equal filters share the evaluation; an account can follow ${maxLiveLists} different lists. ${excluded}${scopeText(definition.needs)}\n\n**Throws** VALIDATION_ERROR for a condition that cannot be followed, and RATE_LIMITED for too many lists.`,
      args: {
        filter: t.arg({ type: Filter, description: `Follows only ${noun} that match. Defaults to all.` }),
        after: t.arg.string({
          description: `${afterDescription.replace('If absent, only new events are delivered.', 'If absent or too old, the first element is the list.')}`,
        }),
      },
      subscribe: (_root, args, ctx: Ctx) => followList(ctx, definition, args as never),
      resolve: (change) => change as never,
    }),
  )
}
