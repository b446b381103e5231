import { expect } from 'vitest'
import type { Named, World } from '../support/world.ts'

/** One of each thing that an account has, by its integer. */
export interface Ids {
  contact: number
  tag: number
  field: number
  key: number
  /** The contact is enrolled in it, and has done the first of its two stages. */
  sequence: number
  /** Its second stage: an active e-mail, the only one that is left. */
  stage: number
  /** Another sequence, with a stage and nobody in it. */
  free: number
  /** A draft that lacks nothing, for everyone; someone has agreed to marketing e-mail. */
  campaign: number
  /** A campaign that is scheduled. */
  planned: number
  failed: number
  /** An order that waits, and one that is completed. */
  order: number
  paid: number
  /** A transaction that waits and pays no invoice. */
  payment: number
  /** An invoice of 12.00 EUR, of which nothing is paid. */
  invoice: number
  /** A subscription that is active, and one whose payment has failed. */
  plan: number
  lapsed: number
  /** A funnel with a step whose page is published. */
  funnel: number
  step: number
  /** A published form with two questions and an outcome, and a form that was never published. */
  form: number
  draft: number
  /** The form's first question, its outcome, and a submission that is in progress and has no answers. */
  question: number
  outcome: number
  submission: number
  /** A webhook that was sent a message. */
  webhook: number
  delivery: number
  /** A campaign that is on its way. */
  sending: number
}

const suppressed = 'suppressed@example.com'

/** What each mutation announces when it changes something, in this order; the input is for an account that has one of each. */
export const announcements: Record<
  string,
  { input(ids: Ids): Record<string, unknown>; select: string; events(ids: Ids): unknown[] }
