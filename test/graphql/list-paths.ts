import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { schema } from '../../src/server/schema.ts'
import { selections } from './list-selections.ts'

/**
 * The path from the root to the objects of each type that has lists. A step is a field, with arguments if it needs other
 * arguments than `first`. The step after a connection is a field of its nodes.
 */
const pathsToTypes: Readonly<Record<string, string>> = {
  Account: 'account',
  Answer: 'submissions > answers',
  ApiKey: 'apiKeys',
  ApiKeyConnection: 'apiKeys',
  Audience: 'campaigns > audience',
  AuditEntry: 'auditLog',
  AuditEntryConnection: 'auditLog',
  BillingSubscription: 'billingSubscriptions',
  BillingSubscriptionConnection: 'billingSubscriptions',
  Brand: 'brand',
  BulkJob: 'bulkJobs',
  ReusableBlock: 'reusableBlocks',
  EmailTemplate: 'emailTemplates',
  EmailTemplateConnection: 'emailTemplates',
  ReusableBlockConnection: 'reusableBlocks',
  Media: 'media',
  MediaConnection: 'media',
  BulkJobConnection: 'bulkJobs',
  BulkJobErrorConnection: 'bulkJobs > errors(last: 5)',
  Campaign: 'campaigns',
  CampaignCheck: 'campaigns > check',
  CampaignConnection: 'campaigns',
  ClickConnection: 'campaigns > recipients(last: 5) > clicks(last: 5)',
  ConfirmationCheck: 'forms > confirmationCheck',
  ConsentConnection: 'contacts > consents(last: 5)',
  Contact: 'contacts',
  ContactConnection: 'tags > contacts(last: 5)',
  ContactImport: 'contactImports',
  ContactImportConnection: 'contactImports',
  EmailCheck: 'sequences(first: 2) > stages > check',
  EmailPreview: 'campaigns > email > preview',
  PreviewCondition: 'campaigns > email > preview > conditions',
  ContactImportErrorConnection: 'contactImports > errors(last: 5)',
  ContactImportErrorGroup: 'contactImports > errorGroups',
  ContactImportColumn: 'contactImports > columns',
  CreditNote: 'creditNotes',
  CreditNoteConnection: 'creditNotes',
  CustomField: 'customFields',
  Customer: 'customers',
  Deliverability: 'deliverability',
  CustomerConnection: 'customers',
  EnrolmentConnection: 'contacts > enrolments(last: 5)',
  EventConnection: 'events',
  Facet: 'contacts > facet(field: TAG, first: 50)',
  Form: 'forms',
  FormConnection: 'forms',
  FormStats: 'forms > stats',
  Funnel: 'funnels',
  FunnelConnection: 'funnels',
  FunnelTotals: 'funnels > stats > totals',
  FunnelStats: 'funnels > stats(groupBy: UTM_SOURCE)',
  FunnelStep: 'forms > step',
  Invoice: 'invoices',
  InvoiceConnection: 'invoices',
  Order: 'orders',
  OrderConnection: 'orders',
  PurchaseStats: 'contacts > purchases',
  Question: 'forms > questions',
  QuestionStats: 'forms > stats > questions',
  Recipient: 'campaigns > recipients(last: 5)',
  RecipientConnection: 'campaigns > recipients(last: 5)',
  SenderDomain: 'senderDomains',
  Segment: 'segments',
  SegmentConnection: 'segments',
  Sequence: 'sequences',
  SequenceActivation: 'sequences > activation',
  SequenceConnection: 'sequences',
  Series: 'campaigns > series(figure: SENDS)',
  SequenceStage: 'sequences > stages',
  Submission: 'submissions',
  SubmissionConnection: 'submissions',
  SenderProblemConnection: 'senderProblems',
  SuppressionConnection: 'suppressions',
  Tag: 'tags',
  Topic: 'topics',
  TimelineEntryConnection: 'contacts > timeline(first: 5)',
  TagConnection: 'tags',
  TransactionConnection: 'transactions',
  User: 'users',
  UserConnection: 'users',
  Viewer: 'viewer',
  Webhook: 'webhooks',
  WebhookConnection: 'webhooks',
  WebhookDeliveryConnection: 'webhooks > deliveries(last: 5)',
}

/** Arguments of lists that are neither those of a connection nor empty. */
const listArguments: Readonly<Record<string, string>> = {
  'Query.nodes': '(ids: $ids)',
  'Query.revenue': '(period: ALL)',
  'Query.search': '(text: "exam")',
  'Query.revenueSeries': '(groupBy: CURRENCY)',
}

/**
 * The path of each list field of the schema from the root; `$n` is the page size. A path ends at the list, and its last
 * part selects fields of the items.
 */
export const listPaths: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(selections).map(([field, selection]) => [field, [...stepsTo(field), selection]]),
)

/** Returns the steps to a list field: those to its type, the field, and `nodes` of each connection that lacks the next field. */
function stepsTo(listField: string): string[] {
  const [type = '', field = ''] = listField.split('.')
  const path = pathsToTypes[type]?.split(' > ') ?? []
  const names = [...path, `${field}${listArguments[listField] ?? ''}`]
  const steps: string[] = []
  let parent = schema.getQueryType() as GraphQLObjectType
  for (const [index, name] of names.entries()) {
    const child = getNamedType(parent.getFields()[name.replace(/\(.*/, '')]?.type) as GraphQLObjectType | undefined
    if (child === undefined) throw new Error(`${listField}: ${parent.name} has no field ${name}.`)
    const isConnection = isObjectType(child) && 'pageInfo' in child.getFields()
    const page = isConnection && !name.includes('(') ? `(first: ${steps.includes('nodes') ? 10 : '$n'})` : ''
    steps.push(`${name}${page}`)
    const hasNext = isConnection && (names[index + 1]?.replace(/\(.*/, '') ?? '') in child.getFields()
    if (isConnection && !hasNext) steps.push('nodes')
    parent = isConnection && !hasNext ? (getNamedType(child.getFields()['nodes']?.type) as GraphQLObjectType) : child
  }
  return steps
}
