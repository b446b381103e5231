import type { FieldMap } from '@pothos/core'
import { builder, type Schema } from '../../graphql/builder.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { globalId, nounOf } from '../../kernel/ids.ts'
import { type EventOf, type EventType, eventTypes } from '../index.ts'
import { EventInterface, objectTypes } from './event.schema.ts'

type Fields<Type extends EventType> = PothosSchemaTypes.ObjectFieldBuilder<Schema, EventOf<Type>>

/**
 * Defines the object type of some event types, with the data of the event. The module of the resource adds the resource
 * itself in its own `events.schema.ts`.
 */
function eventObject<Type extends EventType>(
  name: string,
  types: readonly Type[],
  description: string,
  fields: (t: Fields<Type>) => FieldMap,
) {
  for (const type of types) {
    objectTypes.set(type, name)
    readableWith(name, eventTypes[type].needs)
  }
  return builder.objectRef<EventOf<Type>>(name).implement({
    description,
    interfaces: [EventInterface as never],
    fields: fields as never,
  })
}

/** The global ID and the integer ID of a resource of the event. They are set even if the resource was deleted. */
function ids<Type extends EventType>(
  t: Fields<Type>,
  field: string,
  type: string,
  of: (data: EventOf<Type>['data']) => number,
): FieldMap {
  const noun = nounOf(type)
  return {
    [`${field}Id`]: t.id({
      description: `Global ID of the ${noun}, even if it was deleted.`,
      resolve: ({ data }) => globalId(type, of(data)),
    }),
    [`${field}DatabaseId`]: t.int({
      description: `Integer ID of the ${noun}, as in the REST API.`,
      resolve: ({ data }) => of(data),
    }),
  }
}

export const ContactEvent = eventObject(
  'ContactEvent',
  ['contact.created', 'contact.updated', 'contact.deleted', 'contact.unsubscribed', 'contact.resubscribed'],
  'An event of a contact.',
  (t) => ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
)

export const ContactTagEvent = eventObject(
  'ContactTagEvent',
  ['contact.tag_added', 'contact.tag_removed'],
  'A tag was added to or removed from a contact.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    ...ids(t, 'tag', 'Tag', ({ tagId }) => tagId),
  }),
)

export const ContactFieldEvent = eventObject(
  'ContactFieldEvent',
  ['contact.field_updated'],
  'A custom field of a contact was updated.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    ...ids(t, 'customField', 'CustomField', ({ customFieldId }) => customFieldId),
    value: t.string({ description: 'New value, as text.', resolve: ({ data }) => data.value }),
  }),
)

export const SequenceEvent = eventObject(
  'SequenceEvent',
  ['sequence.subscribed', 'sequence.unsubscribed', 'sequence.completed'],
  'A contact was enrolled in, was removed from, or completed a sequence.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    ...ids(t, 'sequence', 'Sequence', ({ sequenceId }) => sequenceId),
  }),
)

export const MessageEvent = eventObject(
  'MessageEvent',
  ['email.sent', 'email.bounced', 'email.complained', 'email.opened', 'email.clicked'],
  'An event of a message that a campaign or a sequence stage sent.',
  (t) => ({
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
    campaignId: t.id({
      nullable: true,
      description: 'Global ID of the campaign that sent the message; null if a sequence sent it.',
      resolve: ({ data: { campaignId } }) => (campaignId === null ? null : globalId('Campaign', campaignId)),
    }),
    stageId: t.id({
      nullable: true,
      description: 'Global ID of the sequence stage that sent the message; null if a campaign sent it.',
      resolve: ({ data: { stageId } }) => (stageId === null ? null : globalId('SequenceStage', stageId)),
    }),
    url: t.string({
      nullable: true,
      description: 'URL that was clicked; null for events other than clicks.',
      resolve: ({ data }) => ('url' in data ? data.url : null),
    }),
  }),
)

export const CampaignEvent = eventObject(
  'CampaignEvent',
  ['campaign.scheduled', 'campaign.unscheduled', 'campaign.sending', 'campaign.sent', 'campaign.error'],
  'The status of a campaign changed.',
  (t) => ids(t, 'campaign', 'Campaign', ({ campaignId }) => campaignId),
)

export const OrderEvent = eventObject(
  'OrderEvent',
  ['order.created', 'order.completed', 'order.cancelled', 'order.refunded'],
  'An event of an order.',
  (t) => ids(t, 'order', 'Order', ({ orderId }) => orderId),
)

export const TransactionEvent = eventObject(
  'TransactionEvent',
  ['transaction.completed', 'transaction.refunded', 'transaction.error'],
  'An event of a transaction.',
  (t) => ids(t, 'transaction', 'Transaction', ({ transactionId }) => transactionId),
)

export const InvoiceEvent = eventObject(
  'InvoiceEvent',
  ['invoice.created', 'invoice.paid'],
  'An event of an invoice.',
  (t) => ids(t, 'invoice', 'Invoice', ({ invoiceId }) => invoiceId),
)

export const CreditNoteEvent = eventObject(
  'CreditNoteEvent',
  ['credit_note.created'],
  'An event of a credit note.',
  (t) => ids(t, 'creditNote', 'CreditNote', ({ creditNoteId }) => creditNoteId),
)

export const BillingSubscriptionEvent = eventObject(
  'BillingSubscriptionEvent',
  ['subscription.created', 'subscription.renewed', 'subscription.payment_failed', 'subscription.ended'],
  'An event of a billing subscription.',
  (t) => ids(t, 'subscription', 'BillingSubscription', ({ subscriptionId }) => subscriptionId),
)

export const FormSubmissionEvent = eventObject(
  'FormSubmissionEvent',
  ['form_submission.started', 'form_submission.updated', 'form_submission.completed'],
  'An event of a form submission.',
  (t) => ({
    ...ids(t, 'submission', 'Submission', ({ submissionId }) => submissionId),
    ...ids(t, 'form', 'Form', ({ formId }) => formId),
  }),
)

export const FunnelOptInEvent = eventObject(
  'FunnelOptInEvent',
  ['funnel.opt_in'],
  'A visitor opted in on a funnel step.',
  (t) => ({
    ...ids(t, 'funnel', 'Funnel', ({ funnelId }) => funnelId),
    ...ids(t, 'step', 'FunnelStep', ({ stepId }) => stepId),
    ...ids(t, 'contact', 'Contact', ({ contactId }) => contactId),
  }),
)

eventObject('QuotaEvent', ['quota.reached'], 'The account reached the limit of a quota.', (t) => ({
  slot: t.string({ description: 'Name of the quota, such as `contacts`.', resolve: ({ data }) => data.slot }),
  limit: t.int({ description: 'Limit of the quota.', resolve: ({ data }) => data.limit }),
  used: t.int({ description: 'Current usage.', resolve: ({ data }) => data.used }),
}))

export const WebhookEvent = eventObject(
  'WebhookEvent',
  ['webhook.test'],
  'A test message was sent to a webhook.',
  (t) => ids(t, 'webhook', 'Webhook', ({ webhookId }) => webhookId),
)
