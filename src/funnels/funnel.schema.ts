import { builder } from '../graphql/builder.ts'
import { accountList, connectionOf } from '../graphql/connection.ts'
import { filterKind, filterOf, relevanceDescription } from '../graphql/filter.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import * as funnelList from './funnel-list.ts'
import * as stepList from './step-list.ts'

export const FunnelTypeEnum = builder.enumType('FunnelType', {
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
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the funnel. Visitors do not see it.' }),
    type: t.expose('type', { type: FunnelTypeEnum, description: 'Purpose of the funnel.' }),
    stepsCount: t.int({
      description: 'Number of steps.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(stepList.countOf, id)) ?? 0,
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
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
    NAME: 'Name, regardless of case.',
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
