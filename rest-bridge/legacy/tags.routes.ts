import * as z from 'zod'
import { contactIdentity, toContactIdentity } from '../contacts/contact.ts'
import { listContactsOfTag, listTags, listTagsOfContact, tag, toTag } from '../contacts/tags.routes.ts'
import { allPages, legacyRoute, one, unpaged } from '../envelope/route.ts'
import {
  type ContactIdentityFragment,
  LegacyContactsOfTagDocument,
  LegacyTagsDocument,
  type TagRowFragment,
  TagsOfContactDocument,
} from '../generated/documents.ts'
import { queryId } from '../input/input.ts'
import { sortNewestFirst } from '../values/sort.ts'

/**
 * According to the specification's list of changes, the legacy API named the ID of a resource `<resource>_id`. The
 * specification shows no legacy payload, so legacy lists contain both that name and `id`.
 */
const legacyTag = tag.extend({ tag_id: z.int() })
export const legacyContactIdentity = contactIdentity.extend({ contact_id: z.int() })

const toLegacyTag = (node: TagRowFragment) => ({ ...toTag(node), tag_id: node.databaseId })
export const toLegacyContactIdentity = (node: ContactIdentityFragment) => ({
  ...toContactIdentity(node),
  contact_id: node.databaseId,
})

/** Tags of the legacy API. */
export const legacyTagRoutes = [
  legacyRoute('LEG-TAG-LIST', listTags, LegacyTagsDocument, {
    ...unpaged,
    summary: 'List all tags',
    reply: allPages(legacyTag, ({ tags }) => tags, toLegacyTag),
  }),
  legacyRoute('LEG-TAG-OF-CONTACT', listTagsOfContact, TagsOfContactDocument, {
    reply: one(z.array(legacyTag), ({ contact }) => contact && sortNewestFirst(contact.tags).map(toLegacyTag)),
  }),
  legacyRoute('LEG-TAG-CONTACTS', listContactsOfTag, LegacyContactsOfTagDocument, {
    summary: 'List all contacts that have a tag',
    query: z.object({ tag_id: queryId }),
    variables: ({ query, after }) => ({ tagId: query.tag_id, after }),
    reply: allPages(legacyContactIdentity, ({ tag: found }) => found?.contacts, toLegacyContactIdentity),
  }),
]
