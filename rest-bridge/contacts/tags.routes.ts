import * as z from 'zod'
import { deletedId, one, page, requireNode, route } from '../envelope/route.ts'
import {
  ContactBulkTagDocument,
  ContactsOfTagDocument,
  ContactTagAddDocument,
  type ContactTagAddMutation,
  ContactTagRemoveDocument,
  TagCreateDocument,
  TagDeleteDocument,
  TagListDocument,
  type TagRowFragment,
  TagsOfContactDocument,
  TagUpdateDocument,
} from '../generated/documents.ts'
import { contactBody, contactQuery, contactRef, id, nonEmptyText, queryId } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { sortNewestFirst } from '../values/sort.ts'
import { plainTime } from '../values/time.ts'
import { contactIdentity, toContactIdentity } from './contact.ts'

const group = 'Tags'

/** A tag in a list. */
export const tag = z.strictObject({ id: z.int(), name: z.string(), created_at: z.string() })

export function toTag({ databaseId, name, createdAt }: TagRowFragment) {
  return { id: databaseId, name, created_at: plainTime(createdAt) }
}

const pair = z.strictObject({ contact_id: z.int(), tag_id: z.int() })

function toPair({ contactDatabaseId, tagDatabaseId }: NonNullable<ContactTagAddMutation['contactTagAdd']>) {
  return { contact_id: contactDatabaseId, tag_id: tagDatabaseId }
}

const tagName = nonEmptyText.meta({ maxLength: 255 })

export const listTags = route('GET /v1/tags', TagListDocument, {
  id: 'TAG-LIST',
  scopes: ['contacts:read'],
  group,
  summary: 'List tags, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(tag, ({ tags }) => tags, toTag),
})

export const listTagsOfContact = route('GET /v1/contacts-tags', TagsOfContactDocument, {
  id: 'TAG-OF-CONTACT',
  scopes: ['contacts:read'],
  group,
  summary: 'List the tags of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(tag), ({ contact }) => contact && sortNewestFirst(contact.tags).map(toTag)),
})

export const listContactsOfTag = route('GET /v1/tags-contacts', ContactsOfTagDocument, {
  id: 'TAG-CONTACTS',
  scopes: ['contacts:read'],
  group,
  summary: 'List the contacts that have a tag',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'tag',
  query: z.object({ tag_id: queryId, ...paging }),
  variables: ({ query }) => ({ tagId: query.tag_id, ...pageArguments(query) }),
  reply: page(contactIdentity, ({ tag: found }) => found?.contacts, toContactIdentity),
})

const createTag = route('POST /v1/tag', TagCreateDocument, {
  id: 'TAG-CREATE',
  scopes: ['contacts:write'],
  group,
  summary: 'Create a tag',
  status: 201,
  errors: ['TAG_EXISTS', 'VALIDATION_ERROR'],
  body: z.object({ name: tagName }),
  variables: ({ body }) => ({ input: { name: body.name } }),
  reply: one(z.strictObject({ id: z.int(), name: z.string() }), ({ tagCreate }) => ({
    id: tagCreate.tagDatabaseId,
    name: requireNode(tagCreate.tag).name,
  })),
})

const updateTag = route('PUT /v1/tag', TagUpdateDocument, {
  id: 'TAG-UPDATE',
  scopes: ['contacts:write'],
  group,
  summary: 'Rename a tag',
  errors: ['TAG_EXISTS', 'VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'tag',
  fieldNames: { id: 'tag_id' },
  body: z.object({ tag_id: id, name: tagName }),
  variables: ({ body }) => ({ input: { id: body.tag_id, name: body.name } }),
  reply: one(z.strictObject({ id: z.int(), name: z.string(), updated: z.literal(true) }), ({ tagUpdate }) => ({
    id: tagUpdate.tagDatabaseId,
    name: requireNode(tagUpdate.tag).name,
    updated: true as const,
  })),
})

const deleteTag = route('DELETE /v1/tag', TagDeleteDocument, {
  id: 'TAG-DELETE',
  scopes: ['contacts:write'],
  group,
  summary: 'Delete a tag',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'tag',
  fieldNames: { id: 'tag_id' },
  body: z.object({ tag_id: id }),
  variables: ({ body }) => ({ input: { id: body.tag_id } }),
  reply: deletedId(({ tagDelete }) => tagDelete.deletedTagDatabaseId),
})

const addTag = route('POST /v1/contact-tag', ContactTagAddDocument, {
  id: 'CON-TAG-ADD',
  scopes: ['contacts:write'],
  group: 'Contacts',
  summary: 'Add a tag to a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: contactBody({ tag_id: id }),
  variables: ({ body }) => ({ input: { contact: contactRef(body), tagId: body.tag_id } }),
  reply: one(pair, ({ contactTagAdd }) => toPair(contactTagAdd)),
})

const removeTag = route('DELETE /v1/contact-tag', ContactTagRemoveDocument, {
  id: 'CON-TAG-REMOVE',
  scopes: ['contacts:write'],
  group: 'Contacts',
  summary: 'Remove a tag from a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: contactBody({ tag_id: id }),
  variables: ({ body }) => ({ input: { contact: contactRef(body), tagId: body.tag_id } }),
  reply: one(pair, ({ contactTagRemove }) => toPair(contactTagRemove)),
})

const tagInBulk = route('POST /v1/contacts-bulk-tag', ContactBulkTagDocument, {
  id: 'CON-BULK-TAG',
  scopes: ['contacts:write'],
  group: 'Contacts',
  summary: 'Add a tag to up to 500 contacts',
  description:
    'The tag is added in the background. `queued` is the number of contacts that get the tag. `skipped` is the number of IDs that do not belong to a contact of the account.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: z.object({
    tag_id: id,
    contact_ids: z
      .array(id, { error: 'must be an array of integers' })
      .min(1, 'must contain at least one ID')
      .max(500, 'must contain at most 500 IDs'),
  }),
  variables: ({ body }) => ({ input: { tagId: body.tag_id, contactIds: body.contact_ids } }),
  reply: one(
    z.strictObject({ tag_id: z.int(), queued: z.int(), skipped: z.int() }),
    ({ contactBulkTag: { tagDatabaseId, queued, skipped } }) => ({ tag_id: tagDatabaseId, queued, skipped }),
  ),
})

/** Tags, from the specification's tables “Tags” and “Contacts”. */
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
