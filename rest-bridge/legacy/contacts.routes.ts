import * as z from 'zod'
import { legacyContact, toLegacyContact } from '../contacts/contact.ts'
import { contactFields, linkNames, toContactInput } from '../contacts/contacts.routes.ts'
import {
  ContactCountDocument,
  ContactCreateDocument,
  ContactReadDocument,
  ContactUpsertDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, flag } from '../input.ts'
import { periodFilter, queryWithRequiredPeriod } from '../period.ts'
import { one, route } from '../route.ts'

const group = 'Legacy'

/** The body of POST and PUT. `GDPR` is the legacy name of `gdpr`; both are accepted, and `gdpr` wins. */
const legacyFields = contactFields.extend({ GDPR: flag.optional() })

function toLegacyContactInput({ GDPR, ...body }: z.output<typeof legacyFields>) {
  return toContactInput({ ...body, gdpr: body.gdpr ?? GDPR })
}

const readContact = route(ContactReadDocument, {
  id: 'LEG-CON-GET',
  method: 'GET',
  path: '/contact',
  scopes: ['contacts:read'],
  group,
  summary: 'Get a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(legacyContact, ({ contact }) => toLegacyContact(contact)),
})

const createContact = route(ContactCreateDocument, {
  id: 'LEG-CON-CREATE',
  method: 'POST',
  path: '/contact',
  scopes: ['contacts:write'],
  group,
  summary: 'Create a contact',
  status: 201,
  errors: ['CONTACT_EXISTS', 'VALIDATION_ERROR'],
  fieldNames: linkNames,
  body: legacyFields,
  variables: ({ body }) => ({ input: toLegacyContactInput(body) }),
  reply: one(z.strictObject({ contact_id: z.int() }), ({ contactCreate }) => ({
    contact_id: contactCreate.contactDatabaseId,
  })),
})

const upsertContact = route(ContactUpsertDocument, {
  id: 'LEG-CON-PUT',
  method: 'PUT',
  path: '/contact',
  scopes: ['contacts:write'],
  group,
  summary: 'Create or update a contact',
  errors: ['VALIDATION_ERROR'],
  fieldNames: linkNames,
  body: legacyFields,
  variables: ({ body }) => ({ input: toLegacyContactInput(body) }),
  reply: one(z.strictObject({ contact_id: z.int() }), ({ contactUpsert }) => ({
    contact_id: contactUpsert.contactDatabaseId,
  })),
})

const countContacts = route(ContactCountDocument, {
  id: 'LEG-CON-COUNT',
  method: 'GET',
  path: '/contact-count',
  scopes: ['contacts:read'],
  group,
  summary: 'Count the contacts created in a period',
  errors: ['INVALID_PERIOD'],
  query: queryWithRequiredPeriod({}),
  variables: ({ query }) => ({ filter: { createdAt: periodFilter(query) } }),
  reply: one(z.strictObject({ count: z.int() }), ({ contacts }) => ({ count: contacts.totalCount })),
})

/** Contacts of the legacy API. */
export const legacyContactRoutes = [readContact, createContact, upsertContact, countContacts]
