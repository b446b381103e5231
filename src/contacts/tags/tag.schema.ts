import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { fromId } from '../../graphql/schema/row-fields.ts'
import * as tags from './tags.ts'

export const TagType = builder.prismaObject('Tag', {
  description: 'A label for contacts.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique in the account, case-sensitive. Maximum 255 characters.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the tag was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the name.' }),
    contactsCount: t.int({
      description: 'Number of contacts that have the tag.',
      ...fromId(async (id: number, ctx) => (await ctx.load(tags.contactsCount, id)) ?? 0),
    }),
  }),
})

nodeSource(TagType, 'contacts:read', tags.byId)

export const TagFilter = filterOf('TagFilterInput', 'tags', tags.tagFilter, {
  id: 'The tag itself.',
  name: 'Name of the tag.',
  createdAt: 'Time at which the tag was created.',
  search: 'Words in any order, in the name.',
})

const TagConnection = connectionOf(TagType, {
  noun: 'tags',
  filter: TagFilter,
  orders: { CREATED_AT: 'Time of creation.', NAME: 'Name of the tag, in the order of a dictionary.' },
})

builder.queryField('tag', (t) =>
  t.nodeById({ type: TagType, description: 'Returns the tag with this id. Null if the account has no such tag.' }),
)

accountList('tags', TagConnection, tags.list)

mutation('tagCreate', {
  needs: 'contacts:write',
  description: 'Creates a tag. Throws TAG_EXISTS if the account already has a tag with this name.',
  input: (t) => ({ name: t.string({ required: true, description: 'Name of the tag. Maximum 255 characters.' }) }),
  run: tags.create,
  payload: (t) => ({
    tag: t.expose('tag', { type: TagType, description: 'The created tag.' }),
  }),
})

mutation('tagUpdate', {
  needs: 'contacts:write',
  description: 'Renames a tag. Throws TAG_EXISTS if another tag of the account has this name.',
  input: (t) => ({
    id: t.id(requiredId('the tag')),
    name: t.string({ required: true, description: 'Name of the tag. Maximum 255 characters.' }),
  }),
  run: tags.update,
  lock: (tx, { id }) => tags.lock(tx, id),
  payload: (t) => ({
    tag: t.expose('tag', { type: TagType, description: 'The renamed tag.' }),
  }),
})

mutation('tagDelete', {
  needs: 'contacts:write',
  description: 'Deletes a tag and removes it from all contacts.',
  input: (t) => ({ id: t.id(requiredId('the tag')) }),
  run: tags.remove,
  payload: (t) => deletedNode(t, TagType),
})
