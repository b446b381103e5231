import * as z from 'zod'
import { legacyContact, toLegacyContact } from '../contacts/contact.ts'
import { contactFields, contactInput } from '../contacts/contacts.routes.ts'
import {
  ContactCountDocument,
  ContactCreateDocument,
  ContactReadDocument,
  ContactUpsertDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, flag } from '../input.ts'
import { periodFilter, withRequiredPeriod } from '../period.ts'
import { one, route } from '../route.ts'

const group = 'Legacy'

/** What POST and PUT take: consent under its name of then, and of now for whoever has learnt it since. */
const legacyFields = contactFields.extend({ GDPR: flag.optional() })

function legacyInput({ GDPR, ...body }: z.output<typeof legacyFields>) {
  return contactInput({ ...body, gdpr: body.gdpr ?? GDPR })
}

const readContact = route(ContactReadDocument, {
  id: 'LEG-CON-GET',
  method: 'GET',
  path: '/contact',
  needs: ['contacts:read'],
  group,
  summary: 'Read a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(legacyContact, ({ contact }) => contact && toLegacyContact(contact)),
})

const createContact = route(ContactCreateDocument, {
  id: 'LEG-CON-CREATE',
  method: 'POST',
  path: '/contact',
  needs: ['contacts:write'],
  group,
  summary: 'Create a contact',
  status: 201,
  errors: ['CONTACT_EXISTS', 'VALIDATION_ERROR'],
  body: legacyFields,
  variables: ({ body }) => ({ input: legacyInput(body) }),
  reply: one(z.strictObject({ contact_id: z.int() }), ({ contactCreate }) => ({
    contact_id: contactCreate.contactDatabaseId,
  })),
})

const upsertContact = route(ContactUpsertDocument, {
  id: 'LEG-CON-PUT',
  method: 'PUT',
  path: '/contact',
  needs: ['contacts:write'],
  group,
  summary: 'Update or create a contact',
  errors: ['VALIDATION_ERROR'],
  body: legacyFields,
  variables: ({ body }) => ({ input: legacyInput(body) }),
  reply: one(z.strictObject({ contact_id: z.int() }), ({ contactUpsert }) => ({
    contact_id: contactUpsert.contactDatabaseId,
  })),
})

const countContacts = route(ContactCountDocument, {
  id: 'LEG-CON-COUNT',
  method: 'GET',
  path: '/contact-count',
  needs: ['contacts:read'],
  group,
  summary: 'Count the contacts of a period',
  errors: ['INVALID_PERIOD'],
  query: withRequiredPeriod({}),
  variables: ({ query }) => ({ filter: periodFilter(query) }),
  reply: one(z.strictObject({ count: z.int() }), ({ contacts }) => ({ count: contacts.totalCount })),
})

/** Contacts of the unversioned API. */
export const legacyContactRoutes = [readContact, createContact, upsertContact, countContacts]
