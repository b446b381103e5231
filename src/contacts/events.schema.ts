import { type EventAbout, eventObject, type Fields, resourceFields } from '../events/feed/event-object.schema.ts'
import { listCost } from '../graphql/cost/sizes.ts'
import { CustomFieldObject } from './custom-fields/custom-field.schema.ts'
import { ContactType } from './people/contact.schema.ts'
import { SegmentType } from './segments/segment.schema.ts'
import { TagType } from './tags/tag.schema.ts'
import { ContactChangeType } from './timeline/change.schema.ts'
import * as changeEntries from './timeline/change-entries.ts'
import { TopicType } from './topics/topic.schema.ts'

/** Returns the fields of the contact of an event. */
export const contactFields = (t: Fields<EventAbout<'contact'>>) => resourceFields(t, 'contact', ContactType)

/** Returns the fields of an event of a change of a contact. */
const changeFields = (
  t: Fields<EventAbout<'contact'> & { readonly data: { readonly changes?: readonly string[] } }>,
) => ({
  ...contactFields(t as never),
  changes: t.field({
    type: [ContactChangeType],
    description:
      'The changes of this event, with old and new values. Empty if the contact was deleted, and for the tags and custom field values of a contact that an import created.',
    complexity: listCost('changes'),
    resolve: ({ data }, _args, ctx) => changeEntries.entriesById(ctx, data.changes ?? []),
  }),
})

eventObject('ContactEvent', 'An event of a contact.', changeFields)

eventObject('ContactTagEvent', 'A tag was added to or removed from a contact.', (t) => ({
  ...changeFields(t),
  ...resourceFields(t, 'tag', TagType),
}))

eventObject('ContactTopicEvent', 'A contact joined or left a topic.', (t) => ({
  ...contactFields(t),
  ...resourceFields(t, 'topic', TopicType),
}))

eventObject('ContactFieldEvent', 'A custom field of a contact was updated.', (t) => ({
  ...changeFields(t),
  ...resourceFields(t, 'customField', CustomFieldObject),
  value: t.string({ description: 'New value, as text.', resolve: ({ data }) => data.value }),
}))

eventObject('TagChangeEvent', 'A tag was created, updated or deleted.', (t) => resourceFields(t, 'tag', TagType))

eventObject('TopicChangeEvent', 'A topic was created, updated or deleted.', (t) =>
  resourceFields(t, 'topic', TopicType),
)

eventObject('CustomFieldChangeEvent', 'A custom field was created, updated or deleted.', (t) =>
  resourceFields(t, 'customField', CustomFieldObject),
)

eventObject('SegmentChangeEvent', 'A segment was created, updated or deleted.', (t) =>
  resourceFields(t, 'segment', SegmentType),
)
