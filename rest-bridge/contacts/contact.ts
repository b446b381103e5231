import * as z from 'zod'
import { subscriptionSummary, toSubscriptionSummary } from '../finance/subscription.ts'
import type { ContactDetailFragment, ContactIdentityFragment, ContactRowFragment } from '../generated/documents.ts'
import { isoMicroseconds, isoTime } from '../values/time.ts'

/** A contact in a list. */
export const contactRow = z.strictObject({
  id: z.int(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email_marketing: z.boolean(),
  gdpr: z.boolean(),
  created_at: isoTime,
})

const relatedFields = {
  custom_fields: z.array(z.strictObject({ label: z.string(), value: z.string() })),
  subscriptions: z.array(subscriptionSummary),
}

/** A single contact. */
export const contact = contactRow.extend({ tags: z.array(z.int()), sequences: z.array(z.int()), ...relatedFields })

/** A contact in the legacy API: `GDPR` in capitals, tags and sequences by name, `contact_id` besides `id`. */
export const legacyContact = contactRow.omit({ gdpr: true }).extend({
  contact_id: z.int(),
  GDPR: z.boolean(),
  tags: z.array(z.string()),
  sequences: z.array(z.string()),
  ...relatedFields,
})

/** The identity of a contact, in lists of other resources. */
export const contactIdentity = contactRow.pick({ id: true, email: true, first_name: true, last_name: true })

export function toContactIdentity({ databaseId, email, firstName, lastName }: ContactIdentityFragment) {
  return { id: databaseId, email, first_name: firstName, last_name: lastName }
}

export function toContactRow(node: ContactRowFragment) {
  return {
    ...toContactIdentity(node),
    email_marketing: node.emailMarketing,
    gdpr: node.gdpr,
    created_at: isoMicroseconds(node.createdAt),
  }
}

export function toContact(node: ContactDetailFragment) {
  return {
    ...toContactRow(node),
    tags: node.tags.map(({ databaseId }) => databaseId),
    sequences: node.sequences.map(({ databaseId }) => databaseId),
    ...toRelatedFields(node),
  }
}

export function toLegacyContact(node: ContactDetailFragment) {
  const { gdpr, ...row } = toContactRow(node)
  return {
    ...row,
    contact_id: node.databaseId,
    GDPR: gdpr,
    tags: node.tags.map(({ name }) => name),
    sequences: node.sequences.map(({ name }) => name),
    ...toRelatedFields(node),
  }
}

function toRelatedFields(node: ContactDetailFragment) {
  return {
    custom_fields: node.customFields.map(({ label, value }) => ({ label, value })),
    subscriptions: node.subscriptionSummaries.map(toSubscriptionSummary),
  }
}
