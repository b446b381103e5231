import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { toCampaign } from '../campaigns/campaign.ts'
import { toContact } from '../contacts/contact.ts'
import { toCreditNote, toInvoice, toTransaction } from '../finance/billing.ts'
import { toOrder } from '../finance/order.ts'
import { toSubscription } from '../finance/subscription.ts'
import { toSubmissionSummary } from '../forms/submission.ts'
import {
  CampaignReadDocument,
  ContactReadDocument,
  CreditNotePayloadDocument,
  InvoicePayloadDocument,
  OrderPayloadDocument,
  SubmissionPayloadDocument,
  SubscriptionReadDocument,
  TransactionPayloadDocument,
} from '../generated/documents.ts'

/** Executes a document with the scopes of the webhook. Rejects if the response has errors. */
type Execute = <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) => Promise<Data>

/** Builds the `data` of a webhook message from the data of an event. */
export type Payload = (data: never, execute: Execute) => Promise<unknown>

/** The contact as it is now; only its ID if it was deleted. */
const contact: Payload = async ({ contactId }: { contactId: number }, execute) => {
  const { contact } = await execute(ContactReadDocument, { ref: { id: String(contactId) } })
  return contact ? toContact(contact) : { id: contactId }
}

/** The campaign as it is now; only its ID if it was deleted. */
const campaign: Payload = async ({ campaignId }: { campaignId: number }, execute) => {
  const { campaign } = await execute(CampaignReadDocument, { id: String(campaignId) })
  return campaign ? toCampaign(campaign) : { id: campaignId }
}

const order: Payload = async ({ orderId: id }: { orderId: number }, execute) => {
  const { order } = await execute(OrderPayloadDocument, { id: String(id) })
  return order ? toOrder(order) : { id }
}

const transaction: Payload = async ({ transactionId: id }: { transactionId: number }, execute) => {
  const { transaction } = await execute(TransactionPayloadDocument, { id: String(id) })
  return transaction ? toTransaction(transaction) : { id }
}

const invoice: Payload = async ({ invoiceId: id }: { invoiceId: number }, execute) => {
  const { invoice } = await execute(InvoicePayloadDocument, { id: String(id) })
  return invoice ? toInvoice(invoice) : { id }
}

const creditNote: Payload = async ({ creditNoteId: id }: { creditNoteId: number }, execute) => {
  const { creditNote } = await execute(CreditNotePayloadDocument, { id: String(id) })
  return creditNote ? toCreditNote(creditNote) : { id }
}

const subscription: Payload = async ({ subscriptionId: id }: { subscriptionId: number }, execute) => {
  const { billingSubscription } = await execute(SubscriptionReadDocument, { id: String(id) })
  return billingSubscription ? toSubscription(billingSubscription) : { id }
}

/** The submission as in a list, without its answers. */
const submission: Payload = async ({ submissionId: id }: { submissionId: number }, execute) => {
  const { submission } = await execute(SubmissionPayloadDocument, { id: String(id) })
  return submission ? toSubmissionSummary(submission) : { id }
}

/** The contact of an e-mail, the campaign or stage that sent it, and the URL of a click. */
const message: Payload = async (data: {
  contactId: number
  campaignId?: number | null
  stageId?: number | null
  url?: string | null
}) => ({
  contact_id: data.contactId,
  ...(data.campaignId == null ? { stage_id: data.stageId ?? null } : { campaign_id: data.campaignId }),
  ...(data.url != null && { url: data.url }),
})

/** The data of the event with the names of `/v1`: `contactId` becomes `contact_id`. */
const eventData: Payload = async (data: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [snakeCase(name), value]))

/** Only the ID, for a resource that no longer exists. */
const idOnly =
  (field: string): Payload =>
  async (data: Readonly<Record<string, unknown>>) => ({ id: data[field] })

const quota: Payload = async ({ slot, limit, used }: { slot: string; limit: number; used: number }) => ({
  name: slot,
  limit,
  used,
  remaining: Math.max(limit - used, 0),
})

/** The `data` of each event type in webhook messages: the resource as its endpoint returns it, or the IDs of a pair. */
export const payloads = {
  'contact.created': contact,
  'contact.updated': contact,
  'contact.deleted': idOnly('contactId'),
  'contact.unsubscribed': contact,
  'contact.resubscribed': contact,
  'contact.tag_added': eventData,
  'contact.tag_removed': eventData,
  'contact.field_updated': eventData,
  'sequence.subscribed': eventData,
  'sequence.unsubscribed': eventData,
  'sequence.completed': eventData,
  'campaign.scheduled': campaign,
  'campaign.unscheduled': campaign,
  'campaign.sending': campaign,
  'campaign.sent': campaign,
  'campaign.error': campaign,
  'email.sent': message,
  'email.opened': message,
  'email.clicked': message,
  'email.bounced': message,
  'email.complained': message,
  'order.created': order,
  'order.completed': order,
  'order.cancelled': order,
  'order.refunded': order,
  'transaction.completed': transaction,
  'transaction.refunded': transaction,
  'transaction.error': transaction,
  'invoice.created': invoice,
  'invoice.paid': invoice,
  'credit_note.created': creditNote,
  'subscription.created': subscription,
  'subscription.renewed': subscription,
  'subscription.payment_failed': subscription,
  'subscription.ended': subscription,
  'form_submission.started': submission,
  'form_submission.updated': submission,
  'form_submission.completed': submission,
  'funnel.opt_in': eventData,
  'quota.reached': quota,
  'webhook.test': eventData,
} satisfies Readonly<Record<string, Payload>>

function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