> = {
  accountUpdate: { input: () => ({ name: 'x' }), select: 'account { id }', events: () => [] },
  apiKeyCreate: { input: () => ({}), select: 'key', events: () => [] },
  apiKeyDisable: { input: ({ key }) => ({ id: key }), select: 'apiKey { id }', events: () => [] },
  webhookCreate: { input: () => ({ url: 'https://hook.invalid/new' }), select: 'secret', events: () => [] },
  webhookUpdate: {
    input: ({ webhook }) => ({ id: webhook, active: true, rotateSecret: true }),
    select: 'secret',
    events: () => [],
  },
  webhookRotateSecret: { input: ({ webhook }) => ({ id: webhook }), select: 'secret', events: () => [] },
  webhookTest: {
    input: ({ webhook }) => ({ id: webhook }),
    select: 'delivery { id }',
    events: ({ webhook }) => [['webhook.test', { webhookId: webhook }]],
  },
  webhookReplay: { input: ({ delivery }) => ({ deliveryId: delivery }), select: 'replayed', events: () => [] },
  webhookDelete: { input: ({ webhook }) => ({ id: webhook }), select: 'databaseId', events: () => [] },
  contactCreate: {
    input: ({ tag, field, sequence }) => ({
      email: 'new@example.com',
      emailMarketing: true,
      tagIds: [tag],
      sequenceIds: [sequence],
      customFields: [{ customFieldId: field, value: 'x' }],
    }),
    select: 'contact { id }',
    events: ({ tag, field, sequence }) => [
      ['contact.created', { contactId: expect.any(Number) }],
      ['contact.tag_added', { contactId: expect.any(Number), tagId: tag }],
      ['contact.field_updated', { contactId: expect.any(Number), customFieldId: field, value: 'x' }],
      ['sequence.subscribed', { contactId: expect.any(Number), sequenceId: sequence }],
    ],
  },
  contactUpsert: {
    input: () => ({ email: 'ada@example.com', city: 'Paris' }),
    select: 'created',
    events: ({ contact }) => [['contact.updated', { contactId: contact }]],
  },
  contactUpdate: {
    input: ({ contact }) => ({ contact: { id: contact }, emailMarketing: true }),
    select: 'contact { id }',
    events: ({ contact }) => [
      ['contact.updated', { contactId: contact }],
      ['contact.resubscribed', { contactId: contact }],
    ],
  },
  contactDelete: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'deleted',
    events: ({ contact }) => [['contact.deleted', { contactId: contact }]],
  },
  contactUnsubscribe: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'contact { id }',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  contactImportCreate: {
    input: ({ tag, sequence }) => ({ csv: 'email\nnew@example.com\n', tagIds: [tag], sequenceIds: [sequence] }),
    select: 'contactImport { id }',
    // What it does to contacts comes later.
    events: () => [['contact_import.progress', { importId: expect.any(Number) }]],
  },
  contactTagAdd: {
    input: ({ contact, tag }) => ({ contact: { id: contact }, tagId: tag }),
    select: 'tag { id }',
    events: ({ contact, tag }) => [['contact.tag_added', { contactId: contact, tagId: tag }]],
  },
  contactTagRemove: {
    input: ({ contact, tag }) => ({ contact: { id: contact }, tagId: tag }),
    select: 'tag { id }',
    events: () => [],
  },
  contactBulkTag: {
    input: ({ contact, tag }) => ({ contactIds: [contact], tagId: tag }),
    select: 'queued',
    events: () => [],
  },
  contactFieldSet: {
    input: ({ contact, field }) => ({ contact: { id: contact }, customFieldId: field, value: 'v' }),
    select: 'value',
    events: ({ contact, field }) => [
      ['contact.field_updated', { contactId: contact, customFieldId: field, value: 'v' }],
    ],
  },
  tagCreate: { input: () => ({ name: 'new' }), select: 'tag { id }', events: () => [] },
  tagUpdate: { input: ({ tag }) => ({ id: tag, name: 'renamed' }), select: 'tag { id }', events: () => [] },
  tagDelete: { input: ({ tag }) => ({ id: tag }), select: 'databaseId', events: () => [] },
  customFieldCreate: { input: () => ({ name: 'new', type: 'TEXT' }), select: 'customField { id }', events: () => [] },
  customFieldUpdate: {
    input: ({ field }) => ({ id: field, name: 'renamed' }),
    select: 'customField { id }',
    events: () => [],
  },
  customFieldDelete: { input: ({ field }) => ({ id: field }), select: 'databaseId', events: () => [] },
  sequenceCreate: { input: () => ({ name: 'new' }), select: 'sequence { id }', events: () => [] },
  sequenceUpdate: {
    input: ({ sequence }) => ({ id: sequence, name: 'renamed', type: 'INVERTED' }),
    select: 'sequence { id }',
    events: () => [],
  },
  sequenceDelete: {
    input: ({ sequence }) => ({ id: sequence }),
    select: 'databaseId',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  sequenceStageCreate: {
    input: ({ sequence }) => ({ sequenceId: sequence }),
    select: 'stage { id }',
    events: () => [],
  },
  sequenceStageUpdate: {
    input: ({ stage }) => ({ id: stage, name: 'renamed', timeValue: 2 }),
    select: 'stage { id }',
    events: () => [],
  },
  sequenceStageDelete: {
    input: ({ stage }) => ({ id: stage }),
    select: 'databaseId',
    events: ({ contact, sequence }) => [['sequence.completed', { contactId: contact, sequenceId: sequence }]],
  },
  sequenceStageContentSet: {
    input: ({ stage }) => ({ id: stage, html: '<p>New</p>', text: 'New', subject: 'New' }),
    select: 'email { id }',
    events: () => [],
  },
  sequenceSubscribe: {
    input: ({ contact, free }) => ({ contact: { id: contact }, sequenceId: free }),
    select: 'enrolment { id }',
    events: ({ contact, free }) => [['sequence.subscribed', { contactId: contact, sequenceId: free }]],
  },
  sequenceUnsubscribe: {
    input: ({ contact, sequence }) => ({ contact: { id: contact }, sequenceId: sequence }),
    select: 'sequence { id }',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  campaignCreate: { input: () => ({ name: 'new' }), select: 'campaign { id }', events: () => [] },
  campaignUpdate: {
    input: ({ campaign, tag }) => ({ id: campaign, subject: 'New', audience: { filter: { includeTagIds: [tag] } } }),
    select: 'campaign { id }',
    events: () => [],
  },
  campaignContentSet: {
    input: ({ campaign }) => ({ id: campaign, html: '<p>New</p>', text: 'New' }),
    select: 'campaign { id }',
    events: () => [],
  },
  campaignSchedule: {
    input: ({ campaign }) => ({ id: campaign, scheduledFor: '2099-12-24 18:00' }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.scheduled', { campaignId: campaign }]],
  },
  campaignUnschedule: {
    input: ({ planned }) => ({ id: planned }),
    select: 'campaign { id }',
    events: ({ planned }) => [['campaign.unscheduled', { campaignId: planned }]],
  },
  campaignRevise: {
    input: ({ failed }) => ({ id: failed }),
    select: 'campaign { id }',
    events: ({ failed }) => [['campaign.unscheduled', { campaignId: failed }]],
  },
  campaignSend: {
    input: ({ campaign }) => ({ id: campaign }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.sending', { campaignId: campaign }]],
  },
  campaignPause: { input: ({ sending }) => ({ id: sending }), select: 'campaign { id }', events: () => [] },
  campaignResume: { input: ({ sending }) => ({ id: sending }), select: 'campaign { id }', events: () => [] },
  campaignCancel: {
    input: ({ sending }) => ({ id: sending }),
    select: 'campaign { id }',
    events: ({ sending }) => [['campaign.error', { campaignId: sending, errorCode: 'CANCELLED' }]],
  },
  campaignSendUnknown: { input: ({ sending }) => ({ id: sending }), select: 'count', events: () => [] },
  campaignTest: {
    input: ({ campaign }) => ({ id: campaign, email: 'me@example.com' }),
    select: 'answer',
    events: () => [],
  },
  sequenceStageTest: {
    input: ({ stage }) => ({ id: stage, email: 'me@example.com' }),
    select: 'answer',
    events: () => [],
  },
  suppressionAdd: {
    input: () => ({ email: 'new@example.com' }),
    select: 'suppression { id }',
    events: () => [],
  },
  suppressionRemove: {
    input: () => ({ email: suppressed }),
    select: 'email',
    events: () => [],
  },
  dkimKeySet: {
    input: () => ({ domain: 'example.com', selector: 'new' }),
    select: 'dkimKey { domain }',
    events: () => [],
  },
  dkimKeyRemove: { input: () => ({ domain: 'example.com' }), select: 'domain', events: () => [] },
  campaignDelete: { input: ({ campaign }) => ({ id: campaign }), select: 'databaseId', events: () => [] },
  orderRecord: {
    input: () => ({ idOrder: 'new', status: 'COMPLETED', amount: '1', customer: { email: 'ada@example.com' } }),
    select: 'order { id }',
    events: () => [
      ['order.created', { orderId: expect.any(Number) }],
      ['order.completed', { orderId: expect.any(Number) }],
    ],
  },
  orderComplete: {
    input: ({ order }) => ({ id: order }),
    select: 'order { id }',
    events: ({ order }) => [['order.completed', { orderId: order }]],
  },
  orderCancel: {
    input: ({ order }) => ({ id: order }),
    select: 'order { id }',
    events: ({ order }) => [['order.cancelled', { orderId: order }]],
  },
  orderRefund: {
    input: ({ paid }) => ({ id: paid }),
    select: 'order { id }',
    events: ({ paid }) => [['order.refunded', { orderId: paid }]],
  },
  transactionRecord: {
    input: ({ order, invoice, plan }) => ({
      idTransaction: 'new',
      orderId: order,
      invoiceId: invoice,
      subscriptionId: plan,
      amount: '12.00',
      status: 'COMPLETED',
    }),
    select: 'transaction { id }',
    events: ({ invoice }) => [
      ['invoice.paid', { invoiceId: invoice }],
      ['transaction.completed', { transactionId: expect.any(Number) }],
    ],
  },
  transactionUpdate: {
    input: ({ payment }) => ({ id: payment, status: 'ERROR' }),
    select: 'transaction { id }',
    events: ({ payment }) => [['transaction.error', { transactionId: payment }]],
  },
  invoiceIssue: {
    input: ({ order }) => ({ orderId: order }),
    select: 'invoice { id }',
    events: () => [['invoice.created', { invoiceId: expect.any(Number) }]],
  },
  invoicePay: {
    input: ({ invoice }) => ({ id: invoice }),
    select: 'invoice { id }',
    events: ({ invoice }) => [['invoice.paid', { invoiceId: invoice }]],
  },
  creditNoteIssue: {
    input: ({ invoice }) => ({ invoiceId: invoice, amount: '6' }),
    select: 'creditNote { id }',
    events: () => [['credit_note.created', { creditNoteId: expect.any(Number) }]],
  },
  subscriptionRecord: {
    input: () => ({ idSubscription: 'new', name: 'New', amount: '1', customer: { email: 'ada@example.com' } }),
    select: 'subscription { id }',
    events: () => [['subscription.created', { subscriptionId: expect.any(Number) }]],
  },
  subscriptionRenew: {
    input: ({ plan }) => ({ id: plan }),
    select: 'subscription { id }',
    events: ({ plan }) => [['subscription.renewed', { subscriptionId: plan }]],
  },
  subscriptionFail: {
    input: ({ plan }) => ({ id: plan }),
    select: 'subscription { id }',
    events: ({ plan }) => [['subscription.payment_failed', { subscriptionId: plan }]],
  },
  subscriptionEnd: {
    input: ({ plan }) => ({ id: plan }),
    select: 'subscription { id }',
    events: ({ plan }) => [['subscription.ended', { subscriptionId: plan }]],
  },
  subscriptionRestart: { input: ({ lapsed }) => ({ id: lapsed }), select: 'subscription { id }', events: () => [] },
  formCreate: {
    input: () => ({ name: 'new', questions: [{ label: 'new', type: 'DATE' }] }),
    select: 'form { id }',
    events: () => [],
  },
  formUpdate: { input: ({ form }) => ({ id: form, name: 'renamed' }), select: 'form { id }', events: () => [] },
  formPublish: { input: ({ draft }) => ({ id: draft }), select: 'form { id }', events: () => [] },
  formArchive: { input: ({ form }) => ({ id: form }), select: 'form { id }', events: () => [] },
  questionCreate: {
    input: ({ form }) => ({ formId: form, label: 'new', type: 'DATE', position: 1 }),
    select: 'question { id }',
    events: () => [],
  },
  questionUpdate: {
    input: ({ question }) => ({ id: question, label: 'renamed' }),
    select: 'question { id }',
    events: () => [],
  },
  questionMove: {
    input: ({ question }) => ({ id: question, position: 2 }),
    select: 'question { id }',
    events: () => [],
  },
  questionDelete: { input: ({ question }) => ({ id: question }), select: 'databaseId', events: () => [] },
  outcomeCreate: {
    input: ({ form }) => ({ formId: form, key: 'new', title: 'new', bucket: 'HOT' }),
    select: 'outcome { id }',
    events: () => [],
  },
  outcomeUpdate: {
    input: ({ outcome }) => ({ id: outcome, title: 'renamed', position: 1 }),
    select: 'outcome { id }',
    events: () => [],
  },
  outcomeDelete: { input: ({ outcome }) => ({ id: outcome }), select: 'databaseId', events: () => [] },
  submissionSave: {
    input: ({ form, question, submission }) => ({
      formId: form,
      id: submission,
      answers: [{ questionId: question, value: 'yes' }],
      complete: true,
    }),
    select: 'submission { id }',
    events: ({ form, submission }) => [['form_submission.completed', { formId: form, submissionId: submission }]],
  },
  funnelCreate: { input: () => ({ name: 'new' }), select: 'funnel { id }', events: () => [] },
  funnelUpdate: { input: ({ funnel }) => ({ id: funnel, name: 'renamed' }), select: 'funnel { id }', events: () => [] },
  funnelDelete: { input: ({ funnel }) => ({ id: funnel }), select: 'databaseId', events: () => [] },
  funnelStepCreate: {
    input: ({ funnel }) => ({ funnelId: funnel, name: 'new' }),
    select: 'step { id }',
    events: () => [],
  },
  funnelStepUpdate: {
    input: ({ step, tag, sequence }) => ({ id: step, path: 'new', tagIds: [tag], sequenceIds: [sequence] }),
    select: 'step { id }',
    events: () => [],
  },
  funnelStepMove: { input: ({ step }) => ({ id: step, order: 1 }), select: 'step { id }', events: () => [] },
  funnelStepDelete: { input: ({ step }) => ({ id: step }), select: 'databaseId', events: () => [] },
  funnelStepContentSet: {
    input: ({ step }) => ({ id: step, content: { version: 1, root: [] }, title: 'New' }),
    select: 'version',
    events: () => [],
  },
  funnelStepPublish: { input: ({ step }) => ({ id: step }), select: 'step { id }', events: () => [] },
  visitRecord: {
    input: ({ step, contact }) => ({ stepId: step, visitorId: 'x', contact: { id: contact } }),
    select: 'counted',
    events: () => [],
  },
  billingProfileUpdate: {
    input: () => ({ companyName: 'New' }),
    select: 'billingProfile { companyName }',
    events: () => [],
  },
}

/** An address that is suppressed, and a domain that signs: what has no id. */
export async function mailSettings({ accountId, run, rows }: World): Promise<void> {
  await run(`mutation {
    accountUpdate(input: { senderEmail: "ada@example.com" }) { account { id } }
    suppressionAdd(input: { email: "${suppressed}" }) { suppression { id } } }`)
  // Making a key takes longer than all else here.
  await rows(
    `INSERT INTO dkim_key (account_id, domain, selector, private_key, public_key, created_at)
     VALUES ($1, 'example.com', 'old', '', '', now())`,
    [accountId],
  )
}

/** The document of one mutation, its input a variable. */
export function mutationOf(field: string, select: string): string {
  return `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${select} } }`
}

/** A campaign that could not be sent, for it says nothing. */
export async function failedCampaign(world: World, name = 'failed'): Promise<Named> {
  const create = 'mutation ($name: String!) { campaignCreate(input: { name: $name }) { campaign { id databaseId } } }'
  const { campaign } = (await world.run(create, { name })).campaignCreate
  await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', campaign)
  return campaign
}

/** A campaign that is on its way to everyone who has agreed. */
export async function sendingCampaign(world: World, name = 'sending'): Promise<Named> {
  const { id, databaseId } = await world.campaign({ name, audience: { sendToAll: true } })
  await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', { id })
  return { id, databaseId }
}
