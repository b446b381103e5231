import type { Funnel } from '../../../prisma/generated/client/client.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf, relevanceDescription } from '../../graphql/schema/filter.ts'
import { deletedNode, type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import * as archiving from './archiving.ts'
import * as duplication from './duplication.ts'
import * as funnelList from './funnel-list.ts'
import * as funnels from './funnels.ts'
import * as stepList from './step-list.ts'

const FunnelTypeEnum = builder.enumType('FunnelType', {
  description: 'Purpose of a funnel. The type has no effect on its steps.',
  values: {
    BLANK: { description: 'No particular purpose.' },
    LEAD: { description: 'Collects contacts.' },
    SALES: { description: 'Sells a product.' },
  },
})

export const FunnelType = builder.prismaObject('Funnel', {
  description: 'A sequence of web pages that leads visitors to an opt-in or a purchase.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the funnel. Visitors do not see it.' }),
    type: t.expose('type', { type: FunnelTypeEnum, description: 'Purpose of the funnel.' }),
    stepsCount: t.int({
      description: 'Number of steps.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(stepList.countOf, id)) ?? 0,
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change of the funnel. Its steps have times of their own.',
    }),
    archivedAt: t.exposeTime('archivedAt', {
      nullable: true,
      description:
        'Time at which the funnel was archived. Null if it is not archived. The pages of an archived funnel return 404.',
    }),
  }),
})

nodeSource(FunnelType, 'funnels:read', funnelList.byId)

filterKind('enum FunnelType', [FunnelTypeEnum])

export const FunnelFilter = filterOf('FunnelFilterInput', 'funnels', funnelList.funnelFilter, {
  id: 'The funnel itself.',
  name: 'Name.',
  type: 'One of these types.',
  createdAt: 'Time of creation.',
  archivedAt: 'Time at which the funnel was archived. It exists while the funnel is archived.',
  forms: 'Forms of the steps.',
  search: 'Words in any order, in the name.',
})

const FunnelConnection = connectionOf(FunnelType, {
  noun: 'funnels',
  filter: FunnelFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    NAME: 'Name, in the order of a dictionary.',
    TYPE: 'Type, alphabetically.',
    RELEVANCE: relevanceDescription,
  },
})

builder.queryFields((t) => ({
  funnel: t.nodeById({
    type: FunnelType,
    description: 'Returns a funnel, or null if the account has no funnel with this ID.',
  }),
}))

accountList('funnels', FunnelConnection, funnelList.list)

/** The required input field for a funnel. */
export const funnelId = (t: InputBuilder) => t.id(requiredId('the funnel'))

const changedFunnel = (t: Payload<{ funnel: Funnel }>) => ({
  funnel: t.expose('funnel', { type: FunnelType, description: 'The created or updated funnel.' }),
})

mutation('funnelCreate', {
  needs: 'funnels:write',
  description:
    'Creates a funnel without steps. Throws NO_SUBDOMAIN if the account has no subdomain. Throws QUOTA_EXCEEDED if the account has reached its limit of funnels.',
  input: (t) => ({
    name: t.string({ required: true, description: 'Name of the funnel. Maximum 255 characters.' }),
    type: t.field({ type: FunnelTypeEnum, description: 'Purpose of the funnel. Defaults to `BLANK`.' }),
  }),
  run: funnels.create,
  payload: changedFunnel,
})

mutation('funnelUpdate', {
  needs: 'funnels:write',
  description:
    'Updates a funnel. Fields that are not sent stay unchanged. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({
    id: funnelId(t),
    name: t.string({ description: 'Name of the funnel. Maximum 255 characters.' }),
    type: t.field({ type: FunnelTypeEnum, description: 'Purpose of the funnel.' }),
  }),
  run: funnels.update,
  lock: (tx, { id }) => funnelList.lock(tx, id),
  payload: changedFunnel,
})

mutation('funnelDuplicate', {
  needs: 'funnels:write',
  description:
    'Creates a funnel with the steps of another one, under the same paths, with copies of their forms, of the published and the newest version of their pages, and of confirmation e-mails. No page is published: use `funnelStepPublish`. Links that contain the address of the original keep it. Visits, submissions and statistics are not copied. Needs the scopes `CONTACTS_WRITE` and `SEQUENCES_WRITE` if steps add tags or enrol contacts. Throws NOT_FOUND if the account has no such funnel, QUOTA_EXCEEDED if it has reached its limit of funnels, and VALIDATION_ERROR if the pages have more than 50 MB.',
  input: (t) => ({
    id: funnelId(t),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: duplication.duplicate,
  payload: changedFunnel,
})

mutation('funnelArchive', {
  needs: 'funnels:write',
  description:
    'Archives a funnel: its pages return 404 until `funnelRestore`. Its forms stay published under their own URLs; `formArchive` archives them. The funnel stays in lists, statistics and the quota, and can be changed, duplicated and deleted. Idempotent. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({ id: funnelId(t) }),
  run: archiving.archive,
  payload: changedFunnel,
})

mutation('funnelRestore', {
  needs: 'funnels:write',
  description:
    'Restores an archived funnel with its published pages. Idempotent. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({ id: funnelId(t) }),
  run: archiving.restore,
  payload: changedFunnel,
})

mutation('funnelDelete', {
  needs: 'funnels:write',
  description:
    'Deletes a funnel with its steps, their content and its confirmation e-mail permanently. Forms with submissions are archived. Orders are kept. A background job deletes the visits. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({ id: funnelId(t) }),
  run: funnels.remove,
  payload: (t) => deletedNode(t, FunnelType),
})
