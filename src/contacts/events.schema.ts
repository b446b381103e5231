import {
  ContactEvent,
  ContactFieldEvent,
  ContactTagEvent,
  FunnelOptInEvent,
  MessageEvent,
  SequenceEvent,
} from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { ContactType } from './contact.schema.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { TagType } from './tag.schema.ts'

// The contact is loaded when the event is delivered, so that it is current even for an old event.
for (const Event of [ContactEvent, ContactTagEvent, ContactFieldEvent, SequenceEvent, MessageEvent, FunnelOptInEvent]) {
  builder.objectField(Event as typeof ContactEvent, 'contact', (t) =>
    t.node(({ data }) => data.contactId, {
      type: ContactType,
      description: 'Current state of the contact. Null if it was deleted.',
    }),
  )
}

builder.objectField(ContactTagEvent, 'tag', (t) =>
  t.node(({ data }) => data.tagId, { type: TagType, description: 'The tag. Null if it was deleted.' }),
)

builder.objectField(ContactFieldEvent, 'customField', (t) =>
  t.node(({ data }) => data.customFieldId, {
    type: CustomFieldObject,
    description: 'The custom field. Null if it was deleted.',
  }),
)
