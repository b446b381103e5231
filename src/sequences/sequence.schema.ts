import { builder } from '../graphql/builder.ts'
import { accountList, connectionOf } from '../graphql/connection.ts'
import { filterKind, filterOf } from '../graphql/filter.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { stats } from '../mail/index.ts'
import { MailStatsType } from '../mail/tracking/stats.schema.ts'
import * as enrolmentCounts from './enrolment-counts.ts'
import * as sequences from './sequences.ts'

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
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    archivedAt: t.exposeTime('archivedAt', {
      nullable: true,
      description:
        'Time at which the sequence was archived. Null if it is not archived. An archived sequence takes no new enrolments.',
    }),
    activeContacts: t.int({
      description: 'Number of contacts that are currently enrolled.',
      resolve: allowed(
        'sequences:read',
        async ({ id }, _args, ctx) => (await enrolmentCounts.countsOf(ctx, id)).active,
      ),
    }),
    stats: t.field({
      type: MailStatsType,
      description:
        'Delivery, open and click statistics of all messages of the sequence, including those of deleted stages.',
      resolve: allowed(
        'sequences:read',
        async ({ id }, _args, ctx) => (await ctx.load(stats.statsOfSequence, id)) ?? stats.emptyStats,
      ),
    }),
  }),
})

nodeSource(SequenceObject, 'sequences:read', sequences.byId)

filterKind('enum SequenceType', [SequenceTypeEnum])

export const SequenceFilter = filterOf('SequenceFilterInput', 'sequences', sequences.sequenceFilter, {
  id: 'The sequence itself.',
  name: 'Name of the sequence.',
  type: 'One of these types.',
  createdAt: 'Time of creation.',
  archivedAt: 'Time at which the sequence was archived. It exists while the sequence is archived.',
  search: 'Words in any order, in the name.',
})

const SequenceConnection = connectionOf(SequenceObject, {
  noun: 'sequences',
  filter: SequenceFilter,
  orders: { CREATED_AT: 'Orders by time of creation.', NAME: 'Orders by name. Case-insensitive.' },
})

builder.queryFields((t) => ({
  sequence: t.nodeById({
    type: SequenceObject,
    description: 'Returns a sequence. Null if the account has no sequence with this id.',
  }),
}))

accountList('sequences', SequenceConnection, sequences.list)
