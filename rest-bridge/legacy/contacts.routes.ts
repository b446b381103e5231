import * as z from 'zod'
import { legacyContact, toLegacyContact } from '../contacts/contact.ts'
import { contactFields, countContacts, linkNames, toContactInput } from '../contacts/contacts.routes.ts'
import { legacyRoute, one, route } from '../envelope/route.ts'
import { ContactCreateDocument, ContactReadDocument, ContactUpsertDocument } from '../generated/documents.ts'
import { contactQuery, contactRef, flag } from '../input/input.ts'

const group = 'Legacy'

/** The body of POST and PUT. `GDPR` is the legacy name of `gdpr`; both are accepted, and `gdpr` wins. */
const legacyFields = contactFields.extend({ GDPR: flag.optional() })

function toLegacyContactInput({ GDPR, ...body }: z.output<typeof legacyFields>) {
  return toContactInput({ ...body, gdpr: body.gdpr ?? GDPR })
}

const readContact = route('GET /contact', ContactReadDocument, {
  id: 'LEG-CON-GET',
  scopes: ['contacts:read'],
  group,
  summary: 'Get a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(legacyContact, ({ contact }) => toLegacyContact(contact)),
})

const createContact = route('POST /contact', ContactCreateDocument, {
  id: 'LEG-CON-CREATE',
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

const upsertContact = route('PUT /contact', ContactUpsertDocument, {
  id: 'LEG-CON-PUT',
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

/** Contacts of the legacy API. */
export const legacyContactRoutes = [
  readContact,
  createContact,
  upsertContact,
  legacyRoute('/contact-count', 'LEG-CON-COUNT', countContacts),
]
