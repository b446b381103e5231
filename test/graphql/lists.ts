import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { listNames } from '../../src/campaigns/audience-filter.ts'
import { schema } from '../../src/server/schema.ts'
import type { World } from '../support/world.ts'

/**
 * The path of each list field of the schema from the root; `$n` is the page size. A path ends at the list, and its last
 * part selects fields of the items.
 */
export const waysTo: Readonly<Record<string, readonly string[]>> = {
  'Query.nodes': [
    'nodes(ids: $ids)',
    `id databaseId ... on Contact { email stats { sent } } ... on Tag { name } ... on Sequence { name activeContacts }
      ... on SequenceStage { name figures: stats { sent } } ... on Enrolment { state anchorDate }
      ... on Funnel { name stepsCount } ... on FunnelStep { title content }
      ... on Campaign { name figures: stats { sent } } ... on Email { subject htmlUrl } ... on Webhook { url }
      ... on Customer { email } ... on Order { idOrder lines { name } } ... on Transaction { idTransaction }
      ... on Invoice { number openAmount { amount } } ... on CreditNote { reason } ... on BillingSubscription { planName: name }
      ... on Form { name submissionsCount questions { label } } ... on Question { label options }
      ... on Outcome { key bucket } ... on Submission { score answers { label } }`,
  ],
  'Query.apiKeys': ['apiKeys(first: $n)', 'nodes', 'id name'],
  'Query.webhooks': ['webhooks(first: $n)', 'nodes', 'id url active deliveries(first: 2) { totalCount }'],
  'Query.contacts': ['contacts(first: $n)', 'nodes', 'id email account { name } stats { sent opened clickRate }'],
  'Query.tags': ['tags(first: $n)', 'nodes', 'id name audience { total optIn }'],
  'Query.customFields': ['customFields', 'id name values'],
  'Query.sequences': [
    'sequences(first: $n)',
    'nodes',
    'id name activeContacts stagesCount stats { sent } audience { total }',
  ],
  'Query.funnels': ['funnels(first: $n)', 'nodes', 'id name stepsCount stats { since totals { views } }'],
  'Account.funnels': ['account', 'funnels(first: $n)', 'nodes', 'id name'],
  'Funnel.steps': [
    'funnels(first: $n)',
    'nodes',
    'steps',
    'id name path url content form { name step { name } } funnel { name }',
  ],
  'FunnelStep.tags': ['forms(first: $n)', 'nodes', 'step', 'tags', 'id name'],
  'FunnelStep.sequences': ['forms(first: $n)', 'nodes', 'step', 'sequences', 'id name'],
  'FunnelStep.versions': ['forms(first: $n)', 'nodes', 'step', 'versions', 'version content'],
  'FunnelStats.steps': [
    'funnels(first: $n)',
    'nodes',
    'stats',
    'steps',
    'step { name } figures { visitors views optIns orders }',
  ],
  'FunnelStats.groups': [
    'funnels(first: $n)',
    'nodes',
    'stats(groupBy: UTM_SOURCE)',
    'groups',
    'key figures { visitors }',
  ],
  'FunnelFigures.revenue': ['funnels(first: $n)', 'nodes', 'stats', 'totals', 'revenue', 'amount currency'],
  'FunnelConnection.nodes': ['funnels(first: $n)', 'nodes', 'stepsCount'],
  'FunnelConnection.edges': ['funnels(first: $n)', 'edges', 'cursor node { id steps { name } }'],
  'Query.campaigns': [
    'campaigns(first: $n)',
    'nodes',
    'id name subject scheduledForLocal stats { sent } email { html text htmlUrl textUrl preview { subject html } } audience { total optIn }',
  ],
  'Account.webhooks': ['account', 'webhooks(first: $n)', 'nodes', 'id url'],
  'Account.campaigns': ['account', 'campaigns(first: $n)', 'nodes', 'id name'],
  'Account.contacts': ['account', 'contacts(first: $n)', 'nodes', 'id email'],
  'Account.tags': ['account', 'tags(first: $n)', 'nodes', 'id name'],
  'Account.customFields': ['account', 'customFields', 'id name'],
  'Account.sequences': [
    'account',
    'sequences(first: $n)',
    'nodes',
    'id name audience { contacts(first: 2) { totalCount } }',
  ],
  'Contact.tags': ['contacts(first: $n)', 'nodes', 'tags', 'id name'],
  'Contact.customFields': ['contacts(first: $n)', 'nodes', 'customFields', 'label value customField { name values }'],
  'Contact.sequences': ['contacts(first: $n)', 'nodes', 'sequences', 'name stagesCount activeContacts'],
  'Contact.enrolments': [
    'contacts(first: $n)',
    'nodes',
    'enrolments(first: 10)',
    'nodes',
    'id state sequence { name } lastStage { name } nextStage { name email { subject } }',
  ],
  'Contact.messages': [
    'contacts(first: $n)',
    'nodes',
    'messages(first: 10)',
    'nodes',
    'id state campaign { name email { subject } stats { sent } }',
  ],
  'Query.contactImports': ['contactImports(first: $n)', 'nodes', 'id status columns { column customField { name } }'],
  'ContactImport.columns': ['contactImports(first: $n)', 'nodes', 'columns', 'column field customField { name }'],
  'ContactImport.errors': ['contactImports(first: $n)', 'nodes', 'errors(first: 10)', 'nodes', 'id line message'],
  'Contact.consents': ['contacts(first: $n)', 'nodes', 'consents(first: $n)', 'nodes', 'id kind'],
  'Tag.contacts': ['tags(first: $n)', 'nodes', 'contacts(first: $n)', 'nodes', 'id email'],
  'Sequence.stages': [
    'sequences(first: $n)',
    'nodes',
    'stages',
    'id name stats { sent } email { subject html } action { kind tag { name } sequence { name } } sequence { name }',
  ],
  'Sequence.contacts': ['sequences(first: $n)', 'nodes', 'contacts(first: 10)', 'nodes', 'id email stats { sent }'],
  'Sequence.enrolments': [
    'sequences(first: $n)',
    'nodes',
    'enrolments(first: 10)',
    'nodes',
    'id contact { email stats { sent } } lastStage { name } nextStage { name stats { sent } }',
  ],
  'Campaign.recipients': [
    'campaigns(first: $n)',
    'nodes',
    'recipients(first: 10)',
    'nodes',
    'id state contact { email stats { sent } } campaign { name }',
  ],
  'Audience.contacts': ['campaigns(first: $n)', 'nodes', 'audience', 'contacts(first: 5)', 'nodes', 'id tags { name }'],
  ...Object.fromEntries(
    listNames.map((name) => [
      `AudienceCriteria.${name}`,
      ['campaigns(first: $n)', 'nodes', 'audience', 'criteria', name, ''],
    ]),
  ),
  'Query.suppressions': ['suppressions(first: $n)', 'nodes', 'id email reason detail'],
  'Query.dkimKeys': ['dkimKeys', 'domain selector dnsName dnsValue'],
  'Query.senderDomains': ['senderDomains', 'domain status problem'],
  'SenderDomain.records': ['senderDomains', 'records', 'name value isFound'],
  'SuppressionConnection.nodes': ['suppressions(first: $n)', 'nodes', 'id'],
  'SuppressionConnection.edges': ['suppressions(first: $n)', 'edges', 'cursor node { id }'],
  'Query.customers': ['customers(first: $n)', 'nodes', 'id email contact { email }'],
  'Query.orders': ['orders(first: $n)', 'nodes', 'id idOrder amount { amount } customer { email } contact { email }'],
  'Query.transactions': [
    'transactions(first: $n)',
    'nodes',
    'id order { idOrder } invoice { number } subscription { name } customer { email } contact { email }',
  ],
  'Query.invoices': [
    'invoices(first: $n)',
    'nodes',
    'id number filename openAmount { amount } order { idOrder } customer { email } contact { email }',
  ],
  'Query.creditNotes': [
    'creditNotes(first: $n)',
    'nodes',
    'id number filename invoice { number } order { idOrder } customer { email } contact { email }',
  ],
  'Query.billingSubscriptions': [
    'billingSubscriptions(first: $n)',
    'nodes',
    'id name customer { email } contact { email }',
  ],
  'Query.revenue': ['revenue(period: ALL)', 'orders amount { amount currency }'],
  'Account.customers': ['account', 'customers(first: $n)', 'nodes', 'id email'],
  'Account.orders': ['account', 'orders(first: $n)', 'nodes', 'id idOrder'],
  'Account.transactions': ['account', 'transactions(first: $n)', 'nodes', 'id idTransaction'],
  'Account.invoices': ['account', 'invoices(first: $n)', 'nodes', 'id number'],
  'Account.creditNotes': ['account', 'creditNotes(first: $n)', 'nodes', 'id number'],
  'Account.billingSubscriptions': ['account', 'billingSubscriptions(first: $n)', 'nodes', 'id name'],
  'Contact.customers': ['contacts(first: $n)', 'nodes', 'customers(first: 2)', 'nodes', 'id email'],
  'Contact.orders': [
    'contacts(first: $n)',
    'nodes',
    'orders(first: 10)',
    'nodes',
    'id customer { email } lines { name }',
  ],
  'Contact.transactions': ['contacts(first: $n)', 'nodes', 'transactions(first: 10)', 'nodes', 'id order { idOrder }'],
  'Contact.invoices': ['contacts(first: $n)', 'nodes', 'invoices(first: 10)', 'nodes', 'id openAmount { amount }'],
  'Contact.creditNotes': ['contacts(first: $n)', 'nodes', 'creditNotes(first: 10)', 'nodes', 'id invoice { number }'],
  'Contact.billingSubscriptions': [
    'contacts(first: $n)',
    'nodes',
    'billingSubscriptions(first: 10)',
    'nodes',
    'id name',
  ],
  'Contact.subscriptionSummaries': ['contacts(first: $n)', 'nodes', 'subscriptionSummaries', 'databaseId name'],
  'Customer.orders': ['customers(first: $n)', 'nodes', 'orders(first: 10)', 'nodes', 'id contact { email }'],
  'Customer.transactions': [
    'customers(first: $n)',
    'nodes',
    'transactions(first: 10)',
    'nodes',
    'id invoice { number }',
  ],
  'Customer.invoices': ['customers(first: $n)', 'nodes', 'invoices(first: 10)', 'nodes', 'id order { idOrder }'],
  'Customer.creditNotes': ['customers(first: $n)', 'nodes', 'creditNotes(first: 10)', 'nodes', 'id order { idOrder }'],
  'Customer.billingSubscriptions': [
    'customers(first: $n)',
    'nodes',
    'billingSubscriptions(first: 10)',
    'nodes',
    'id name',
  ],
  'Order.lines': [
    'orders(first: $n)',
    'nodes',
    'lines',
    'name unitPrice { amount } amount { currency } vat { amount }',
  ],
  'Order.attribution': ['orders(first: $n)', 'nodes', 'attribution', 'key value'],
  'Order.transactions': ['orders(first: $n)', 'nodes', 'transactions(first: 10)', 'nodes', 'id customer { email }'],
  'Order.invoices': [
    'orders(first: $n)',
    'nodes',
    'invoices(first: 10)',
    'nodes',
    'id lines { name } customer { email }',
  ],
  'Order.creditNotes': [
    'orders(first: $n)',
    'nodes',
    'creditNotes(first: 10)',
    'nodes',
    'id lines { name } invoice { number }',
  ],
  'Invoice.lines': ['invoices(first: $n)', 'nodes', 'lines', 'name amount { amount }'],
  'Invoice.transactions': ['invoices(first: $n)', 'nodes', 'transactions(first: 10)', 'nodes', 'id customer { email }'],
  'Invoice.creditNotes': ['invoices(first: $n)', 'nodes', 'creditNotes(first: 10)', 'nodes', 'id customer { email }'],
  'CreditNote.lines': ['creditNotes(first: $n)', 'nodes', 'lines', 'name amount { amount }'],
  'BillingSubscription.transactions': [
    'billingSubscriptions(first: $n)',
    'nodes',
    'transactions(first: 10)',
    'nodes',
    'id customer { email }',
  ],
  'Webhook.events': ['webhooks(first: $n)', 'nodes', 'events', ''],
  'Webhook.deliveries': [
    'webhooks(first: $n)',
    'nodes',
    'deliveries(first: 10)',
    'nodes',
    'id type status body response nextAttemptAt',
  ],
  'CustomField.values': ['customFields', 'values', ''],
  'ApiKey.scopes': ['apiKeys(first: $n)', 'nodes', 'scopes', ''],
  'Viewer.scopes': ['viewer', 'scopes', ''],
  'ApiKeyConnection.nodes': ['apiKeys(first: $n)', 'nodes', 'id'],
  'ApiKeyConnection.edges': ['apiKeys(first: $n)', 'edges', 'cursor node { id }'],
  'ContactConnection.nodes': ['tags(first: $n)', 'nodes', 'contacts(first: 5)', 'nodes', 'tags { name }'],
  'ContactConnection.edges': ['contacts(first: $n)', 'edges', 'cursor node { id tags { name } }'],
  'ContactImportConnection.nodes': ['contactImports(first: $n)', 'nodes', 'errors(first: 2) { totalCount }'],
  'ContactImportConnection.edges': ['contactImports(first: $n)', 'edges', 'cursor node { id status }'],
  'ContactImportErrorConnection.nodes': ['contactImports(first: $n)', 'nodes', 'errors(first: 5)', 'nodes', 'id line'],
  'ContactImportErrorConnection.edges': [
    'contactImports(first: $n)',
    'nodes',
    'errors(last: 5)',
    'edges',
    'cursor node { id line }',
  ],
  'TagConnection.nodes': ['tags(first: $n)', 'nodes', 'contacts(first: 2) { totalCount }'],
  'TagConnection.edges': ['tags(first: $n)', 'edges', 'cursor node { id }'],
  'SequenceConnection.nodes': ['sequences(first: $n)', 'nodes', 'contacts(first: 2) { totalCount }'],
  'SequenceConnection.edges': ['sequences(first: $n)', 'edges', 'cursor node { id stages { name } }'],
  'EnrolmentConnection.nodes': ['sequences(first: $n)', 'nodes', 'enrolments(first: 2) { totalCount }'],
  'EnrolmentConnection.edges': [
    'contacts(first: $n)',
    'nodes',
    'enrolments(last: 5)',
    'edges',
    'cursor node { id sequence { name stagesCount } }',
  ],
  'CampaignConnection.nodes': ['campaigns(first: $n)', 'nodes', 'recipients(first: 2) { totalCount }'],
  'CampaignConnection.edges': ['campaigns(first: $n)', 'edges', 'cursor node { id email { text } }'],
  'RecipientConnection.nodes': ['contacts(first: $n)', 'nodes', 'messages(first: 2) { totalCount }'],
  'RecipientConnection.edges': [
    'campaigns(first: $n)',
    'nodes',
    'recipients(last: 5)',
    'edges',
    'cursor node { id contact { email } }',
  ],
  'Query.forms': ['forms(first: $n)', 'nodes', 'id name submissionsCount'],
  'Query.submissions': [
    'submissions(first: $n)',
    'nodes',
    'id score form { name submissionsCount } contact { email } qualification { title }',
  ],
  'Account.forms': ['account', 'forms(first: $n)', 'nodes', 'id name'],
  'Account.submissions': ['account', 'submissions(first: $n)', 'nodes', 'id score'],
  'Contact.submissions': ['contacts(first: $n)', 'nodes', 'submissions(first: 10)', 'nodes', 'id form { name }'],
  'Form.questions': ['forms(first: $n)', 'nodes', 'questions', 'label form { name } customField { name }'],
  'Form.outcomes': ['forms(first: $n)', 'nodes', 'outcomes', 'key form { name }'],
  'Form.submissions': ['forms(first: $n)', 'nodes', 'submissions(first: 10)', 'nodes', 'id contact { email }'],
  'Question.options': ['forms(first: $n)', 'nodes', 'questions', 'options', ''],
  'Question.points': ['forms(first: $n)', 'nodes', 'questions', 'points', 'answer points'],
  'Submission.answers': ['submissions(first: $n)', 'nodes', 'answers', 'id label question { label form { name } }'],
  'Submission.typedFields': ['submissions(first: $n)', 'nodes', 'typedFields', 'field value'],
  'Submission.attribution': ['submissions(first: $n)', 'nodes', 'attribution', 'key value'],
  'Submission.firstAttribution': ['submissions(first: $n)', 'nodes', 'firstAttribution', 'key value'],
  'Answer.values': ['submissions(first: $n)', 'nodes', 'answers', 'values', ''],
  'FormConnection.nodes': ['forms(first: $n)', 'nodes', 'submissions(first: 2) { totalCount }'],
  'FormConnection.edges': ['forms(first: $n)', 'edges', 'cursor node { id submissionsCount }'],
  'SubmissionConnection.nodes': ['contacts(first: $n)', 'nodes', 'submissions(first: 2) { totalCount }'],
  'SubmissionConnection.edges': ['submissions(first: $n)', 'edges', 'cursor node { id answers { label } }'],
  'CustomerConnection.nodes': ['customers(first: $n)', 'nodes', 'orders(first: 2) { totalCount }'],
  'CustomerConnection.edges': ['customers(first: $n)', 'edges', 'cursor node { id contact { email } }'],
  'OrderConnection.nodes': ['orders(first: $n)', 'nodes', 'invoices(first: 2) { totalCount }'],
  'OrderConnection.edges': ['orders(first: $n)', 'edges', 'cursor node { id customer { email } }'],
  'TransactionConnection.nodes': ['contacts(first: $n)', 'nodes', 'transactions(first: 2) { totalCount }'],
  'TransactionConnection.edges': ['transactions(first: $n)', 'edges', 'cursor node { id order { idOrder } }'],
  'InvoiceConnection.nodes': ['contacts(first: $n)', 'nodes', 'invoices(first: 2) { totalCount }'],
  'InvoiceConnection.edges': ['invoices(first: $n)', 'edges', 'cursor node { id openAmount { amount } }'],
  'CreditNoteConnection.nodes': ['contacts(first: $n)', 'nodes', 'creditNotes(first: 2) { totalCount }'],
  'CreditNoteConnection.edges': ['creditNotes(first: $n)', 'edges', 'cursor node { id invoice { number } }'],
  'BillingSubscriptionConnection.nodes': [
    'contacts(first: $n)',
    'nodes',
    'billingSubscriptions(first: 2) { totalCount }',
  ],
  'BillingSubscriptionConnection.edges': [
    'billingSubscriptions(first: $n)',
    'edges',
    'cursor node { id customer { email } }',
  ],
  'WebhookConnection.nodes': ['webhooks(first: $n)', 'nodes', 'id deliveries(last: 2) { totalCount }'],
  'WebhookConnection.edges': ['webhooks(first: $n)', 'edges', 'cursor node { id }'],
  'WebhookDeliveryConnection.nodes': ['webhooks(first: $n)', 'nodes', 'deliveries(first: 5)', 'nodes', 'id'],
  'WebhookDeliveryConnection.edges': [
    'webhooks(first: $n)',
    'nodes',
    'deliveries(last: 5)',
    'edges',
    'cursor node { id body }',
  ],
  'ConsentConnection.nodes': ['contacts(first: $n)', 'nodes', 'consents(first: 5)', 'nodes', 'id'],
  'ConsentConnection.edges': ['contacts(first: $n)', 'nodes', 'consents(last: 5)', 'edges', 'cursor node { id }'],
}

