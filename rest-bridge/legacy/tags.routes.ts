import * as z from 'zod'
import { contactIdentity, toContactIdentity } from '../contacts/contact.ts'
import { tag, toTag } from '../contacts/tags.routes.ts'
import { allPages, one, route } from '../envelope/route.ts'
import {
  type ContactIdentityFragment,
  LegacyContactsOfTagDocument,
  LegacyTagsDocument,
  type TagRowFragment,
  TagsOfContactDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, queryId } from '../input/input.ts'
import { sortNewestFirst } from '../values/sort.ts'

const group = 'Legacy'

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

const listTags = route('GET /tags', LegacyTagsDocument, {
  id: 'LEG-TAG-LIST',
  scopes: ['contacts:read'],
  group,
  summary: 'List all tags',
  variables: ({ after }) => ({ after }),
  reply: allPages(legacyTag, ({ tags }) => tags, toLegacyTag),
})

const listTagsOfContact = route('GET /contacts-tags', TagsOfContactDocument, {
  id: 'LEG-TAG-OF-CONTACT',
  scopes: ['contacts:read'],
  group,
  summary: 'List the tags of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(legacyTag), ({ contact }) => contact && sortNewestFirst(contact.tags).map(toLegacyTag)),
})

const listContactsOfTag = route('GET /tags-contacts', LegacyContactsOfTagDocument, {
  id: 'LEG-TAG-CONTACTS',
  scopes: ['contacts:read'],
  group,
  summary: 'List all contacts that have a tag',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'tag',
  query: z.object({ tag_id: queryId }),
  variables: ({ query, after }) => ({ tagId: query.tag_id, after }),
  reply: allPages(legacyContactIdentity, ({ tag: found }) => found?.contacts, toLegacyContactIdentity),
})

/** Tags of the legacy API. */
export const legacyTagRoutes = [listTags, listTagsOfContact, listContactsOfTag]
