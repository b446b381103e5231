import {
  ContactEvent,
  ContactFieldEvent,
  ContactTagEvent,
  FunnelOptInEvent,
  MessageEvent,
  SequenceEvent,
} from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { allowed } from '../graphql/query.ts'
import { ContactType } from './contact.schema.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { contactList, customFields, tags } from './index.ts'
import { TagType } from './tag.schema.ts'

// The contact is loaded when the event is delivered, so that it is current even for an old event.
for (const Event of [ContactEvent, ContactTagEvent, ContactFieldEvent, SequenceEvent, MessageEvent, FunnelOptInEvent]) {
  builder.objectField(Event as typeof ContactEvent, 'contact', (t) =>
    t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', 'Current state of the contact. Null if it was deleted.'),
      resolve: allowed('contacts:read', ({ data }, _args, ctx) => ctx.load(contactList.byId, data.contactId)),
    }),
  )
}

builder.objectField(ContactTagEvent, 'tag', (t) =>
  t.field({
    type: TagType,
    nullable: true,
    description: 'The tag. Null if it was deleted.',
    resolve: ({ data }, _args, ctx) => ctx.load(tags.byId, data.tagId),
  }),
)

builder.objectField(ContactFieldEvent, 'customField', (t) =>
  t.field({
    type: CustomFieldObject,
    nullable: true,
    description: 'The custom field. Null if it was deleted.',
    resolve: ({ data }, _args, ctx) => ctx.load(customFields.byId, data.customFieldId),
  }),
)
