import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { asOfNow, mutation, needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { tags } from './index.ts'

export const TagType = builder.prismaObject('Tag', {
  description: 'A word that marks contacts.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The word itself: unique in the account, 255 characters at most.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

nodeSource('Tag', 'contacts:read', tags.byId)

export const TagConnection = connectionOf('Tag', TagType, 'tags')

export const TagFilter = builder.inputType('TagFilter', {
  description: 'Which tags a list is about.',
  fields: (t) => ({ search: t.string({ description: 'Those whose name contains this text, in whatever case.' }) }),
})

export const TagOrder = orderOf(
  'Tag',
  'tags',
  { CREATED_AT: 'When they were made.', NAME: 'Their name.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  tag: t.field({
    type: TagType,
    nullable: true,
    description: needing('contacts:read', 'A tag, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The tag, by global id or integer.' }) },
    resolve: allowed('contacts:read', (_root, { id }, ctx) => ctx.load(tags.byId, idOf('Tag', id))),
  }),
  tags: t.field({
    type: TagConnection,
    description: needing('contacts:read', 'The tags of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, TagFilter, TagOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_root, args, ctx) => tags.list(ctx, args)),
  }),
}))

mutation('tagCreate', {
  needs: 'contacts:write',
  description: 'Makes a tag. Fails with TAG_EXISTS where the account has one of this name.',
  input: (t) => ({ name: t.string({ required: true, description: 'The word: 255 characters at most.' }) }),
  run: tags.create,
  payload: (t) => ({
    tag: t.field({ type: TagType, description: 'The new tag.', resolve: asOfNow(tags.byId, (result) => result.tag) }),
  }),
})

mutation('tagUpdate', {
  needs: 'contacts:write',
  description: 'Renames a tag. Fails with TAG_EXISTS where the account has another one of this name.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The tag, by global id or integer.' }),
    name: t.string({ required: true, description: 'The word: 255 characters at most.' }),
  }),
  run: tags.update,
  payload: (t) => ({
    tag: t.field({
      type: TagType,
      description: 'The tag, renamed.',
      resolve: asOfNow(tags.byId, (result) => result.tag),
    }),
  }),
})

mutation('tagDelete', {
  needs: 'contacts:write',
  description: 'Deletes a tag and takes it from every contact that has it.',
  input: (t) => ({ id: t.id({ required: true, description: 'The tag, by global id or integer.' }) }),
  run: tags.remove,
  payload: (t) => ({ databaseId: t.exposeInt('databaseId', { description: 'The integer that the tag had.' }) }),
})
