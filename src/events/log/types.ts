import type { Scope } from '../../kernel/scopes.ts'

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
  'email.sent': { contactId: number; campaignId: number | null; stageId: number | null }
  'email.bounced': { contactId: number; campaignId: number | null; stageId: number | null }
  'email.complained': { contactId: number; campaignId: number | null; stageId: number | null }
  'email.opened': { contactId: number; campaignId: number | null; stageId: number | null }
  'email.clicked': { contactId: number; campaignId: number | null; stageId: number | null; url: string }
  'campaign.scheduled': { campaignId: number }
  'campaign.unscheduled': { campaignId: number }
  'campaign.sending': { campaignId: number }
  'campaign.sent': { campaignId: number }
  'campaign.error': { campaignId: number; errorCode: string }
  'order.created': { orderId: number }
  'order.completed': { orderId: number }
  'order.cancelled': { orderId: number }
  'order.refunded': { orderId: number }
  'transaction.completed': { transactionId: number }
  'transaction.refunded': { transactionId: number }
  'transaction.error': { transactionId: number }
  'invoice.created': { invoiceId: number }
  'invoice.paid': { invoiceId: number }
  'credit_note.created': { creditNoteId: number }
  'subscription.created': { subscriptionId: number }
  'subscription.renewed': { subscriptionId: number }
  'subscription.payment_failed': { subscriptionId: number }
  'subscription.ended': { subscriptionId: number }
  'form_submission.started': { submissionId: number; formId: number }
  'form_submission.updated': { submissionId: number; formId: number }
  'form_submission.completed': { submissionId: number; formId: number }
  'funnel.opt_in': { funnelId: number; stepId: number; contactId: number }
  'quota.reached': { slot: string; limit: number; used: number }
  'webhook.test': { webhookId: number }
}

export type EventType = keyof EventData

/** What is announced for a subscription of its own alone: it is no event that webhooks or `events` tell of. */
export interface SignalData {
  /** Something about a campaign's figures has changed. Whoever sends many at once announces it now and then, not each time. */
  'campaign.progress': { campaignId: number }
  /** An import has come further, or to its end. */
  'contact_import.progress': { importId: number }
}

/** All that can be announced. */
export type Announced = EventData & SignalData

/** What a key must reach to hear of an event, and what an API reader is told of it. */
export const eventTypes: Readonly<Record<EventType, { needs: Scope; description: string }>> = {
  'contact.created': { needs: 'contacts:read', description: 'A contact was added.' },
  'contact.updated': { needs: 'contacts:read', description: 'One of the own fields of a contact has changed.' },
  'contact.deleted': { needs: 'contacts:read', description: 'A contact was deleted.' },
  'contact.unsubscribed': { needs: 'contacts:read', description: 'A contact has withdrawn its marketing consent.' },
  'contact.resubscribed': { needs: 'contacts:read', description: 'A contact has given its marketing consent again.' },
  'contact.tag_added': { needs: 'contacts:read', description: 'A contact has got a tag.' },
  'contact.tag_removed': { needs: 'contacts:read', description: 'A contact has lost a tag.' },
  'contact.field_updated': { needs: 'contacts:read', description: "A contact's value for a custom field has changed." },
  'sequence.subscribed': { needs: 'sequences:read', description: 'A contact has entered a sequence.' },
  'sequence.unsubscribed': { needs: 'sequences:read', description: 'A contact has left a sequence before its end.' },
  'sequence.completed': { needs: 'sequences:read', description: 'A contact is through with a sequence.' },
  'email.sent': { needs: 'mail:read', description: 'The mail server has taken a message.' },
  'email.bounced': { needs: 'mail:read', description: 'A message came back for good: its address takes no mail.' },
  'email.complained': { needs: 'mail:read', description: 'A recipient has reported a message as unwanted.' },
  'email.opened': { needs: 'mail:read', description: 'A message was opened for the first time.' },
  'email.clicked': { needs: 'mail:read', description: 'A link of a message was followed for the first time.' },
  'campaign.scheduled': {
    needs: 'campaigns:read',
    description: 'A campaign has got the time at which it is to be sent.',
  },
  'campaign.unscheduled': { needs: 'campaigns:read', description: 'A campaign has become a draft again.' },
  'campaign.sending': { needs: 'campaigns:read', description: 'A campaign is on its way to its recipients.' },
  'campaign.sent': { needs: 'campaigns:read', description: 'A campaign is through with all its recipients.' },
  'campaign.error': { needs: 'campaigns:read', description: 'A campaign has stopped.' },
  'order.created': { needs: 'finance:read', description: 'An order was placed.' },
  'order.completed': { needs: 'finance:read', description: 'An order was completed.' },
  'order.cancelled': { needs: 'finance:read', description: 'An order was cancelled.' },
  'order.refunded': { needs: 'finance:read', description: 'An order was refunded.' },
  'transaction.completed': { needs: 'finance:read', description: 'A payment has gone through.' },
  'transaction.refunded': { needs: 'finance:read', description: 'A payment was given back.' },
  'transaction.error': { needs: 'finance:read', description: 'A payment has failed.' },
  'invoice.created': { needs: 'finance:read', description: 'An invoice was issued.' },
  'invoice.paid': { needs: 'finance:read', description: 'An invoice is paid in full.' },
  'credit_note.created': { needs: 'finance:read', description: 'A credit note was issued.' },
  'subscription.created': { needs: 'finance:read', description: 'A billing plan has begun.' },
  'subscription.renewed': { needs: 'finance:read', description: 'A billing plan was paid for another period.' },
  'subscription.payment_failed': { needs: 'finance:read', description: 'The payment for a billing plan has failed.' },
  'subscription.ended': { needs: 'finance:read', description: 'A billing plan has ended.' },
  'form_submission.started': { needs: 'forms:read', description: 'Someone has begun to fill in a form.' },
  'form_submission.updated': {
    needs: 'forms:read',
    description: 'More of a form was filled in, or an answer changed.',
  },
  'form_submission.completed': { needs: 'forms:read', description: 'A form was filled in.' },
  'funnel.opt_in': { needs: 'funnels:read', description: 'Someone has signed up on a step of a funnel.' },
  'quota.reached': { needs: 'account:read', description: 'The account has used up what its plan allows of something.' },
  'webhook.test': { needs: 'events:read', description: 'A webhook was asked to show that it works.' },
}
