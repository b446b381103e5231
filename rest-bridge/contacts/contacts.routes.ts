import * as z from 'zod'
import {
  ContactCountDocument,
  ContactCreateDocument,
  ContactDeleteDocument,
  ContactListDocument,
  ContactReadDocument,
  ContactUnsubscribeDocument,
  ContactUpsertDocument,
} from '../generated/documents.ts'
import { contactBody, contactQuery, contactRef, flag, idList, newEmail, shortText } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { periodFilter, withPeriod, withRequiredPeriod } from '../period.ts'
import { one, page, route } from '../route.ts'
import { contact, contactRow, toContact, toContactRow } from './contact.ts'

const group = 'Contacts'

/** What POST and PUT take. */
export const contactFields = z.object({
  email: newEmail,
  first_name: shortText.optional(),
  last_name: shortText.optional(),
  email_marketing: flag.optional(),
  gdpr: flag.optional(),
  tag_ids: idList('tag_ids'),
  sequence_ids: idList('sequence_ids'),
})

/** Gives the fields of a contact as the graph takes them; what was not sent stays out. */
export function contactInput(body: z.output<typeof contactFields>) {
  return {
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    emailMarketing: body.email_marketing,
    gdpr: body.gdpr,
    tagIds: body.tag_ids,
    sequenceIds: body.sequence_ids,
  }
}

const listContacts = route(ContactListDocument, {
  id: 'CON-LIST',
  method: 'GET',
  path: '/v1/contacts',
  needs: ['contacts:read'],
  group,
  summary: 'List contacts, newest first',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: withPeriod(paging),
  variables: ({ query }) => ({ ...pageArguments(query), filter: periodFilter(query) }),
  reply: page(contactRow, ({ contacts }) => contacts, toContactRow),
})

const readContact = route(ContactReadDocument, {
  id: 'CON-GET',
  method: 'GET',
  path: '/v1/contact',
  needs: ['contacts:read'],
  group,
  summary: 'Read a contact by e-mail address, id or both',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(contact, ({ contact: found }) => found && toContact(found)),
})

const createContact = route(ContactCreateDocument, {
  id: 'CON-CREATE',
  method: 'POST',
  path: '/v1/contact',
  needs: ['contacts:write'],
  group,
  summary: 'Create a contact',
  description: 'Tags and sequences that do not exist, and sequences without stages, are skipped.',
  status: 201,
  errors: ['CONTACT_EXISTS', 'VALIDATION_ERROR'],
  body: contactFields,
  variables: ({ body }) => ({ input: contactInput(body) }),
  reply: one(z.strictObject({ id: z.int() }), ({ contactCreate }) => ({ id: contactCreate.contactDatabaseId })),
})

const upsertContact = route(ContactUpsertDocument, {
  id: 'CON-PUT',
  method: 'PUT',
  path: '/v1/contact',
  needs: ['contacts:write'],
  group,
  summary: 'Update the contact with this e-mail address, or create it',
  description: 'Only the fields sent are updated. Tags and sequences are added, never removed.',
  errors: ['VALIDATION_ERROR'],
  body: contactFields,
  variables: ({ body }) => ({ input: contactInput(body) }),
  reply: one(z.strictObject({ id: z.int() }), ({ contactUpsert }) => ({ id: contactUpsert.contactDatabaseId })),
})

const deleteContact = route(ContactDeleteDocument, {
  id: 'CON-DELETE',
  method: 'DELETE',
  path: '/v1/contact',
  needs: ['contacts:write'],
  group,
  summary: 'Delete a contact, or opt it out where it has orders or transactions',
  description: 'Check `data.deleted`: false means that the contact was kept and opted out of everything.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
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

const countContacts = route(ContactCountDocument, {
  id: 'CON-COUNT',
  method: 'GET',
  path: '/v1/contact-count',
  needs: ['contacts:read'],
  group,
  summary: 'Count the contacts of a period',
  errors: ['INVALID_PERIOD'],
  query: withRequiredPeriod({}),
  variables: ({ query }) => ({ filter: periodFilter(query) }),
  reply: one(z.strictObject({ count: z.int() }), ({ contacts }) => ({ count: contacts.totalCount })),
})

const unsubscribeContact = route(ContactUnsubscribeDocument, {
  id: 'CON-UNSUBSCRIBE',
  method: 'POST',
  path: '/v1/contact-unsubscribe',
  needs: ['contacts:write'],
  group,
  summary: 'Opt a contact out of all e-mail marketing and all sequences',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  body: contactBody({}),
  variables: ({ body }) => ({ input: { contact: contactRef(body) } }),
  reply: one(z.strictObject({ contact_id: z.int() }), ({ contactUnsubscribe }) => ({
    contact_id: contactUnsubscribe.contactDatabaseId,
  })),
})

/** Contacts themselves, of the specification's table “Contacts”. */
export const contactRoutes = [
  listContacts,
  readContact,
  createContact,
  upsertContact,
  deleteContact,
  countContacts,
  unsubscribeContact,
]
