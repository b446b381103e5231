import type { FieldMap, ObjectRef } from '@pothos/core'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import { isNumbered } from '../../graphql/schema/node.ts'
import { needFor } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { globalId, nounOf } from '../../kernel/values/ids.ts'
import type { EventOf } from '../log/reactions.ts'
import { type DeclaredEvents, declarationOf, type EventKind, type EventType, eventTypes } from '../types/event-types.ts'
import { EventInterface } from './event.schema.ts'

type TypeOf<Kind extends EventKind> = {
  [Type in EventType]: DeclaredEvents[Type]['kind'] extends Kind ? Type : never
}[EventType]

/** An event whose data contains the id of a resource. */
export interface EventAbout<Name extends string> {
  readonly data: Readonly<Record<`${Name}Id`, number | null>>
}

export type Fields<Event> = PothosSchemaTypes.ObjectFieldBuilder<Schema, Event>

/** Defines the GraphQL type of a kind of events. */
export function eventObject<Kind extends EventKind>(
  kind: Kind,
  description: string,
  fields: (t: Fields<EventOf<TypeOf<Kind>>>) => FieldMap,
) {
  for (const type of eventTypes()) {
    const declared = declarationOf(type)
    if (declared.kind === kind) readableWith(kind, needFor(declared.needs))
  }
  return builder.objectRef<EventOf<TypeOf<Kind>>>(kind).implement({
    description,
    interfaces: [EventInterface as never],
    fields: fields as never,
  })
}

/**
 * Returns the fields of a resource: its global ID and its integer ID, which are set even if it was deleted, and the resource as
 * it is when the event is delivered. If not all events of the kind have the resource, `absence` says which ones do not.
 */
export function resourceFields<Name extends string, Row extends { id: number | bigint }>(
  t: Fields<EventAbout<Name>>,
  name: Name,
  type: ObjectRef<Schema, Row>,
  absence?: string,
): FieldMap {
  const noun = nounOf(type.name)
  const nullable = absence !== undefined
  const isNull = nullable ? ` Null ${absence}.` : ''
  // Null only if the fields are nullable.
  const idOf = ({ data }: EventAbout<Name>) => data[`${name}Id`] as number
  return {
    [`${name}Id`]: t.id({
      nullable,
      description: `Global ID of the ${noun}, even if it was deleted.${isNull}`,
      resolve: (event) => (idOf(event) === null ? (null as never) : globalId(type.name, idOf(event))),
    }),
    ...(isNumbered(type.name) && {
      [`${name}DatabaseId`]: t.int({
        nullable,
        description: `Integer ID of the ${noun}, as in the REST API.${isNull}`,
        resolve: idOf,
      }),
    }),
    [name]: t.node(idOf, { type, description: `Current state of the ${noun}. Null if it no longer exists.` }),
  }
}
