import * as z from 'zod'
import { subscriptionSummary, toSubscriptionSummary } from '../finance/subscription.ts'
import type { ContactReadQuery } from '../generated/documents.ts'
import { isoMicroseconds } from '../time.ts'

type ContactOfGraph = NonNullable<ContactReadQuery['contact']>

/** A contact as a row of a list. */
export const contactRow = z.strictObject({
  id: z.int(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email_marketing: z.boolean(),
  gdpr: z.boolean(),
  created_at: z.iso.datetime({ precision: 6 }),
})

const belongings = {
  custom_fields: z.array(z.strictObject({ label: z.string(), value: z.string() })),
  subscriptions: z.array(subscriptionSummary),
}

/** A contact by itself, with all that belongs to it. */
export const contact = contactRow.extend({ tags: z.array(z.int()), sequences: z.array(z.int()), ...belongings })

/** The same in the unversioned API: consent in capitals, tags and sequences by name, the id under both its names. */
export const legacyContact = contactRow.omit({ gdpr: true }).extend({
  contact_id: z.int(),
  GDPR: z.boolean(),
  tags: z.array(z.string()),
  sequences: z.array(z.string()),
  ...belongings,
})

/** A contact where only who it is matters. */
export const contactName = contactRow.pick({ id: true, email: true, first_name: true, last_name: true })

interface NameOfGraph {
  readonly databaseId: number
  readonly email: string
  readonly firstName: string
  readonly lastName: string
}

/** Gives who a contact is. */
export function toContactName({ databaseId, email, firstName, lastName }: NameOfGraph) {
  return { id: databaseId, email, first_name: firstName, last_name: lastName }
}

/** Gives a contact as a row of a list. */
export function toContactRow(node: NameOfGraph & Pick<ContactOfGraph, 'emailMarketing' | 'gdpr' | 'createdAt'>) {
  return {
    ...toContactName(node),
    email_marketing: node.emailMarketing,
    gdpr: node.gdpr,
    created_at: isoMicroseconds(node.createdAt),
  }
}

/** Gives a contact by itself. */
export function toContact(node: ContactOfGraph) {
  return {
    ...toContactRow(node),
    tags: node.tags.map(({ databaseId }) => databaseId),
    sequences: node.sequences.map(({ databaseId }) => databaseId),
    ...belongingsOf(node),
  }
}

/** Gives a contact as the unversioned API shows it. */
export function toLegacyContact(node: ContactOfGraph) {
  const { gdpr, ...row } = toContactRow(node)
  return {
    ...row,
    contact_id: node.databaseId,
    GDPR: gdpr,
    tags: node.tags.map(({ name }) => name),
    sequences: node.sequences.map(({ name }) => name),
    ...belongingsOf(node),
  }
}

function belongingsOf(node: ContactOfGraph) {
  return {
    custom_fields: node.customFields.map(({ label, value }) => ({ label, value })),
    subscriptions: node.subscriptionSummaries.map(toSubscriptionSummary),
  }
}
