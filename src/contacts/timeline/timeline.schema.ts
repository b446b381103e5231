import type { FieldMap, ObjectRef } from '@pothos/core'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import { scopeText } from '../../graphql/schema/descriptions.ts'
import { loadById } from '../../graphql/schema/node.ts'
import { contentType, pageCost, pageLimits } from '../../graphql/schema/page.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { globalId, nounOf } from '../../kernel/values/ids.ts'
import { ContactType } from '../people/contact.schema.ts'
import { ports } from '../ports.ts'
import type { TimelineEntry } from './entries.ts'
import * as timeline from './timeline.ts'

const TimelineEntryType = builder.enumType('TimelineEntryType', {
  description: 'What happened to a contact.',
  values: Object.fromEntries(
    Object.entries(ports.timeline).map(([type, { needs, description }]) => [
      type,
      { description: `${description} ${scopeText(needs)}` },
    ]),
  ),
})

const TimelineEntryInterface = builder.interfaceRef<TimelineEntry>('TimelineEntry').implement({
  description: 'Something that happened to a contact. Its type shows the linked records in their current state.',
  resolveType: ({ type }) => ports.timeline[type]?.kind,
  fields: (t) => ({
    id: t.string({
      description: 'Identifies the entry among all entries. An entry is no node, so this is not a global ID.',
      resolve: ({ type, id }) => globalId(type, id),
    }),
    type: t.field({ type: TimelineEntryType, description: 'What happened.', resolve: ({ type }) => type }),
    occurredAt: t.exposeTime('occurredAt', { description: 'Time at which it happened.' }),
  }),
})

type Fields<Data> = PothosSchemaTypes.ObjectFieldBuilder<Schema, TimelineEntry<Data>>

/** Defines the GraphQL type of the entries of a kind. `Data` is the data of the sources of the kind. */
export function timelineEntry<Data>(kind: string, description: string, fields: (t: Fields<Data>) => FieldMap) {
  const [source] = Object.values(ports.timeline).filter((each) => each.kind === kind)
  if (!source) throw new Error(`No source of timelines has entries of the type ${kind}.`)
  readableWith(kind, source.needs)
  return builder.objectRef<TimelineEntry<Data>>(kind).implement({
    description,
    interfaces: [TimelineEntryInterface as never],
    fields: fields as never,
  })
}

/** The names of the data of an entry that contain the id of a row: `order` of `orderId`. */
type LinkOf<Data> = { [Key in keyof Data & string]: Key extends `${infer Name}Id` ? Name : never }[keyof Data & string]

/** Returns the field of the record that an entry links to, as it is now. Null if it was deleted. */
export function linkedField<Data, Name extends LinkOf<Data>, Row extends object>(
  t: Fields<Data>,
  name: Name,
  type: ObjectRef<Schema, Row>,
): FieldMap {
  return {
    [name]: t.field({
      type,
      nullable: true,
      description: `The ${nounOf(type.name)} in its current state. Null if it was deleted.`,
      resolve: ({ data }, _args, ctx) => {
        const id = data[`${name}Id` as keyof Data] as number | string | null
        return (id === null ? null : loadById(ctx, type.name, BigInt(id))) as never
      },
    }),
  }
}

const { Edge, contentFields } = contentType(TimelineEntryInterface, 'entries of the timeline')

const TimelineConnection = builder.objectRef<timeline.Timeline>('TimelineEntryConnection').implement({
  description:
    'A page of the timeline of a contact, newest entries first. Opens, clicks and visits are deleted after their retention.',
  fields: (t) => contentFields(t as never),
})

readableWith(Edge.name, 'contacts:read')
readableWith(TimelineConnection.name, 'contacts:read')

builder.prismaObjectField(ContactType, 'timeline', (t) =>
  t.field({
    type: TimelineConnection,
    nullable: true,
    description:
      'What happened to the contact: messages, opens, clicks, submissions, orders, enrolments, visits, consents and changes, newest first. Null if the request failed.\n\n**Throws** FORBIDDEN if the key lacks the scope of one of `types`.',
    complexity: pageCost(5),
    args: {
      types: t.arg({
        type: [TimelineEntryType],
        description:
          'Returns only entries of these types. Defaults to all types that the key may read. At least one type.',
      }),
      first: t.arg.int({ description: `Returns the first n entries, or the first n after \`after\`. ${pageLimits}` }),
      after: t.arg.string({ description: 'Returns the entries after this cursor, which are older.' }),
    },
    resolve: (contact, args, ctx) => timeline.timelineOf(ctx, contact, args),
  }),
)
