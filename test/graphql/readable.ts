import type { Scope } from '../../src/kernel/scopes.ts'

/**
 * Scopes with which values of a type can be read: any of these scopes, those of the parent, or any key. This is
 * maintained by hand and compared with the schema, so that each change is reviewed.
 */
export type Readers = readonly Scope[] | 'parent' | 'any key' | 'full access'

export const readable: Readonly<Record<string, Readers>> = {
  Account: ['account:read'],
  AccountLimits: 'parent',
  Answer: ['forms:read'],
  AnswerPoints: 'parent',
  ApiKey: 'full access',
  AttributionPair: 'parent',
  Audience: ['campaigns:read'],
  AuditEntry: ['account:read'],
  BillingProfile: ['finance:read'],
  BillingSubscription: ['finance:read'],
  BillingSubscriptionEvent: ['finance:read'],
  Campaign: ['campaigns:read'],
  CampaignCheck: ['campaigns:read'],
  CampaignEvent: ['campaigns:read'],
  CampaignFinding: 'parent',
  CampaignProgress: ['campaigns:read'],
  Consent: ['contacts:read'],
  Contact: ['contacts:read'],
  ContactEvent: ['contacts:read'],
  ContactFieldEvent: ['contacts:read'],
  ContactImport: ['contacts:read'],
  ContactImportColumn: ['contacts:read'],
  ContactImportError: ['contacts:read'],
  ContactImportProgress: ['contacts:read'],
  ContactTagEvent: ['contacts:read'],
  CreditNote: ['finance:read'],
  CreditNoteEvent: ['finance:read'],
  CustomField: ['contacts:read'],
  CustomFieldValue: ['contacts:read'],
  Customer: ['finance:read'],
  Deliverability: ['campaigns:read'],
  DkimKey: ['mail:read'],
  DnsRecord: 'parent',
  // An e-mail has the scope of the object that sends it.
  Email: ['mail:read', 'campaigns:read', 'sequences:read'],
  EmailPreview: 'parent',
  Enrolment: ['sequences:read'],
  ExportLink: 'parent',
  Form: ['forms:read'],
  FormSubmissionEvent: ['forms:read'],
  Funnel: ['funnels:read'],
  FunnelFigures: 'parent',
  FunnelGroupStats: 'parent',
  FunnelOptInEvent: ['funnels:read'],
  FunnelStats: ['funnels:read'],
  FunnelStep: ['funnels:read'],
  FunnelStepStats: ['funnels:read'],
  Invoice: ['finance:read'],
  InvoiceEvent: ['finance:read'],
  MailStats: 'parent',
  MessageEvent: ['mail:read'],
  Money: 'parent',
  MonthlyQuota: 'parent',
  Order: ['finance:read'],
  OrderEvent: ['finance:read'],
  OrderLine: 'parent',
  Outcome: ['forms:read'],
  PageInfo: 'parent',
  Qualification: 'parent',
  Question: ['forms:read'],
  Quota: 'parent',
  QuotaEvent: ['account:read'],
  QuotaSlots: 'parent',
  // A message of a campaign is also one of the campaign's recipients.
  Recipient: ['mail:read', 'campaigns:read'],
  RecipientCounts: 'parent',
  Revenue: ['finance:read'],
  Segment: ['contacts:read'],
  Sequence: ['sequences:read'],
  SequenceEvent: ['sequences:read'],
  SequenceStage: ['sequences:read'],
  StageAction: ['sequences:read'],
  StepVersion: ['funnels:read'],
  Submission: ['forms:read'],
  // The subscriptions in `/v1/contact` belong to the contact.
  SubscriptionSummary: ['contacts:read'],
  SenderDomain: ['mail:read'],
  Suppression: ['mail:read'],
  Tag: ['contacts:read'],
  Transaction: ['finance:read'],
  TransactionEvent: ['finance:read'],
  TypedField: 'parent',
  Viewer: 'any key',
  Webhook: ['events:read'],
  WebhookDelivery: ['events:read'],
  WebhookDryRun: ['events:read'],
  WebhookEvent: ['events:read'],
}

/**
 * Fields that contain data beyond the scope of their type, the scopes with which they can be read, and the visible
 * fields.
 */
export const exceptions: Readonly<Record<string, { readers: readonly Scope[]; fields: readonly string[] }>> = {
  // `/v1/contact` contains the sequences of a contact.
  'Contact.sequences': {
    readers: ['contacts:read'],
    fields: ['id', 'databaseId', 'name', 'type', 'createdAt', 'stagesCount'],
  },
}

/** The scopes of root fields that return no object of an account. All others follow from their types. */
export const rootReaders: Readonly<Record<string, Readers>> = {
  eventCursor: 'any key',
  viewer: 'any key',
  pageSchema: ['funnels:read'],
  salesAmount: ['finance:read'],
  // Each list has its own scopes.
  exportLink: ['contacts:read'],
}
