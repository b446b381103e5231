import type { EventDataOfKind, EventKinds } from './event-kinds.ts'

/** A webhook message. Comparing `type` narrows the type of `data`. */
export type WebhookMessage<Events = WebhookEvents> = {
  [Type in keyof Events & string]: {
    /** Identifier of the message. The same for all delivery attempts and replays of an event. */
    readonly id: string
    readonly type: Type
    /** Time of the event (ISO 8601). */
    readonly timestamp: string
    readonly data: Events[Type]
  }
}[keyof Events & string]

/** Data of a record that was deleted before the message was created. */
export interface DeletedRecord {
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

export type ContactTagData = EventDataOfKind['ContactTagEvent']

export type ContactFieldData = EventDataOfKind['ContactFieldEvent']

export type ContactSequenceData = EventDataOfKind['SequenceEvent']

export type StageRef = EventDataOfKind['SequenceStageChangeEvent']

export type StepRef = EventDataOfKind['FunnelStepChangeEvent']

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
  /** Local time in the account's time zone. */
  scheduled_for: string | null
  created_at: string
}

/** An e-mail to a contact, sent by a campaign or a sequence stage. */
export interface EmailData {
  contact_id: number
  campaign_id?: number
  stage_id?: number | null
}

export interface ClickData extends EmailData {
  /** URL of the clicked link. */
  url: string
}

export type OptInData = EventDataOfKind['FunnelOptInEvent']

export interface FormSubmissionData {
  id: number
  form_id: number
  status: 'completed' | 'in_progress'
  score: number
  bucket: 'hot' | 'warm' | 'cold'
  /** Empty until the submission has an outcome. */
  outcome_key: string
  contact: { id: number; email: string; first_name: string; last_name: string } | null
  started_at: string
  completed_at: string | null
  created_at: string
  updated_at: string
  /** Origin of the visitor, by key, such as `utm_source`. */
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
  /** Empty if there is no order. */
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
  /** Empty if there is no order. */
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
  /** Name of the quota that was reached, such as `contacts`. */
  name: string
  limit: number
  used: number
  remaining: number
}

interface DataOfKind extends EventDataOfKind {
  BillingSubscriptionEvent: SubscriptionData | DeletedRecord
  CampaignEvent: CampaignData | DeletedRecord
  ContactEvent: ContactData | DeletedRecord
  CreditNoteEvent: CreditNoteData | DeletedRecord
  FormSubmissionEvent: FormSubmissionData | DeletedRecord
  InvoiceEvent: InvoiceData | DeletedRecord
  MessageEvent: EmailData
  OrderEvent: OrderData | DeletedRecord
  QuotaEvent: QuotaData
  TransactionEvent: TransactionData | DeletedRecord
}

/** Event types whose data differs from that of their kind. */
interface DataOfType {
  'contact.deleted': DeletedRecord
  'contact.erased': DeletedRecord
  'email.clicked': ClickData
}

/** Type of `data` for each event type, for webhooks without a GraphQL document. The types are those of the REST API. */
export type WebhookEvents = {
  [Type in keyof EventKinds]: Type extends keyof DataOfType ? DataOfType[Type] : DataOfKind[EventKinds[Type]]
}
