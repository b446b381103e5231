import { declareEvents } from '../events/index.ts'

const needs = 'contacts:read'

/** The ids of the entries in the log of changes. Absent if the log has none. */
const changes = {} as { readonly changes?: readonly string[] }

const taggedContacts = { figure: 'TAG_CONTACTS', of: { type: 'Tag', field: 'tagId' }, isOfAccount: false } as const

export const contactEvents = {
  ...declareEvents(
    { kind: 'ContactEvent', needs, sample: { contactId: 1, ...changes } },
    {
      'contact.created': 'A contact was created.',
      'contact.updated': 'A field of a contact was updated. Tags and custom fields have events of their own.',
      'contact.deleted': 'A contact was deleted.',
      'contact.erased': 'The erasure of a deleted contact is complete.',
      'contact.unsubscribed': 'A contact opted out of e-mail marketing.',
      'contact.resubscribed': 'A contact opted in to e-mail marketing again.',
    },
    { 'contact.created': { figure: 'NEW_CONTACTS' }, 'contact.unsubscribed': { figure: 'CONSENT_WITHDRAWALS' } },
  ),
  ...declareEvents(
    { kind: 'ContactTagEvent', needs, sample: { contactId: 1, tagId: 1, ...changes } },
    {
      'contact.tag_added': 'A tag was added to a contact.',
      'contact.tag_removed': 'A tag was removed from a contact.',
    },
    {
      'contact.tag_added': taggedContacts,
      'contact.tag_removed': { ...taggedContacts, adds: -1 },
    },
  ),
  ...declareEvents(
    { kind: 'ContactTopicEvent', needs, sample: { contactId: 1, topicId: 1 } },
    {
      'contact.topic_joined': 'A contact joined a topic.',
      'contact.topic_left': 'A contact left a topic. Other topics, and its consent to marketing e-mail, stay.',
    },
  ),
  ...declareEvents(
    { kind: 'ContactFieldEvent', needs, sample: { contactId: 1, customFieldId: 1, value: 'a value', ...changes } },
    { 'contact.field_updated': 'A custom field of a contact was updated.' },
  ),
  ...declareEvents(
    { kind: 'TagChangeEvent', needs, sample: { tagId: 1 }, isEdit: true },
    {
      'tag.created': 'A tag was created.',
      'tag.updated': 'A tag was renamed.',
      'tag.deleted': 'A tag was deleted and removed from all contacts. No `contact.tag_removed` is emitted for them.',
    },
  ),
  ...declareEvents(
    { kind: 'TopicChangeEvent', needs, sample: { topicId: 1 }, isEdit: true },
    {
      'topic.created': 'A topic was created.',
      'topic.updated': 'A topic was updated, archived or restored.',
      'topic.deleted': 'A topic was deleted. No `contact.topic_left` is emitted.',
    },
  ),
  ...declareEvents(
    { kind: 'CustomFieldChangeEvent', needs, sample: { customFieldId: 1 }, isEdit: true },
    {
      'custom_field.created': 'A custom field was created.',
      'custom_field.updated': 'The name or the options of a custom field were updated.',
      'custom_field.deleted':
        'A custom field was deleted with its values. No `contact.field_updated` is emitted for them.',
    },
  ),
  ...declareEvents(
    { kind: 'SegmentChangeEvent', needs, sample: { segmentId: 1 }, isEdit: true },
    {
      'segment.created': 'A segment was created.',
      'segment.updated': 'The name or the filter of a segment was updated.',
      'segment.deleted': 'A segment was deleted.',
    },
  ),
}

type ContactEvents = typeof contactEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends ContactEvents {}

  interface SignalData {
    /** The progress or status of an import changed. */
    'contact_import.progress': { importId: number }
    /** The progress or status of a bulk job changed. */
    'bulk_job.progress': { bulkJobId: number }
  }
}
