import { ContactRef, ContactType } from '../contacts/people/contact.schema.ts'
import { mutation } from '../graphql/schema/mutation.ts'
import { exportPerson } from './person-exports.ts'

mutation('contactExport', {
  needs: 'contacts:read',
  description:
    'Returns a link to a ZIP file with everything that is held about a person: one JSON document with all parts, and a CSV file for each part. It contains the data at the time of the download. The link is valid for one hour, unless the API key is disabled or the contact is deleted before.\n\nEach part needs the scope to read it. Parts for which the key has no scope are left out.',
  input: (t) => ({
    contact: t.field({ type: ContactRef, required: true, description: 'Id or e-mail address of the contact.' }),
  }),
  run: exportPerson,
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The exported contact.' }),
    url: t.exposeString('url', { description: 'URL of the file. The request needs no API key.' }),
    expiresAt: t.exposeTime('expiresAt', {
      description: 'Time at which the link expires. It expires earlier if the API key is disabled.',
    }),
    parts: t.stringList({
      description: 'Names of the parts in the file, such as `messages` for `messages.csv`.',
      resolve: ({ parts }) => [...parts],
    }),
    omittedParts: t.stringList({
      description: 'Names of the parts that are left out because the API key has no scope to read them.',
      resolve: ({ omittedParts }) => [...omittedParts],
    }),
  }),
})
