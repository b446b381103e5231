import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { ContactRef, ContactType } from './contact.schema.ts'
import * as merging from './merging.ts'

mutation('contactMerge', {
  needs: 'contacts:write',
  description:
    'Merges a contact into another one, and deletes it. The other contact gets its messages, enrolments, submissions, visits, customers, consents and tags. Its fields and custom fields fill the empty ones. If the merged contact opted out of marketing e-mail, the result is opted out, unless the other contact consented later. The same campaign or stage is not sent to both. Unsubscribe links in its messages continue to work.',
  input: (t) => ({
    contact: t.field({
      type: ContactRef,
      required: true,
      description: 'Id or e-mail address of the contact that is merged and deleted.',
    }),
    into: t.field({
      type: ContactRef,
      required: true,
      description: 'Id or e-mail address of the contact that remains. Its values win.',
    }),
  }),
  run: merging.merge,
  payload: (t) => ({
    ...deletedNode(t, ContactType),
    contact: t.expose('contact', { type: ContactType, description: 'The contact that remains.' }),
  }),
})
