import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { stats } from '../mail/index.ts'
import { MailStatsType } from '../mail/tracking/stats.schema.ts'
import { sequences } from './index.ts'

export const SequenceTypeEnum = builder.enumType('SequenceType', {
  description: 'How the delays of the stages of a sequence are counted.',
  values: {
    NORMAL: {
      description: 'Each stage is due its delay after the previous one was done, the first stage after the enrolment.',
    },
    INVERTED: {
      description:
        "Each stage is due its delay before the enrolment's anchor date. Stages whose time has passed are skipped. Without an anchor date the sequence runs like NORMAL.",
    },
  },
})

export const SequenceObject = builder.prismaObject('Sequence', {
  description: 'A series of e-mails, text messages and actions that runs for each enrolled contact.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the sequence. Maximum 255 characters.' }),
    type: t.expose('type', { type: SequenceTypeEnum, description: 'How the delays of the stages are counted.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    activeContacts: t.int({
      nullable: true,
      description: needing('sequences:read', 'Number of contacts that are currently enrolled.'),
      resolve: allowed(
        'sequences:read',
        async ({ id }, _args, ctx) => (await ctx.load(sequences.activeContacts, id)) ?? 0,
      ),
    }),
    stats: t.field({
      type: MailStatsType,
      nullable: true,
      description: needing(
        'sequences:read',
        'Delivery, open and click statistics of all messages of the sequence, including those of deleted stages.',
      ),
      resolve: allowed('sequences:read', async ({ id }, _args, ctx) =>
        stats.sumStats(await ctx.load(stats.statsOfSequence, id)),
      ),
    }),
  }),
})

nodeSource('Sequence', 'sequences:read', sequences.byId)

export const SequenceConnection = connectionOf('Sequence', SequenceObject, 'sequences')

export const SequenceFilter = builder.inputType('SequenceFilter', {
  description: 'Filters a list of sequences. A sequence must match all given conditions.',
  fields: (t) => ({
    search: t.string({ description: 'Returns only sequences whose name contains this text. Case-insensitive.' }),
    type: t.field({ type: SequenceTypeEnum, description: 'Returns only sequences of this type.' }),
  }),
})

const SequenceOrder = orderOf(
  'Sequence',
  'sequences',
  { CREATED_AT: 'Orders by time of creation.', NAME: 'Orders by name.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  sequence: t.field({
    type: SequenceObject,
    nullable: true,
    description: needing('sequences:read', 'Returns a sequence. Null if the account has no sequence with this id.'),
    args: { id: t.arg.id({ required: true, description: 'The sequence, by global id or integer.' }) },
    resolve: allowed('sequences:read', (_root, { id }, ctx) => ctx.load(sequences.byId, idOf('Sequence', id))),
  }),
  sequences: t.field({
    type: SequenceConnection,
    description: needing('sequences:read', 'Lists the sequences of the account. Default order: newest first.'),
    args: listArgs(t.arg, SequenceFilter, SequenceOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', (_root, args, ctx) => sequences.list(ctx, args)),
  }),
}))

builder.prismaObjectField('Account', 'sequences', (t) =>
  t.field({
    type: SequenceConnection,
    nullable: true,
    description: needing('sequences:read', 'The sequences of the account. Default order: newest first.'),
    args: listArgs(t.arg, SequenceFilter, SequenceOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', (_account, args, ctx) => sequences.list(ctx, args)),
  }),
)
