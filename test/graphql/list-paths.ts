import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { schema } from '../../src/server/schema.ts'

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
  BulkJob: 'bulkJobs',
  BulkJobConnection: 'bulkJobs',
  BulkJobErrorConnection: 'bulkJobs > errors(last: 5)',
  Campaign: 'campaigns',
  CampaignCheck: 'campaigns > check',
  CampaignConnection: 'campaigns',
  ClickConnection: 'campaigns > recipients(last: 5) > clicks(last: 5)',
  ConsentConnection: 'contacts > consents(last: 5)',
  Contact: 'contacts',
  ContactConnection: 'tags > contacts(last: 5)',
  ContactImport: 'contactImports',
  ContactImportConnection: 'contactImports',
  ContactImportErrorConnection: 'contactImports > errors(last: 5)',
  ContactImportErrorGroup: 'contactImports > errorGroups',
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
  SequenceConnection: 'sequences',
  Series: 'campaigns > series(figure: SENDS)',
  SequenceStage: 'sequences > stages',
  Submission: 'submissions',
  SubmissionConnection: 'submissions',
  SenderProblemConnection: 'senderProblems',
  SuppressionConnection: 'suppressions',
  Tag: 'tags',
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
}

/** What the tests select from the items of each list field of the schema. */
const selections: Readonly<Record<string, string>> = {
  'Query.nodes': `
    id
    ... on Contact { email stats { sent } }
    ... on Tag { name }
    ... on Sequence { name activeContacts }
    ... on SequenceStage { name figures: stats { sent } }
    ... on Enrolment { state anchorDate }
    ... on Funnel { name stepsCount }
    ... on FunnelStep { title content }
    ... on Campaign { name figures: stats { sent } }
    ... on Email { subject htmlUrl }
    ... on Webhook { url }
    ... on Customer { email }
    ... on Order { idOrder lines { name } }
    ... on Transaction { idTransaction }
    ... on Invoice { number openAmount { amount } }
    ... on CreditNote { reason }
    ... on BillingSubscription { planName: name }
    ... on Form { name submissionsCount questions { label } }
    ... on Question { label options }
    ... on Outcome { key bucket }
    ... on Submission { score answers { label } }
    ... on Answer { values }
    ... on Consent { source }
    ... on ContactImportError { line }
    ... on BulkJobError { code }
    ... on Recipient { attempts }
    ... on Suppression { detail }
    ... on SenderProblem { domain }
    ... on User { email }
    ... on WebhookDelivery { databaseId body }`,
  'Query.apiKeys': 'id name',
  'Query.users': 'id email',
  'Query.webhooks': 'id url active deliveries(first: 2) { totalCount }',
  'Query.contacts': 'id email account { name } stats { sent opened clickRate }',
  'Query.segments': 'id name filter',
  'Account.segments': 'id name',
  'Contact.segments': 'id name',
  'Segment.contacts': 'id email',
  'Query.tags': 'id name audience { total optIn }',
  'Query.customFields': 'id name values',
  'Query.sequences': 'id name activeContacts stagesCount stats { sent } audience { total }',
  'Query.funnels': 'id name stepsCount stats { since totals { views } }',
  'Query.campaigns':
    'id name subject scheduledForLocal stats { sent } email { html text htmlUrl textUrl preview { subject html } } audience { total optIn }',
  'Query.bulkJobs': 'id status total filter',
  'Account.bulkJobs': 'id action',
  'Query.contactImports': 'id status columns { column customField { name } }',
  'Query.recipients': 'id state attempts',
  'Query.creditNoteSums': 'count amount { amount currency }',
  'Query.invoiceSums': 'count amount { amount currency }',
  'Query.orderSums': 'count amount { amount currency }',
  'Query.transactionSums': 'count amount { amount currency }',
  'Query.search': 'kind title node { id }',
  'Query.suppressions': 'id email reason detail',
  'Query.senderProblems': 'id domain cause detail',
  'Query.auditLog': 'id action address createdAt apiKey { name } user { email }',
  'AuditEntry.objectIds': '',
  'AuditEntry.objects': 'id',
  'AuditEntry.fields': '',
  'Query.dkimKeys': 'domain selector dnsName dnsValue',
  'Query.senderDomains': 'domain status problem',
  'Query.customers': 'id email contact { email }',
  'Query.orders': 'id idOrder amount { amount } customer { email } contact { email }',
  'Query.transactions':
    'id order { idOrder } invoice { number } subscription { name } customer { email } contact { email }',
  'Query.invoices': 'id number filename openAmount { amount } order { idOrder } customer { email } contact { email }',
  'Query.creditNotes': 'id number filename invoice { number } order { idOrder } customer { email } contact { email }',
  'Query.billingSubscriptions': 'id name customer { email } contact { email }',
  'Query.revenue': 'orders amount { amount currency }',
  'Query.forms': 'id name submissionsCount',
  'Query.submissions': 'id score form { name submissionsCount } contact { email } qualification { title }',
  'Account.funnels': 'id name',
  'Account.webhooks': 'id url',
  'Account.campaigns': 'id name',
  'Account.contacts': 'id email messages(first: 2) { totalCount } submissions(first: 2) { totalCount }',
  'Account.tags': 'id name',
  'Account.customFields': 'id name',
  'Account.sequences': 'id name audience { contacts(first: 2) { totalCount } }',
  'Account.customers': 'id email creditNotes(first: 2) { totalCount } billingSubscriptions(first: 2) { totalCount }',
  'Account.orders': 'id idOrder',
  'Account.transactions': 'id idTransaction',
  'Account.invoices': 'id number',
  'Account.creditNotes': 'id number',
  'Account.billingSubscriptions': 'id name',
  'Account.forms': 'id name',
  'Account.submissions': 'id score',
  'Answer.values': '',
  'ApiKey.scopes': '',
  'Audience.contacts': 'id tags { name }',
  'BillingSubscription.transactions': 'id customer { email }',
  'Campaign.recipients': 'id state contact { email stats { sent } } campaign { name }',
  'Campaign.links': 'url clicks uniqueClicks',
  'CampaignCheck.findings': 'code severity message field',
  'Contact.tags': 'id name',
  'Contact.customFields': 'label value customField { name values }',
  'Contact.sequences': 'name stagesCount activeContacts',
  'Contact.enrolments': 'id state sequence { name } lastStage { name } nextStage { name email { subject } }',
  'Contact.messages': 'id state campaign { name email { subject } stats { sent } }',
  'Contact.consents': 'id kind',
  'Contact.customers': 'id email',
  'Contact.orders': 'id customer { email } lines { name }',
  'Contact.transactions': 'id order { idOrder }',
  'Contact.invoices': 'id openAmount { amount }',
  'Contact.creditNotes': 'id invoice { number }',
  'Contact.billingSubscriptions': 'id name',
  'Contact.subscriptionSummaries': 'databaseId name',
  'Contact.submissions': 'id form { name }',
  'ContactImport.columns': 'column field customField { name }',
  'ContactImport.errors': 'id line message',
  'ContactImport.errorGroups': 'code column count firstLines',
  'ContactImportErrorGroup.firstLines': '',
  'BulkJob.errors': 'id code contact { email }',
  'CreditNote.lines': 'name amount { amount }',
  'CustomField.values': '',
  'Customer.orders': 'id contact { email }',
  'Customer.transactions': 'id invoice { number }',
  'Customer.invoices': 'id order { idOrder }',
  'Customer.creditNotes': 'id order { idOrder }',
  'Customer.billingSubscriptions': 'id name',
  'Facet.values': 'value label count',
  'Form.questions': 'label form { name } customField { name }',
  'Form.outcomes': 'key form { name }',
  'FormStats.questions': 'question { label } answered choices { count } numbers { average }',
  'Form.submissions': 'id contact { email }',
  'Funnel.steps': 'id name path url content form { name step { name } } funnel { name }',
  'Deliverability.bounces': 'cause count share',
  'FunnelTotals.revenue': 'amount currency',
  'FunnelStats.steps': 'step { name } figures { visitors views optIns orders } conversion { reachedNext }',
  'FunnelStats.groups': 'value figures { visitors }',
  'FunnelStep.tags': 'id name',
  'FunnelStep.sequences': 'id name',
  'FunnelStep.versions': 'version content',
  'Invoice.lines': 'name amount { amount }',
  'Invoice.transactions': 'id customer { email }',
  'Invoice.creditNotes': 'id customer { email }',
  'Order.lines': 'name unitPrice { amount } amount { currency } vat { amount }',
  'Order.attribution': 'key value',
  'Order.transactions': 'id customer { email }',
  'Order.invoices': 'id lines { name } customer { email }',
  'Order.creditNotes': 'id lines { name } invoice { number }',
  'PurchaseStats.lifetimeValue': 'amount currency',
  'Question.options': '',
  'Question.points': 'answer points',
  'QuestionStats.choices': 'answer count share',
  'Recipient.clicks': 'url createdAt',
  'SenderDomain.records': 'name value isFound',
  'Sequence.stages':
    'id name stats { sent } email { subject html } action { kind tag { name } sequence { name } } sequence { name }',
  'Sequence.contacts': 'id email stats { sent }',
  'SequenceStage.links': 'url clicks uniqueClicks',
  'Sequence.enrolments': 'id contact { email stats { sent } } lastStage { name } nextStage { name stats { sent } }',
  'Series.points': 'start value previous',
  'Submission.answers': 'id label question { label form { name } }',
  'Submission.typedFields': 'field value',
  'Submission.attribution': 'key value',
  'Submission.firstAttribution': 'key value',
  'Tag.contacts': 'id email transactions(first: 2) { totalCount } invoices(first: 2) { totalCount }',
  'User.sessions': 'id address',
  'Viewer.scopes': '',
  'Webhook.events': '',
  'Webhook.eventPatterns': '',
  'Webhook.deliveries': 'id type status body response nextAttemptAt',
  'ApiKeyConnection.nodes': 'id',
  'ApiKeyConnection.edges': 'cursor node { id }',
  'UserConnection.nodes': 'id',
  'UserConnection.edges': 'cursor node { id }',
  'BillingSubscriptionConnection.nodes': 'id contact { email }',
  'BillingSubscriptionConnection.edges': 'cursor node { id customer { email } }',
  'CampaignConnection.nodes': 'recipients(first: 2) { totalCount }',
  'CampaignConnection.edges': 'cursor node { id email { text } }',
  'ClickConnection.nodes': 'url createdAt',
  'ClickConnection.edges': 'cursor node { url }',
  'ConsentConnection.nodes': 'id',
  'ConsentConnection.edges': 'cursor node { id }',
  'ContactConnection.nodes': 'tags { name }',
  'ContactConnection.edges': 'cursor node { id tags { name } }',
  'BulkJobConnection.nodes': 'errors(first: 2) { totalCount }',
  'BulkJobConnection.edges': 'cursor node { id status }',
  'BulkJobErrorConnection.nodes': 'id code contact { email }',
  'BulkJobErrorConnection.edges': 'cursor node { id code }',
  'ContactImportConnection.nodes': 'errors(first: 2) { totalCount }',
  'ContactImportConnection.edges': 'cursor node { id status }',
  'ContactImportErrorConnection.nodes': 'id line',
  'ContactImportErrorConnection.edges': 'cursor node { id line }',
  'CreditNoteConnection.nodes': 'id customer { email }',
  'CreditNoteConnection.edges': 'cursor node { id invoice { number } }',
  'CustomerConnection.nodes': 'orders(first: 2) { totalCount }',
  'CustomerConnection.edges': 'cursor node { id contact { email } }',
  'EnrolmentConnection.nodes': 'id sequence { name }',
  'EnrolmentConnection.edges': 'cursor node { id sequence { name stagesCount } }',
  'FormConnection.nodes': 'submissions(first: 2) { totalCount }',
  'FormConnection.edges': 'cursor node { id submissionsCount }',
  'FunnelConnection.nodes': 'stepsCount',
  'FunnelConnection.edges': 'cursor node { id steps { name } }',
  'InvoiceConnection.nodes': 'id order { idOrder }',
  'InvoiceConnection.edges': 'cursor node { id openAmount { amount } }',
  'OrderConnection.nodes': 'invoices(first: 2) { totalCount }',
  'OrderConnection.edges': 'cursor node { id customer { email } }',
  'RecipientConnection.nodes': 'id contact { email }',
  'RecipientConnection.edges': 'cursor node { id contact { email } }',
  'SequenceConnection.nodes': 'contacts(first: 2) { totalCount } enrolments(first: 2) { totalCount }',
  'SequenceConnection.edges': 'cursor node { id stages { name } }',
  'SubmissionConnection.nodes': 'id form { name }',
  'SubmissionConnection.edges': 'cursor node { id answers { label } }',
  'EventConnection.nodes': 'cursor',
  'EventConnection.edges': 'cursor node { name }',
  'Query.events': 'cursor name ... on ContactEvent { contact { email } changes { id } }',
  'Contact.timeline': 'id occurredAt',
  'TimelineEntryConnection.nodes': 'id occurredAt',
  'TimelineEntryConnection.edges': 'cursor node { id }',
  'Account.events': 'cursor name',
  'AuditEntryConnection.nodes': 'id',
  'AuditEntryConnection.edges': 'cursor node { id }',
  'SenderProblemConnection.nodes': 'id',
  'SenderProblemConnection.edges': 'cursor node { id }',
  'SuppressionConnection.nodes': 'id',
  'SuppressionConnection.edges': 'cursor node { id }',
  'SegmentConnection.nodes': 'contacts(first: 2) { totalCount }',
  'SegmentConnection.edges': 'cursor node { id }',
  'TagConnection.nodes': 'contacts(first: 2) { totalCount }',
  'TagConnection.edges': 'cursor node { id }',
  'TransactionConnection.nodes': 'id customer { email }',
  'TransactionConnection.edges': 'cursor node { id order { idOrder } }',
  'WebhookConnection.nodes': 'id deliveries(last: 2) { totalCount }',
  'WebhookConnection.edges': 'cursor node { id }',
  'WebhookDeliveryConnection.nodes': 'id',
  'WebhookDeliveryConnection.edges': 'cursor node { id body }',
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
