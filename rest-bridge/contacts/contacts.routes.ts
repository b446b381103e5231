import * as z from 'zod'
import { one, page, route } from '../envelope/route.ts'
import {
  ContactCountDocument,
  ContactCreateDocument,
  ContactDeleteDocument,
  ContactListDocument,
  ContactReadDocument,
  ContactUnsubscribeDocument,
  ContactUpsertDocument,
} from '../generated/documents.ts'
import { contactBody, contactQuery, contactRef, flag, idList, newEmail, shortText } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { periodFilter, queryWithPeriod, queryWithRequiredPeriod } from '../input/period.ts'
import { contact, contactRow, toContact, toContactRow } from './contact.ts'

const group = 'Contacts'

/** The body of POST and PUT. */
export const contactFields = z.object({
  email: newEmail,
  first_name: shortText.optional(),
  last_name: shortText.optional(),
  email_marketing: flag.optional(),
  gdpr: flag.optional(),
  tag_ids: idList('tag_ids'),
  sequence_ids: idList('sequence_ids'),
})

/** The REST names of the fields that add tags and sequences. */
export const linkNames = { add_tag_ids: 'tag_ids', add_sequence_ids: 'sequence_ids' }

/** Returns the GraphQL input of a contact. Fields that were not sent are undefined. */
export function toContactInput(body: z.output<typeof contactFields>) {
  return {
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    emailMarketing: body.email_marketing,
    gdpr: body.gdpr,
    addTagIds: body.tag_ids,
    addSequenceIds: body.sequence_ids,
  }
}

const listContacts = route('GET /v1/contacts', ContactListDocument, {
  id: 'CON-LIST',
  scopes: ['contacts:read'],
  group,
  summary: 'List contacts, newest first',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod(paging),
  variables: ({ query }) => ({ ...pageArguments(query), filter: { createdAt: periodFilter(query) } }),
  reply: page(contactRow, ({ contacts }) => contacts, toContactRow),
})

export const readContact = route('GET /v1/contact', ContactReadDocument, {
  id: 'CON-GET',
  scopes: ['contacts:read'],
  group,
  summary: 'Get a contact by e-mail address, ID or both',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(contact, ({ contact: found }) => toContact(found)),
})

export const createContact = route('POST /v1/contact', ContactCreateDocument, {
  id: 'CON-CREATE',
  scopes: ['contacts:write'],
  group,
  summary: 'Create a contact',
  description: 'Skips tags and sequences that do not exist, and sequences without stages.',
  status: 201,
  errors: ['CONTACT_EXISTS', 'VALIDATION_ERROR'],
  fieldNames: linkNames,
  body: contactFields,
  variables: ({ body }) => ({ input: toContactInput(body) }),
  reply: one(z.strictObject({ id: z.int() }), ({ contactCreate }) => ({ id: contactCreate.contactDatabaseId })),
})

export const upsertContact = route('PUT /v1/contact', ContactUpsertDocument, {
  id: 'CON-PUT',
  scopes: ['contacts:write'],
  group,
  summary: 'Create or update a contact',
  description:
    'Updates the contact with this e-mail address, or creates it if there is none. Updates only the fields that are sent. Tags and sequences are added, never removed.',
  errors: ['VALIDATION_ERROR'],
  fieldNames: linkNames,
  body: contactFields,
  variables: ({ body }) => ({ input: toContactInput(body) }),
  reply: one(z.strictObject({ id: z.int() }), ({ contactUpsert }) => ({ id: contactUpsert.contactDatabaseId })),
})

const deleteContact = route('DELETE /v1/contact', ContactDeleteDocument, {
  id: 'CON-DELETE',
  scopes: ['contacts:write'],
  group,
  summary: 'Delete a contact',
  description:
    'A contact with orders or transactions is not deleted: it is opted out of e-mail marketing and removed from all sequences, and `data.deleted` is false.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  body: contactBody({}),
  variables: ({ body }) => ({ input: { contact: contactRef(body) } }),
  reply: one(
    z.union([
      z.strictObject({ deleted: z.literal(true) }),
      z.strictObject({ deleted: z.literal(false), reason: z.string() }),
    ]),
    ({ contactDelete: { deleted, reason } }) => (deleted ? { deleted } : { deleted, reason: reason ?? '' }),
  ),
})

export const countContacts = route('GET /v1/contact-count', ContactCountDocument, {
  id: 'CON-COUNT',
  scopes: ['contacts:read'],
  group,
  summary: 'Count the contacts created in a period',
  errors: ['INVALID_PERIOD'],
  query: queryWithRequiredPeriod({}),
  variables: ({ query }) => ({ filter: { createdAt: periodFilter(query) } }),
  reply: one(z.strictObject({ count: z.int() }), ({ contacts }) => ({ count: contacts.totalCount })),
})

const unsubscribeContact = route('POST /v1/contact-unsubscribe', ContactUnsubscribeDocument, {
  id: 'CON-UNSUBSCRIBE',
  scopes: ['contacts:write'],
  group,
  summary: 'Opt a contact out of e-mail marketing',
  description: 'Removes the contact from all sequences too.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  body: contactBody({}),
  variables: ({ body }) => ({ input: { contact: contactRef(body) } }),
  reply: one(z.strictObject({ contact_id: z.int() }), ({ contactUnsubscribe }) => ({
    contact_id: contactUnsubscribe.contactDatabaseId,
  })),
})

/** Contacts, from the specification's table “Contacts”. */
export const contactRoutes = [
  listContacts,
  readContact,
  createContact,
  upsertContact,
  deleteContact,
  countContacts,
  unsubscribeContact,
]
