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
  'sequence.subscribed': { contactId: number; sequenceId: number }
  'sequence.unsubscribed': { contactId: number; sequenceId: number }
  'sequence.completed': { contactId: number; sequenceId: number }
  /** A message is a campaign's or a stage's. */
  'email.opened': { contactId: number; campaignId: number | null; stageId: number | null }
  'email.clicked': { contactId: number; campaignId: number | null; stageId: number | null; url: string }
  'campaign.scheduled': { campaignId: number }
  'campaign.unscheduled': { campaignId: number }
  'campaign.sending': { campaignId: number }
  'campaign.error': { campaignId: number; errorCode: string }
  'quota.reached': { slot: string; limit: number; used: number }
}

export type EventType = keyof EventData
