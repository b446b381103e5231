import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { loadReadable, Node, nodeSource } from '../../graphql/schema/node.ts'
import { reads } from '../../graphql/schema/row-fields.ts'
import { maxBlocks } from '../blocks/message-content.ts'
import * as reusableBlockList from './reusable-block-list.ts'
import * as reusableBlocks from './reusable-blocks.ts'

const nameText = 'Name of the reusable block. Maximum 255 characters.'
const contentText = `List of blocks of a column as described by \`messageSchema\`, without reusable blocks, as a list or as JSON text. Maximum ${reusableBlocks.maxReusableBytes / 1_024} KiB and ${maxBlocks} blocks.`

export const ReusableBlockType = builder.objectRef<reusableBlockList.ReusableBlock>('ReusableBlock').implement({
  description:
    'Blocks with a name, to which documents of messages refer. A change reaches all messages whose sending has not begun.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the reusable block.' }),
    content: t.field({
      type: 'JSON',
      description: 'The list of blocks.',
      complexity: 10,
      extensions: reads('id'),
      resolve: async ({ id }, _args, ctx) => (await ctx.load(reusableBlockList.contentById, id))?.blocks ?? [],
    }),
    usedIn: t.field({
      type: [Node],
      description: `The campaigns whose sending has not begun, the stages of sequences, the forms, the funnels and the templates that contain the block, without those that the key cannot read. At most ${reusableBlockList.maxPlaces} of each kind.`,
      complexity: listCost('usedIn'),
      extensions: reads('id'),
      resolve: async ({ id }, _args, ctx) => loadReadable(ctx, await ctx.load(reusableBlocks.placesOf, id)),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the reusable block was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last update.' }),
  }),
})

nodeSource(ReusableBlockType, 'mail:read', reusableBlockList.byId)

const ReusableBlockFilter = filterOf(
  'ReusableBlockFilterInput',
  'reusable blocks',
  reusableBlockList.reusableBlockFilter,
  {
    id: 'The reusable block itself.',
    name: 'Name of the reusable block.',
    createdAt: 'Time at which the reusable block was created.',
    updatedAt: 'Time of the last update.',
    search: 'Words in any order, in the name.',
  },
)

const ReusableBlockConnection = connectionOf(ReusableBlockType, {
  noun: 'reusable blocks',
  filter: ReusableBlockFilter,
  orders: {
    CREATED_AT: 'Time at which the reusable block was created.',
    NAME: 'Name of the reusable block, in the order of a dictionary.',
    UPDATED_AT: 'Time of the last update.',
  },
})

builder.queryField('reusableBlock', (t) =>
  t.nodeById({
    type: ReusableBlockType,
    description: 'Returns the reusable block with this id. Null if the account has no such block.',
  }),
)

accountList('reusableBlocks', ReusableBlockConnection, reusableBlockList.list)

const payload = (t: Payload<{ reusableBlock: reusableBlockList.ReusableBlock }>) => ({
  reusableBlock: t.expose('reusableBlock', {
    type: ReusableBlockType,
    description: 'The reusable block after the change.',
  }),
})

mutation('reusableBlockCreate', {
  needs: 'mail:write',
  description: `Creates a reusable block. Messages refer to it with \`{"type": "reusable", "reusableBlockId": "<id>"}\`. Throws QUOTA_EXCEEDED if the account has ${reusableBlocks.maxReusableBlocks} reusable blocks.`,
  input: (t) => ({
    name: t.string({ required: true, description: nameText }),
    content: t.field({ type: 'JSON', required: true, description: contentText }),
  }),
  run: reusableBlocks.create,
  payload,
})

mutation('reusableBlockUpdate', {
  needs: 'mail:write',
  description:
    'Updates a reusable block; absent fields stay as they are. A job compiles the messages again that contain it: those of drafts, of scheduled campaigns and of all stages of sequences.',
  input: (t) => ({
    id: t.id(requiredId('the reusable block')),
    name: t.string({ description: nameText }),
    content: t.field({ type: 'JSON', description: contentText }),
  }),
  run: reusableBlocks.update,
  lock: (tx, { id }) => reusableBlockList.lock(tx, id),
  payload,
})

mutation('reusableBlockDuplicate', {
  needs: 'mail:write',
  description: 'Creates a copy of a reusable block. Throws QUOTA_EXCEEDED as `reusableBlockCreate` does.',
  input: (t) => ({
    id: t.id(requiredId('the reusable block')),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: reusableBlocks.duplicate,
  payload,
})

mutation('reusableBlockDelete', {
  needs: 'mail:write',
  description:
    'Deletes a reusable block. Returns INVALID_STATE, and names the places, if a message contains it whose sending has not begun (`usedIn`).',
  input: (t) => ({ id: t.id(requiredId('the reusable block')) }),
  run: reusableBlocks.remove,
  payload: (t) => deletedNode(t, ReusableBlockType),
})
