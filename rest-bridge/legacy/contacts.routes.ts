import * as z from 'zod'
import { legacyContact, toLegacyContact } from '../contacts/contact.ts'
import {
  contactFields,
  countContacts,
  createContact,
  readContact,
  toContactInput,
  upsertContact,
} from '../contacts/contacts.routes.ts'
import { legacyRoute, one } from '../envelope/route.ts'
import { ContactCreateDocument, ContactReadDocument, ContactUpsertDocument } from '../generated/documents.ts'
import { flag } from '../input/input.ts'

/** The body of POST and PUT. `GDPR` is the legacy name of `gdpr`; both are accepted, and `gdpr` wins. */
const legacyFields = contactFields.extend({ GDPR: flag.optional() })

const input = {
  body: legacyFields,
  variables: ({ body: { GDPR, ...body } }: { body: z.output<typeof legacyFields> }) => ({
    input: toContactInput({ ...body, gdpr: body.gdpr ?? GDPR }),
  }),
}

const writtenContact = z.strictObject({ contact_id: z.int() })

/** Contacts of the legacy API. */
export const legacyContactRoutes = [
  legacyRoute('LEG-CON-GET', readContact, ContactReadDocument, {
    reply: one(legacyContact, ({ contact }) => toLegacyContact(contact)),
  }),
  legacyRoute('LEG-CON-CREATE', createContact, ContactCreateDocument, {
    ...input,
    reply: one(writtenContact, ({ contactCreate }) => ({ contact_id: contactCreate.contactDatabaseId })),
  }),
  legacyRoute('LEG-CON-PUT', upsertContact, ContactUpsertDocument, {
    ...input,
    reply: one(writtenContact, ({ contactUpsert }) => ({ contact_id: contactUpsert.contactDatabaseId })),
  }),
  legacyRoute('LEG-CON-COUNT', countContacts),
]
