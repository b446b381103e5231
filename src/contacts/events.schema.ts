import { type EventAbout, eventObject, type Fields, resourceFields } from '../events/log/event-object.schema.ts'
import { ContactType } from './contact.schema.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { TagType } from './tag.schema.ts'

/** Returns the fields of the contact of an event. */
export const contactFields = (t: Fields<EventAbout<'contact'>>) => resourceFields(t, 'contact', ContactType)

eventObject('ContactEvent', 'An event of a contact.', contactFields)

eventObject('ContactTagEvent', 'A tag was added to or removed from a contact.', (t) => ({
  ...contactFields(t),
  ...resourceFields(t, 'tag', TagType),
}))

eventObject('ContactFieldEvent', 'A custom field of a contact was updated.', (t) => ({
  ...contactFields(t),
  ...resourceFields(t, 'customField', CustomFieldObject),
  value: t.string({ description: 'New value, as text.', resolve: ({ data }) => data.value }),
}))
