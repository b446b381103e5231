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

/** Builds the `data` of a webhook message from the data and the type of an event. */
export type Payload = (data: never, execute: Execute, type: string) => Promise<unknown>

/** The contact as it is now; only its ID if it was deleted. */
const contact: Payload = async ({ contactId: id }: { contactId: number }, execute, type) => {
  if (type === 'contact.deleted') return { id }
  const { contact } = await execute(ContactReadDocument, { ref: { id: String(id) } })
  return contact ? toContact(contact) : { id }
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

const quota: Payload = async ({ slot, limit, used }: { slot: string; limit: number; used: number }) => ({
  name: slot,
  limit,
  used,
  remaining: Math.max(limit - used, 0),
})

/** The `data` of each kind of events in webhook messages: the resource as its endpoint returns it, or the IDs of a pair. */
export const payloads = {
  BillingSubscriptionEvent: subscription,
  CampaignEvent: campaign,
  ContactEvent: contact,
  ContactFieldEvent: eventData,
  ContactTagEvent: eventData,
  CreditNoteEvent: creditNote,
  FormSubmissionEvent: submission,
  FunnelOptInEvent: eventData,
  InvoiceEvent: invoice,
  MessageEvent: message,
  OrderEvent: order,
  QuotaEvent: quota,
  SequenceEvent: eventData,
  TransactionEvent: transaction,
  WebhookEvent: eventData,
} satisfies Readonly<Record<string, Payload>>

function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
