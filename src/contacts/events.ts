import { declareEvents } from '../events/index.ts'

const needs = 'contacts:read'

export const contactEvents = {
  ...declareEvents(
    { kind: 'ContactEvent', needs, sample: { contactId: 1 } },
    {
      'contact.created': 'A contact was created.',
      'contact.updated': 'A field of a contact was updated. Tags and custom fields have events of their own.',
      'contact.deleted': 'A contact was deleted.',
      'contact.unsubscribed': 'A contact opted out of e-mail marketing.',
      'contact.resubscribed': 'A contact opted in to e-mail marketing again.',
    },
  ),
  ...declareEvents(
    { kind: 'ContactTagEvent', needs, sample: { contactId: 1, tagId: 1 } },
    {
      'contact.tag_added': 'A tag was added to a contact.',
      'contact.tag_removed': 'A tag was removed from a contact.',
    },
  ),
  ...declareEvents(
    { kind: 'ContactFieldEvent', needs, sample: { contactId: 1, customFieldId: 1, value: 'a value' } },
    { 'contact.field_updated': 'A custom field of a contact was updated.' },
  ),
}

type ContactEvents = typeof contactEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends ContactEvents {}

  interface SignalData {
    /** The progress or status of an import changed. */
    'contact_import.progress': { importId: number }
  }
}
