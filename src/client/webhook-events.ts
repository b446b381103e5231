/** A message, by the type of its event: comparing `type` tells the shape of `data`. */
export type WebhookMessage<Events = WebhookEvents> = {
  [Type in keyof Events & string]: {
    /** The same for all attempts and replays of an event. */
    readonly id: string
    readonly type: Type
    /** When the event happened. */
    readonly timestamp: string
    readonly data: Events[Type]
  }
}[keyof Events & string]

/** What is left of a thing that was deleted before the message was made. */
export interface Gone {
  id: number
}

export interface ContactData {
  id: number
  email: string
  first_name: string
  last_name: string
  email_marketing: boolean
  gdpr: boolean
  created_at: string
  /** Ids of tags. */
  tags: number[]
  /** Ids of sequences. */
  sequences: number[]
  custom_fields: { label: string; value: string }[]
  subscriptions: SubscriptionSummary[]
}

export interface SubscriptionSummary {
  id: number
  status: 'active' | 'inactive' | 'error'
  amount: number
  currency: string
  payment_source: string
  rate: string
  trial: boolean
  rebill_date: string
  payments_left: 'unlimited' | number
  created_at: string
}

export interface ContactTagData {
  contact_id: number
  tag_id: number
}

export interface ContactFieldData {
  contact_id: number
  custom_field_id: number
  value: string
}

export interface ContactSequenceData {
  contact_id: number
  sequence_id: number
}

export interface CampaignData {
  id: number
  name: string
  subject: string
  from_name: string
  from_email: string
  status: 'draft' | 'sending' | 'sent' | 'scheduled' | 'error'
  sent_to: number
  recipients_count: number
  sent_at: string | null
  /** On the clocks of the account's time zone. */
  scheduled_for: string | null
  created_at: string
}

/** What became of a message to a contact. It is a campaign's or a sequence stage's. */
export interface EmailData {
  contact_id: number
  campaign_id?: number
  stage_id?: number | null
}

export interface ClickData extends EmailData {
  /** Where the click led. */
  url: string
}

export interface OptInData {
  funnel_id: number
  step_id: number
  contact_id: number
}

export interface FormSubmissionData {
  id: number
  form_id: number
  status: 'completed' | 'in_progress'
  score: number
  bucket: 'hot' | 'warm' | 'cold'
  /** Empty while it has none. */
  outcome_key: string
  contact: { id: number; email: string; first_name: string; last_name: string } | null
  started_at: string
  completed_at: string | null
  created_at: string
  updated_at: string
  /** Where the visitor came from, by key, such as `utm_source`. */
  attribution?: Record<string, string> | undefined
}

export interface OrderData {
  id: number
  id_order: string
  id_customer: number
  email: string
  firstname: string
  lastname: string
  type: string
  status: 'completed' | 'waiting' | 'cancelled' | 'refunded'
  amount: number
  currency: string
  created_at: string
}

export interface TransactionData {
  id: number
  id_transaction: string
  /** Empty where there is none. */
  id_order: string
  id_invoice: number | null
  id_customer: number
  status: 'waiting' | 'processing' | 'completed' | 'refunded' | 'cancelled' | 'error'
  type: string
  amount: number
  currency: string
  created_at: string
}

export interface CreditNoteData {
  id: number
  /** Empty where there is none. */
  id_order: string
  id_customer: number
  prefix: string
  number: string
  amount: number
  amount_incl_vat: number
  currency: string
  type: string
  created_at: string
  filename: string
}

export interface InvoiceData extends CreditNoteData {
  status: 'payment_due' | 'paid' | 'partially_paid'
}

export interface SubscriptionData extends SubscriptionSummary {
  id_customer: number
  email: string
  firstname: string
  lastname: string
  name: string
}

export interface QuotaData {
  /** Which limit was reached, such as `contacts`. */
  name: string
  limit: number
  used: number
  remaining: number
}

/** What `data` holds for each type of event, where the webhook has no document of its own: the shapes of `/v1`. */
export interface WebhookEvents {
  'contact.created': ContactData | Gone
  'contact.updated': ContactData | Gone
  'contact.deleted': Gone
  'contact.unsubscribed': ContactData | Gone
  'contact.resubscribed': ContactData | Gone
  'contact.tag_added': ContactTagData
  'contact.tag_removed': ContactTagData
  'contact.field_updated': ContactFieldData
  'sequence.subscribed': ContactSequenceData
  'sequence.unsubscribed': ContactSequenceData
  'sequence.completed': ContactSequenceData
  'campaign.scheduled': CampaignData | Gone
  'campaign.unscheduled': CampaignData | Gone
  'campaign.sending': CampaignData | Gone
  'campaign.sent': CampaignData | Gone
  'campaign.error': CampaignData | Gone
  'email.sent': EmailData
  'email.opened': EmailData
  'email.clicked': ClickData
  'email.bounced': EmailData
  'email.complained': EmailData
  'funnel.opt_in': OptInData
  'form_submission.started': FormSubmissionData | Gone
  'form_submission.updated': FormSubmissionData | Gone
  'form_submission.completed': FormSubmissionData | Gone
  'order.created': OrderData | Gone
  'order.completed': OrderData | Gone
  'order.cancelled': OrderData | Gone
  'order.refunded': OrderData | Gone
  'transaction.completed': TransactionData | Gone
  'transaction.refunded': TransactionData | Gone
  'transaction.error': TransactionData | Gone
  'invoice.created': InvoiceData | Gone
  'invoice.paid': InvoiceData | Gone
  'credit_note.created': CreditNoteData | Gone
  'subscription.created': SubscriptionData | Gone
  'subscription.renewed': SubscriptionData | Gone
  'subscription.payment_failed': SubscriptionData | Gone
  'subscription.ended': SubscriptionData | Gone
  'quota.reached': QuotaData
  'webhook.test': { webhook_id: number }
}
