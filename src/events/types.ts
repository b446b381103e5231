/** What each kind of event says of what happened: ids, and what a later look could no longer tell. */
export interface EventData {
  'contact.created': { contactId: number }
  'contact.updated': { contactId: number }
  'contact.deleted': { contactId: number }
  'contact.unsubscribed': { contactId: number }
  'contact.resubscribed': { contactId: number }
  'contact.tag_added': { contactId: number; tagId: number }
  'contact.tag_removed': { contactId: number; tagId: number }
  'contact.field_updated': { contactId: number; customFieldId: number; value: string }
  'quota.reached': { slot: string; limit: number; used: number }
}

export type EventType = keyof EventData
