import { eventObject, resourceFields } from '../events/log/event-object.schema.ts'
import { ContactType } from './contact.schema.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { contactList, customFields, tags } from './index.ts'
import { TagType } from './tag.schema.ts'

/** The contact of an event, for `resourceFields`. */
export const contactOfEvent = {
  type: ContactType,
  byId: contactList.byId,
  description: 'Current state of the contact. Null if it was deleted.',
  needs: 'contacts:read',
} as const

eventObject('ContactEvent', 'An event of a contact.', (t) => resourceFields(t, 'contact', contactOfEvent))

eventObject('ContactTagEvent', 'A tag was added to or removed from a contact.', (t) => ({
  ...resourceFields(t, 'contact', contactOfEvent),
  ...resourceFields(t, 'tag', { type: TagType, byId: tags.byId, description: 'The tag. Null if it was deleted.' }),
}))

eventObject('ContactFieldEvent', 'A custom field of a contact was updated.', (t) => ({
  ...resourceFields(t, 'contact', contactOfEvent),
  ...resourceFields(t, 'customField', {
    type: CustomFieldObject,
    byId: customFields.byId,
    description: 'The custom field. Null if it was deleted.',
  }),
  value: t.string({ description: 'New value, as text.', resolve: ({ data }) => data.value }),
}))
