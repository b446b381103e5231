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

/**
 * Builds the resource of an event as it is now: `field` of the event contains its ID, and `toResource` converts the data of
 * the document. Returns only the ID of a resource that was deleted.
 */
function resource<Data>(
  field: string,
  document: TypedDocumentNode<Data, { id: string }>,
  toResource: (data: Data) => object | null,
): Payload {
  return async (data: Readonly<Record<string, number>>, execute) => {
    const id = data[field]
    return toResource(await execute(document, { id: String(id) })) ?? { id }
  }
}

/** The contact as it is now; only its ID if it was deleted. */
const contact: Payload = async ({ contactId: id }: { contactId: number }, execute, type) => {
  if (type === 'contact.deleted') return { id }
  const { contact } = await execute(ContactReadDocument, { ref: { id: String(id) } })
  return contact ? toContact(contact) : { id }
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

/** The data of the event with the names of `/v1`: `contactId` becomes `contact_id`. The log of changes has no place there. */
const eventData: Payload = async (data) => restData(data)

export function restData({ changes: _changes, ...data }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [snakeCase(name), value]))
}

const quota: Payload = async ({ slot, limit, used }: { slot: string; limit: number; used: number }) => ({
  name: slot,
  limit,
  used,
  remaining: Math.max(limit - used, 0),
})

/**
 * The `data` of kinds of events in webhook messages that is not the data of the event: the resource as its endpoint returns it.
 */
export const payloads: Readonly<Record<string, Payload>> = {
  BillingSubscriptionEvent: resource(
    'subscriptionId',
    SubscriptionReadDocument,
    ({ billingSubscription }) => billingSubscription && toSubscription(billingSubscription),
  ),
  CampaignEvent: resource('campaignId', CampaignReadDocument, ({ campaign }) => campaign && toCampaign(campaign)),
  ContactEvent: contact,
  CreditNoteEvent: resource(
    'creditNoteId',
    CreditNotePayloadDocument,
    ({ creditNote }) => creditNote && toCreditNote(creditNote),
  ),
  // Without the answers, as in a list.
  FormSubmissionEvent: resource(
    'submissionId',
    SubmissionPayloadDocument,
    ({ submission }) => submission && toSubmissionSummary(submission),
  ),
  InvoiceEvent: resource('invoiceId', InvoicePayloadDocument, ({ invoice }) => invoice && toInvoice(invoice)),
  MessageEvent: message,
  OrderEvent: resource('orderId', OrderPayloadDocument, ({ order }) => order && toOrder(order)),
  QuotaEvent: quota,
  TransactionEvent: resource(
    'transactionId',
    TransactionPayloadDocument,
    ({ transaction }) => transaction && toTransaction(transaction),
  ),
}

/** Returns how the `data` of a kind of events is built. */
export function payloadOf(kind: string): Payload {
  return payloads[kind] ?? eventData
}

function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
