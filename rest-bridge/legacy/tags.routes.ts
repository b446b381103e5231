import * as z from 'zod'
import { contactName, toContactName } from '../contacts/contact.ts'
import { newestFirst, tag, toTag } from '../contacts/tags.routes.ts'
import { LegacyContactsOfTagDocument, LegacyTagsDocument, TagsOfContactDocument } from '../generated/documents.ts'
import { contactQuery, contactRef, queryId } from '../input.ts'
import { one, route, walk } from '../route.ts'

const group = 'Legacy'

/**
 * The predecessor called a resource's own id `<resource>_id`, as the specification's list of changes says, and shows no
 * payload. Its lists carry that name, and `id` for whoever has learnt it since.
 */
const legacyTag = tag.extend({ tag_id: z.int() })
const legacyContactName = contactName.extend({ contact_id: z.int() })

const toLegacyTag = (node: Parameters<typeof toTag>[0]) => ({ ...toTag(node), tag_id: node.databaseId })
const toLegacyContactName = (node: Parameters<typeof toContactName>[0]) => ({
  ...toContactName(node),
  contact_id: node.databaseId,
})

const listTags = route(LegacyTagsDocument, {
  id: 'LEG-TAG-LIST',
  method: 'GET',
  path: '/tags',
  needs: ['contacts:read'],
  group,
  summary: 'List all tags',
  variables: ({ after }) => ({ after }),
  reply: walk(legacyTag, ({ tags }) => tags, toLegacyTag),
})

const listTagsOfContact = route(TagsOfContactDocument, {
  id: 'LEG-TAG-OF-CONTACT',
  method: 'GET',
  path: '/contacts-tags',
  needs: ['contacts:read'],
  group,
  summary: 'List the tags of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(legacyTag), ({ contact }) => contact && newestFirst(contact.tags).map(toLegacyTag)),
})

const listContactsOfTag = route(LegacyContactsOfTagDocument, {
  id: 'LEG-TAG-CONTACTS',
  method: 'GET',
  path: '/tags-contacts',
  needs: ['contacts:read'],
  group,
  summary: 'List all contacts that have a tag',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'tag',
  query: z.object({ tag_id: queryId }),
  variables: ({ query, after }) => ({ tagId: query.tag_id, after }),
  reply: walk(legacyContactName, ({ tag: found }) => found?.contacts, toLegacyContactName),
})

/** Tags of the unversioned API. */
export const legacyTagRoutes = [listTags, listTagsOfContact, listContactsOfTag]
