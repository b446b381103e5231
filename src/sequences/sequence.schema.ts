import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { stats } from '../mail/index.ts'
import { MailStatsType } from '../mail/tracking/stats.schema.ts'
import { sequences } from './index.ts'

export const SequenceTypeType = builder.enumType('SequenceType', {
  description: 'Which way a sequence counts time.',
  values: {
    NORMAL: {
      description: 'Forward: each stage comes so long after the one before it, the first after the enrolment.',
    },
    INVERTED: {
      description:
        "Backward: each stage comes so long before the enrolment's anchor date, and what has passed by then is left out. Without an anchor date it runs forward.",
    },
  },
})

export const SequenceObject = builder.prismaObject('Sequence', {
  description: 'E-mails and other steps, one after another, for every contact that is enrolled.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called: 255 characters at most.' }),
    type: t.expose('type', { type: SequenceTypeType, description: 'Which way it counts time.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    activeContacts: t.int({
      nullable: true,
      description: needing('sequences:read', 'How many contacts are enrolled now.'),
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
        'What became of all messages it has sent, also those of stages that are gone.',
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
  description: 'Which sequences a list is about; all conditions must hold.',
  fields: (t) => ({
    search: t.string({ description: 'Those whose name contains this text, in whatever case.' }),
    type: t.field({ type: SequenceTypeType, description: 'Those that count time this way.' }),
  }),
})

export const SequenceOrder = orderOf(
  'Sequence',
  'sequences',
  { CREATED_AT: 'When they were made.', NAME: 'Their name.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  sequence: t.field({
    type: SequenceObject,
    nullable: true,
    description: needing('sequences:read', 'A sequence, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The sequence, by global id or integer.' }) },
    resolve: allowed('sequences:read', (_root, { id }, ctx) => ctx.load(sequences.byId, idOf('Sequence', id))),
  }),
  sequences: t.field({
    type: SequenceConnection,
    description: needing('sequences:read', 'The sequences of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, SequenceFilter, SequenceOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', (_root, args, ctx) => sequences.list(ctx, args)),
  }),
}))

builder.prismaObjectField('Account', 'sequences', (t) =>
  t.field({
    type: SequenceConnection,
    nullable: true,
    description: needing('sequences:read', 'Its sequences, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, SequenceFilter, SequenceOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', (_account, args, ctx) => sequences.list(ctx, args)),
  }),
)
