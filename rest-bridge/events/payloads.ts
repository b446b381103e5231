import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { toCampaign } from '../campaigns/campaign.ts'
import { toContact } from '../contacts/contact.ts'
import { toCreditNote, toInvoice, toTransaction } from '../finance/billing.ts'
import { toOrder } from '../finance/order.ts'
import { toSubscription } from '../finance/subscription.ts'
import { toSubmissionRow } from '../forms/submission.ts'
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

/** Asks the graph, as whoever is to be told. Rejects where the graph refuses. */
export type Ask = <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) => Promise<Data>

/** What `/v1` shows of an event whose own data are these. */
export type Payload = (data: never, ask: Ask) => Promise<unknown>

/** What a contact is at this moment; its id alone where it has gone. */
const contact: Payload = async ({ contactId }: { contactId: number }, ask) => {
  const { contact } = await ask(ContactReadDocument, { ref: { id: String(contactId) } })
  return contact ? toContact(contact) : { id: contactId }
}

/** The same of a campaign. */
const campaign: Payload = async ({ campaignId }: { campaignId: number }, ask) => {
  const { campaign } = await ask(CampaignReadDocument, { id: String(campaignId) })
  return campaign ? toCampaign(campaign) : { id: campaignId }
}

const order: Payload = async ({ orderId: id }: { orderId: number }, ask) => {
  const { order } = await ask(OrderPayloadDocument, { id: String(id) })
  return order ? toOrder(order) : { id }
}

const transaction: Payload = async ({ transactionId: id }: { transactionId: number }, ask) => {
  const { transaction } = await ask(TransactionPayloadDocument, { id: String(id) })
  return transaction ? toTransaction(transaction) : { id }
}

const invoice: Payload = async ({ invoiceId: id }: { invoiceId: number }, ask) => {
  const { invoice } = await ask(InvoicePayloadDocument, { id: String(id) })
  return invoice ? toInvoice(invoice) : { id }
}

const creditNote: Payload = async ({ creditNoteId: id }: { creditNoteId: number }, ask) => {
  const { creditNote } = await ask(CreditNotePayloadDocument, { id: String(id) })
  return creditNote ? toCreditNote(creditNote) : { id }
}

const subscription: Payload = async ({ subscriptionId: id }: { subscriptionId: number }, ask) => {
  const { billingSubscription } = await ask(SubscriptionReadDocument, { id: String(id) })
  return billingSubscription ? toSubscription(billingSubscription) : { id }
}

/** A submission as a row of the list: answers stay where they are. */
const submission: Payload = async ({ submissionId: id }: { submissionId: number }, ask) => {
  const { submission } = await ask(SubmissionPayloadDocument, { id: String(id) })
  return submission ? toSubmissionRow(submission) : { id }
}

/** A message's contact, which of both has sent it, and where a click led. */
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

/** What the event says itself, in the words of `/v1`: `contactId` is `contact_id`. */
const facts: Payload = async (data: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [snakeCase(name), value]))

/** Where nothing more can be shown: the id, as it is called when it stands for what it names. */
const idOf =
  (field: string): Payload =>
  async (data: Readonly<Record<string, unknown>>) => ({ id: data[field] })

const quota: Payload = async ({ slot, limit, used }: { slot: string; limit: number; used: number }) => ({
  name: slot,
  limit,
  used,
  remaining: Math.max(limit - used, 0),
})

/** What a webhook is told of each type of event: a resource as its endpoint shows it, or the ids of a pair. */
export const payloads = {
  'contact.created': contact,
  'contact.updated': contact,
  'contact.deleted': idOf('contactId'),
  'contact.unsubscribed': contact,
  'contact.resubscribed': contact,
  'contact.tag_added': facts,
  'contact.tag_removed': facts,
  'contact.field_updated': facts,
  'sequence.subscribed': facts,
  'sequence.unsubscribed': facts,
  'sequence.completed': facts,
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
  'funnel.opt_in': facts,
  'quota.reached': quota,
  'webhook.test': facts,
} satisfies Readonly<Record<string, Payload>>

function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
