import type { FieldMap } from '@pothos/core'
import { builder, type Schema } from '../../graphql/builder.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { globalId } from '../../kernel/ids.ts'
import { type EventOf, type EventType, eventTypes } from '../index.ts'
import { EventInterface, kinds } from './event.schema.ts'

type Fields<Type extends EventType> = PothosSchemaTypes.ObjectFieldBuilder<Schema, EventOf<Type>>

/**
 * The object type that shows the events of some types: here with what the event itself says. The room that has the rows
 * adds the nodes in its own `events.schema.ts`.
 */
function kind<Type extends EventType>(
  name: string,
  types: readonly Type[],
  description: string,
  fields: (t: Fields<Type>) => FieldMap,
) {
  for (const type of types) {
    kinds.set(type, name)
    readableWith(name, eventTypes[type].needs)
  }
  return builder.objectRef<EventOf<Type>>(name).implement({
    description,
    interfaces: [EventInterface as never],
    fields: fields as never,
  })
}

/** The ids of what an event is about: the global one, and the integer that REST shows. They outlive their node. */
function ids<Type extends EventType>(
  t: Fields<Type>,
  field: string,
  type: string,
  of: (data: EventOf<Type>['data']) => number,
): FieldMap {
  const noun = type.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase()
  return {
    [`${field}Id`]: t.id({
      description: `The global id of the ${noun}; also where it is gone.`,
      resolve: ({ data }) => globalId(type, of(data)),
    }),
    [`${field}DatabaseId`]: t.int({
      description: `The integer that the REST API calls the id of the ${noun}.`,
      resolve: ({ data }) => of(data),
    }),
  }
}

export const ContactEvent = kind(
  'ContactEvent',
  ['contact.created', 'contact.updated', 'contact.deleted', 'contact.unsubscribed', 'contact.resubscribed'],
  'Something happened to a contact.',
  (t) => ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
)

export const ContactTagEvent = kind(
  'ContactTagEvent',
  ['contact.tag_added', 'contact.tag_removed'],
  'A contact has got or lost a tag.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    ...ids(t, 'tag', 'Tag', ({ tagId }) => tagId),
  }),
)

export const ContactFieldEvent = kind(
  'ContactFieldEvent',
  ['contact.field_updated'],
  "A contact's value for a custom field has changed.",
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    ...ids(t, 'customField', 'CustomField', ({ customFieldId }) => customFieldId),
    value: t.string({ description: 'What it became, as text.', resolve: ({ data }) => data.value }),
  }),
)

export const SequenceEvent = kind(
  'SequenceEvent',
  ['sequence.subscribed', 'sequence.unsubscribed', 'sequence.completed'],
  'A contact has entered or left a sequence.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    ...ids(t, 'sequence', 'Sequence', ({ sequenceId }) => sequenceId),
  }),
)

export const MessageEvent = kind(
  'MessageEvent',
  ['email.sent', 'email.bounced', 'email.complained', 'email.opened', 'email.clicked'],
  'Something happened to a message that a campaign or a stage of a sequence has sent.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    campaignId: t.id({
      nullable: true,
      description: 'The global id of the campaign that sent it; null where a sequence did.',
      resolve: ({ data: { campaignId } }) => (campaignId === null ? null : globalId('Campaign', campaignId)),
    }),
    stageId: t.id({
      nullable: true,
      description: 'The global id of the stage that sent it; null where a campaign did.',
      resolve: ({ data: { stageId } }) => (stageId === null ? null : globalId('SequenceStage', stageId)),
    }),
    url: t.string({
      nullable: true,
      description: 'The link that was followed; null where none was.',
      resolve: ({ data }) => ('url' in data ? data.url : null),
    }),
  }),
)

export const CampaignEvent = kind(
  'CampaignEvent',
  ['campaign.scheduled', 'campaign.unscheduled', 'campaign.sending', 'campaign.sent', 'campaign.error'],
  'A campaign has come to another status.',
  (t) => ids(t, 'campaign', 'Campaign', ({ campaignId }) => campaignId),
)

export const OrderEvent = kind(
  'OrderEvent',
  ['order.created', 'order.completed', 'order.cancelled', 'order.refunded'],
  'Something happened to an order.',
  (t) => ids(t, 'order', 'Order', ({ orderId }) => orderId),
)

export const TransactionEvent = kind(
  'TransactionEvent',
  ['transaction.completed', 'transaction.refunded', 'transaction.error'],
  'Something happened to a payment.',
  (t) => ids(t, 'transaction', 'Transaction', ({ transactionId }) => transactionId),
)

export const InvoiceEvent = kind(
  'InvoiceEvent',
  ['invoice.created', 'invoice.paid'],
  'Something happened to an invoice.',
  (t) => ids(t, 'invoice', 'Invoice', ({ invoiceId }) => invoiceId),
)

export const CreditNoteEvent = kind(
  'CreditNoteEvent',
  ['credit_note.created'],
  'Something happened to a credit note.',
  (t) => ids(t, 'creditNote', 'CreditNote', ({ creditNoteId }) => creditNoteId),
)

export const BillingSubscriptionEvent = kind(
  'BillingSubscriptionEvent',
  ['subscription.created', 'subscription.renewed', 'subscription.payment_failed', 'subscription.ended'],
  'Something happened to a billing plan of a customer.',
  (t) => ids(t, 'subscription', 'BillingSubscription', ({ subscriptionId }) => subscriptionId),
)

export const FormSubmissionEvent = kind(
  'FormSubmissionEvent',
  ['form_submission.started', 'form_submission.updated', 'form_submission.completed'],
  'Something happened to a submission of a form.',
  (t) => ({
    ...ids(t, 'submission', 'Submission', ({ submissionId }) => submissionId),
    ...ids(t, 'form', 'Form', ({ formId }) => formId),
  }),
)

export const FunnelOptInEvent = kind(
  'FunnelOptInEvent',
  ['funnel.opt_in'],
  'Someone has signed up on a step of a funnel.',
  (t) => ({
    ...ids(t, 'funnel', 'Funnel', ({ funnelId }) => funnelId),
    ...ids(t, 'step', 'FunnelStep', ({ stepId }) => stepId),
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
  }),
)

export const QuotaEvent = kind(
  'QuotaEvent',
  ['quota.reached'],
  'The account has used up what its plan allows of something.',
  (t) => ({
    slot: t.string({ description: 'Of what, as the quota names it.', resolve: ({ data }) => data.slot }),
    limit: t.int({ description: 'How much the plan allows.', resolve: ({ data }) => data.limit }),
    used: t.int({ description: 'How much is used.', resolve: ({ data }) => data.used }),
  }),
)

export const WebhookEvent = kind('WebhookEvent', ['webhook.test'], 'A webhook was asked to show that it works.', (t) =>
  ids(t, 'webhook', 'Webhook', ({ webhookId }) => webhookId),
)
