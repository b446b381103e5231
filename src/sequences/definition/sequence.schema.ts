import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { stats } from '../../mail/index.ts'
import { MailStatsType } from '../../mail/stats/stats.schema.ts'
import * as archiving from './archiving.ts'
import * as duplication from './duplication.ts'
import * as sequences from './sequences.ts'

const SequenceTypeEnum = builder.enumType('SequenceType', {
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
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the sequence. Maximum 255 characters.' }),
    type: t.expose('type', { type: SequenceTypeEnum, description: 'How the delays of the stages are counted.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change of the sequence. Its stages have times of their own.',
    }),
    archivedAt: t.exposeTime('archivedAt', {
      nullable: true,
      description:
        'Time at which the sequence was archived. Null if it is not archived. An archived sequence takes no new enrolments.',
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
  orders: { CREATED_AT: 'Time of creation.', NAME: 'Name, in the order of a dictionary.' },
})

builder.queryFields((t) => ({
  sequence: t.nodeById({
    type: SequenceObject,
    description: 'Returns a sequence. Null if the account has no sequence with this id.',
  }),
}))

accountList('sequences', SequenceConnection, sequences.list)

mutation('sequenceCreate', {
  needs: 'sequences:write',
  description: 'Creates a sequence without stages.',
  input: (t) => ({
    name: t.string({ required: true, description: 'Name of the sequence. Maximum 255 characters.' }),
    type: t.field({
      type: SequenceTypeEnum,
      description: 'How the delays of the stages are counted. Defaults to NORMAL.',
    }),
  }),
  run: sequences.create,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The new sequence.' }),
  }),
})

mutation('sequenceUpdate', {
  needs: 'sequences:write',
  description:
    'Updates a sequence; absent fields stay as they are. A new type replans all active enrolments, in the background if there are more than 5,000 (`sequenceStageUpdate`).',
  input: (t) => ({
    id: t.id(requiredId('the sequence')),
    name: t.string({ description: 'Name of the sequence. Maximum 255 characters.' }),
    type: t.field({ type: SequenceTypeEnum, description: 'How the delays of the stages are counted.' }),
  }),
  run: sequences.update,
  lock: (tx, { id }) => sequences.lock(tx, id),
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence after the change.' }),
  }),
})

mutation('sequenceDuplicate', {
  needs: 'sequences:write',
  description:
    'Creates a sequence with the type and the stages of another one. The stages are inactive and have copies of the e-mails. Enrolments and statistics are not copied. An action that names the original names the copy. Needs the scope `CONTACTS_WRITE` if an action changes contacts. Returns VALIDATION_ERROR if the bodies of the e-mails have more than 50 MB.',
  input: (t) => ({
    id: t.id(requiredId('the sequence to copy')),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: duplication.duplicate,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The copy.' }),
  }),
})

mutation('sequenceArchive', {
  needs: 'sequences:write',
  description:
    'Archives a sequence: it takes no new enrolments until `sequenceRestore`. Enrolled contacts complete it, unless `endEnrolments` is true. It stays in lists and statistics, and can be changed, duplicated and deleted. Stages, imports, opt-ins and bulk jobs that enrol contacts skip it. Idempotent.',
  input: (t) => ({
    id: t.id(requiredId('the sequence')),
    endEnrolments: t.boolean({
      description:
        'Whether to end the active enrolments, so that nothing more is sent. More than 5,000 are ended in the background, which sends nothing meanwhile. Defaults to false.',
    }),
  }),
  run: archiving.archive,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence after the change.' }),
  }),
})

mutation('sequenceRestore', {
  needs: 'sequences:write',
  description: 'Restores an archived sequence, so that contacts can be enrolled again. Idempotent.',
  input: (t) => ({ id: t.id(requiredId('the sequence')) }),
  run: archiving.restore,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence after the change.' }),
  }),
})

mutation('sequenceDelete', {
  needs: 'sequences:write',
  description:
    'Deletes a sequence with its stages, and ends its enrolments: nothing more is sent, and lists no longer contain them. Of more than 5,000, the rest is deleted in the background, so some events `sequence.unsubscribed` follow later. Messages that it sent stay in the statistics of the contacts.',
  input: (t) => ({ id: t.id(requiredId('the sequence')) }),
  run: sequences.remove,
  payload: (t) => deletedNode(t, SequenceObject),
})
