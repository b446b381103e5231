import type { Scope } from '../../kernel/scopes.ts'

/** The data of each event type: IDs, and values that cannot be read later. */
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
  /** Either `campaignId` or `stageId` is set. */
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

/** Internal signals for subscriptions of their own. Webhooks and the subscription `events` do not deliver them. */
export interface SignalData {
  /** The statistics of a campaign changed. Bulk senders emit it at intervals, not for each message. */
  'campaign.progress': { campaignId: number }
  /** The progress or status of an import changed. */
  'contact_import.progress': { importId: number }
}

/** The data of every event type and signal. */
export type Announced = EventData & SignalData

/** The scope that a key needs to receive events of a type, and the description of the type in the API. */
export const eventTypes: Readonly<Record<EventType, { needs: Scope; description: string }>> = {
  'contact.created': { needs: 'contacts:read', description: 'A contact was created.' },
  'contact.updated': {
    needs: 'contacts:read',
    description: 'A field of a contact was updated. Tags and custom fields have events of their own.',
  },
  'contact.deleted': { needs: 'contacts:read', description: 'A contact was deleted.' },
  'contact.unsubscribed': { needs: 'contacts:read', description: 'A contact opted out of e-mail marketing.' },
  'contact.resubscribed': { needs: 'contacts:read', description: 'A contact opted in to e-mail marketing again.' },
  'contact.tag_added': { needs: 'contacts:read', description: 'A tag was added to a contact.' },
  'contact.tag_removed': { needs: 'contacts:read', description: 'A tag was removed from a contact.' },
  'contact.field_updated': { needs: 'contacts:read', description: 'A custom field of a contact was updated.' },
  'sequence.subscribed': { needs: 'sequences:read', description: 'A contact was enrolled in a sequence.' },
  'sequence.unsubscribed': {
    needs: 'sequences:read',
    description: 'A contact was removed from a sequence before its end.',
  },
  'sequence.completed': { needs: 'sequences:read', description: 'A contact completed a sequence.' },
  'email.sent': { needs: 'mail:read', description: 'The mail server accepted a message.' },
  'email.bounced': { needs: 'mail:read', description: 'A message bounced permanently.' },
  'email.complained': { needs: 'mail:read', description: 'A recipient reported a message as spam.' },
  'email.opened': { needs: 'mail:read', description: 'A message was opened for the first time.' },
  'email.clicked': { needs: 'mail:read', description: 'A link in a message was clicked for the first time.' },
  'campaign.scheduled': {
    needs: 'campaigns:read',
    description: 'A campaign was scheduled.',
  },
  'campaign.unscheduled': { needs: 'campaigns:read', description: 'The schedule of a campaign was cancelled.' },
  'campaign.sending': { needs: 'campaigns:read', description: 'The sending of a campaign started.' },
  'campaign.sent': { needs: 'campaigns:read', description: 'The sending of a campaign is complete.' },
  'campaign.error': { needs: 'campaigns:read', description: 'A campaign stopped because of an error.' },
  'order.created': { needs: 'finance:read', description: 'An order was created.' },
  'order.completed': { needs: 'finance:read', description: 'An order was completed.' },
  'order.cancelled': { needs: 'finance:read', description: 'An order was cancelled.' },
  'order.refunded': { needs: 'finance:read', description: 'An order was refunded.' },
  'transaction.completed': { needs: 'finance:read', description: 'A transaction was completed.' },
  'transaction.refunded': { needs: 'finance:read', description: 'A transaction was refunded.' },
  'transaction.error': { needs: 'finance:read', description: 'A transaction failed.' },
  'invoice.created': { needs: 'finance:read', description: 'An invoice was issued.' },
  'invoice.paid': { needs: 'finance:read', description: 'An invoice was paid in full.' },
  'credit_note.created': { needs: 'finance:read', description: 'A credit note was issued.' },
  'subscription.created': { needs: 'finance:read', description: 'A billing subscription started.' },
  'subscription.renewed': { needs: 'finance:read', description: 'A billing subscription was paid for another period.' },
  'subscription.payment_failed': {
    needs: 'finance:read',
    description: 'The payment of a billing subscription failed.',
  },
  'subscription.ended': { needs: 'finance:read', description: 'A billing subscription ended.' },
  'form_submission.started': { needs: 'forms:read', description: 'A form submission was started.' },
  'form_submission.updated': {
    needs: 'forms:read',
    description: 'Answers of a form submission were added or changed.',
  },
  'form_submission.completed': { needs: 'forms:read', description: 'A form submission was completed.' },
  'funnel.opt_in': { needs: 'funnels:read', description: 'A visitor opted in on a funnel step.' },
  'quota.reached': { needs: 'account:read', description: 'The account reached the limit of a quota.' },
  'webhook.test': { needs: 'events:read', description: 'A test message was sent to a webhook.' },
}