/** Returns the document of such a path. */
export function documentOf(steps: readonly string[]): string {
  const [leaf = '', ...outwards] = steps.toReversed()
  const body = outwards.reduce((inner, step) => (inner === '' ? step : `${step} { ${inner} }`), leaf)
  const variables = [body.includes('$n') && '$n: Int', body.includes('$ids') && '$ids: [ID!]!'].filter(Boolean)
  return `query ${variables.length > 0 ? `(${variables.join(', ')})` : ''} { ${body} }`
}

/** The tables of types with global IDs. */
export const tables = {
  Contact: 'contact',
  Tag: 'tag',
  ContactImport: 'contact_import',
  CustomField: 'custom_field',
  Sequence: 'sequence',
  SequenceStage: 'sequence_stage',
  Enrolment: 'enrolment',
  Campaign: 'campaign',
  Funnel: 'funnel',
  FunnelStep: 'funnel_step',
  Email: 'email',
  Customer: 'customer',
  Order: '"order"',
  Transaction: 'transaction',
  Invoice: 'invoice',
  CreditNote: 'credit_note',
  BillingSubscription: 'billing_subscription',
  Form: 'form',
  Question: 'question',
  Outcome: 'outcome',
  Submission: 'submission',
  Webhook: 'webhook',
}

/** Returns global IDs of an account's objects, as many per type as there are up to a limit, and at most 100. */
export async function globalIds({ accountId, rows }: World, most: number): Promise<string[]> {
  const each = Math.min(most, Math.floor(100 / Object.keys(tables).length))
  const ids = Object.entries(tables).map(async ([type, table]) => {
    const found = await rows<{ id: number }>(`SELECT id FROM ${table} WHERE account_id = $1 ORDER BY id LIMIT $2`, [
      accountId,
      each,
    ])
    return found.map(({ id }) => Buffer.from(`${type}:${id}`).toString('base64url'))
  })
  return (await Promise.all(ids)).flat()
}

/** Returns the items at the end of such a path in a response. */
export function itemsOf(data: unknown, steps: readonly string[]): unknown[] {
  let found = [data]
  for (const step of steps.slice(0, -1)) {
    const name = step.replace(/\(.*/, '')
    found = found.flatMap((each) => (each as Record<string, unknown>)[name] ?? [])
  }
  return found
}

/** Returns every field of an object type that is a list or a connection. */
export function listFields(): string[] {
  const objects = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  )
  return objects.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => isList(field.type) || isConnection(getNamedType(field.type)))
      .map((field) => `${type.name}.${field.name}`),
  )
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
