import { AccountType } from '../account/account.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { funnelList, stepList } from './index.ts'

export const FunnelTypeEnum = builder.enumType('FunnelType', {
  description: 'What a funnel is for. No type makes steps by itself.',
  values: {
    BLANK: { description: 'Nothing in particular.' },
    LEAD: { description: 'To win contacts.' },
    SALES: { description: 'To sell.' },
  },
})

export const FunnelType = builder.prismaObject('Funnel', {
  description: 'Pages, one after another, that lead visitors to a goal.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called among those who made it.' }),
    type: t.expose('type', { type: FunnelTypeEnum, description: 'What it is for.' }),
    stepsCount: t.int({
      description: 'How many steps it has.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(stepList.countOf, id)) ?? 0,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

nodeSource('Funnel', 'funnels:read', funnelList.byId)

const FunnelConnection = connectionOf('Funnel', FunnelType, 'funnels')

export const FunnelFilter = builder.inputType('FunnelFilter', {
  description: 'Which funnels a list is about; all conditions must hold.',
  fields: (t) => ({
    type: t.field({ type: FunnelTypeEnum, description: 'Those of this type.' }),
    period: t.field({ type: PeriodType, description: "When they were made, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    search: t.string({ description: 'Those whose name contains this text, in whatever case.' }),
  }),
})

const FunnelOrder = orderOf(
  'Funnel',
  'funnels',
  { CREATED_AT: 'When they were made.', NAME: 'Their name.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  funnel: t.field({
    type: FunnelType,
    nullable: true,
    description: needing('funnels:read', 'A funnel, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The funnel, by global id or integer.' }) },
    resolve: allowed('funnels:read', (_root, { id }, ctx) => ctx.load(funnelList.byId, idOf('Funnel', id))),
  }),
  funnels: t.field({
    type: FunnelConnection,
    description: needing('funnels:read', 'The funnels of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, FunnelFilter, FunnelOrder),
    complexity: pageCost,
    resolve: allowed('funnels:read', (_root, args, ctx) => funnelList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'funnels', (t) =>
  t.field({
    type: FunnelConnection,
    nullable: true,
    description: needing('funnels:read', 'Its funnels, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, FunnelFilter, FunnelOrder),
    complexity: pageCost,
    resolve: allowed('funnels:read', (_account, args, ctx) => funnelList.list(ctx, args)),
  }),
)
