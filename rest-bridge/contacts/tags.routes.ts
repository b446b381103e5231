import * as z from 'zod'
import {
  ContactBulkTagDocument,
  ContactsOfTagDocument,
  ContactTagAddDocument,
  ContactTagRemoveDocument,
  TagCreateDocument,
  TagDeleteDocument,
  TagListDocument,
  TagsOfContactDocument,
  TagUpdateDocument,
} from '../generated/documents.ts'
import { contactBody, contactQuery, contactRef, id, queryId, someText } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { one, page, route, written } from '../route.ts'
import { plainTime } from '../time.ts'
import { contactName, toContactName } from './contact.ts'

const group = 'Tags'

/** A tag as the graph gives it. */
interface TagOfGraph {
  readonly databaseId: number
  readonly name: string
  readonly createdAt: string
}

/** A tag of a list. */
export const tag = z.strictObject({ id: z.int(), name: z.string(), created_at: z.string() })

/** Gives a tag of a list. */
export function toTag({ databaseId, name, createdAt }: TagOfGraph) {
  return { id: databaseId, name, created_at: plainTime(createdAt) }
}

/** Orders what the graph sorts by name as the specification does where it says nothing else: newest first. */
export function newestFirst<Node extends { readonly databaseId: number; readonly createdAt: string }>(
  nodes: readonly Node[],
): Node[] {
  return nodes.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.databaseId - a.databaseId)
}

const pair = z.strictObject({ contact_id: z.int(), tag_id: z.int() })

interface PairOfGraph {
  readonly contactDatabaseId: number
  readonly tagDatabaseId: number
}

function toPair({ contactDatabaseId, tagDatabaseId }: PairOfGraph) {
  return { contact_id: contactDatabaseId, tag_id: tagDatabaseId }
}

const tagName = someText.meta({ maxLength: 255 })

const listTags = route(TagListDocument, {
  id: 'TAG-LIST',
  method: 'GET',
  path: '/v1/tags',
  needs: ['contacts:read'],
  group,
  summary: 'List tags, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(tag, ({ tags }) => tags, toTag),
})

const listTagsOfContact = route(TagsOfContactDocument, {
  id: 'TAG-OF-CONTACT',
  method: 'GET',
  path: '/v1/contacts-tags',
  needs: ['contacts:read'],
  group,
  summary: 'List the tags of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(tag), ({ contact }) => contact && newestFirst(contact.tags).map(toTag)),
})

const listContactsOfTag = route(ContactsOfTagDocument, {
  id: 'TAG-CONTACTS',
  method: 'GET',
  path: '/v1/tags-contacts',
  needs: ['contacts:read'],
  group,
  summary: 'List the contacts that have a tag',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'tag',
  query: z.object({ tag_id: queryId, ...paging }),
  variables: ({ query }) => ({ tagId: query.tag_id, ...pageArguments(query) }),
  reply: page(contactName, ({ tag: found }) => found?.contacts, toContactName),
})

const createTag = route(TagCreateDocument, {
  id: 'TAG-CREATE',
  method: 'POST',
  path: '/v1/tag',
  needs: ['contacts:write'],
  group,
  summary: 'Create a tag',
  status: 201,
  errors: ['TAG_EXISTS', 'VALIDATION_ERROR'],
  body: z.object({ name: tagName }),
  variables: ({ body }) => ({ input: { name: body.name } }),
  reply: one(z.strictObject({ id: z.int(), name: z.string() }), ({ tagCreate }) => ({
    id: tagCreate.tagDatabaseId,
    name: written(tagCreate.tag).name,
  })),
})

const updateTag = route(TagUpdateDocument, {
  id: 'TAG-UPDATE',
  method: 'PUT',
  path: '/v1/tag',
  needs: ['contacts:write'],
  group,
  summary: 'Rename a tag',
  errors: ['TAG_EXISTS', 'VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'tag',
  names: { id: 'tag_id' },
  body: z.object({ tag_id: id, name: tagName }),
  variables: ({ body }) => ({ input: { id: body.tag_id, name: body.name } }),
  reply: one(z.strictObject({ id: z.int(), name: z.string(), updated: z.literal(true) }), ({ tagUpdate }) => ({
    id: tagUpdate.tagDatabaseId,
    name: written(tagUpdate.tag).name,
    updated: true as const,
  })),
})

const deleteTag = route(TagDeleteDocument, {
  id: 'TAG-DELETE',
  method: 'DELETE',
  path: '/v1/tag',
  needs: ['contacts:write'],
  group,
  summary: 'Delete a tag',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'tag',
  names: { id: 'tag_id' },
  body: z.object({ tag_id: id }),
  variables: ({ body }) => ({ input: { id: body.tag_id } }),
  reply: one(z.strictObject({ id: z.int(), deleted: z.literal(true) }), ({ tagDelete }) => ({
    id: tagDelete.databaseId,
    deleted: true as const,
  })),
})

const addTag = route(ContactTagAddDocument, {
  id: 'CON-TAG-ADD',
  method: 'POST',
  path: '/v1/contact-tag',
  needs: ['contacts:write'],
  group: 'Contacts',
  summary: 'Tag a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: contactBody({ tag_id: id }),
  variables: ({ body }) => ({ input: { contact: contactRef(body), tagId: body.tag_id } }),
  reply: one(pair, ({ contactTagAdd }) => toPair(contactTagAdd)),
})

const removeTag = route(ContactTagRemoveDocument, {
  id: 'CON-TAG-REMOVE',
  method: 'DELETE',
  path: '/v1/contact-tag',
  needs: ['contacts:write'],
  group: 'Contacts',
  summary: 'Take a tag from a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: contactBody({ tag_id: id }),
  variables: ({ body }) => ({ input: { contact: contactRef(body), tagId: body.tag_id } }),
  reply: one(pair, ({ contactTagRemove }) => toPair(contactTagRemove)),
})

const tagInBulk = route(ContactBulkTagDocument, {
  id: 'CON-BULK-TAG',
  method: 'POST',
  path: '/v1/contacts-bulk-tag',
  needs: ['contacts:write'],
  group: 'Contacts',
  summary: 'Tag up to 500 contacts in the background',
  description: 'Ids that are no contact of the account are counted as `skipped`.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: z.object({
    tag_id: id,
    contact_ids: z
      .array(id, { error: 'must be an array of integers' })
      .min(1, 'must hold at least one id')
      .max(500, 'must hold at most 500 ids'),
  }),
  variables: ({ body }) => ({ input: { tagId: body.tag_id, contactIds: body.contact_ids } }),
  reply: one(
    z.strictObject({ tag_id: z.int(), queued: z.int(), skipped: z.int() }),
    ({ contactBulkTag: { tagDatabaseId, queued, skipped } }) => ({ tag_id: tagDatabaseId, queued, skipped }),
  ),
})

/** The specification's table “Tags”, and what the table “Contacts” says of tagging. */
export const tagRoutes = [
  listTags,
  listTagsOfContact,
  listContactsOfTag,
  createTag,
  updateTag,
  deleteTag,
  addTag,
  removeTag,
  tagInBulk,
]
