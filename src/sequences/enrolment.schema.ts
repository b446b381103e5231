import { ContactConnection, ContactOrder, ContactType } from '../contacts/contact.schema.ts'
import { ContactFilter } from '../contacts/contact-filter.schema.ts'
import { contactList } from '../contacts/index.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { listCost } from '../graphql/sizes.ts'
import { enrolmentList, enrolments, sequences, stages } from './index.ts'
import { SequenceObject } from './sequence.schema.ts'
import { StageObject } from './stage.schema.ts'

const EnrolmentStateEnum = builder.enumType('EnrolmentState', {
  description: 'Status of an enrolment.',
  values: {
    ACTIVE: { description: 'The contact is in the sequence.' },
    COMPLETED: { description: 'The contact completed the sequence.' },
    ENDED: { description: 'The contact was removed from the sequence, or deleted, before it completed it.' },
  },
})

export const EnrolmentObject = builder.prismaObject('Enrolment', {
  description: "A contact's progress in a sequence.",
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    state: t.expose('state', { type: EnrolmentStateEnum, description: 'Current status.' }),
    enrolledAt: t.expose('enrolledAt', { type: 'DateTime', description: 'Time of the enrolment.' }),
    anchorDate: t.expose('anchorDate', {
      type: 'DateTime',
      nullable: true,
      description:
        'Date from which an inverted sequence counts back. Null if none was given, or the contact was deleted.',
    }),
    lastStage: t.field({
      type: StageObject,
      nullable: true,
      description: 'The stage that was done last. Null if no stage was done, or if the stage was deleted.',
      resolve: ({ lastStageId }, _args, ctx) => (lastStageId === null ? null : ctx.load(stages.byId, lastStageId)),
    }),
    lastDoneAt: t.expose('lastDoneAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the last stage was done. Null if no stage was done.',
    }),
    nextStage: t.field({
      type: StageObject,
      nullable: true,
      description: 'The next stage. Null if the enrolment is not active, or if it waits for a stage to be activated.',
      resolve: ({ nextStageId }, _args, ctx) => (nextStageId === null ? null : ctx.load(stages.byId, nextStageId)),
    }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the next stage is due. Null if there is no next stage, or if its message is in the queue.',
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Reason why the last action or SMS failed. Null if it succeeded.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the enrolment was completed or ended. Null while it is active.',
    }),
    sequence: t.field({
      type: SequenceObject,
      nullable: true,
      description: 'The sequence. Null if it was deleted concurrently.',
      resolve: ({ sequenceId }, _args, ctx) => ctx.load(sequences.byId, sequenceId),
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', 'The enrolled contact. Null if it was deleted.'),
      resolve: allowed('contacts:read', ({ contactId }, _args, ctx) => ctx.load(contactList.byId, contactId)),
    }),
  }),
})

nodeSource('Enrolment', 'sequences:read', enrolmentList.byId)

const EnrolmentConnection = connectionOf('Enrolment', EnrolmentObject, 'enrolments')

export const EnrolmentFilter = builder.inputType('EnrolmentFilter', {
  description: 'Filters a list of enrolments.',
  fields: (t) => ({
    states: t.field({
      type: [EnrolmentStateEnum],
      description: 'Returns only enrolments with one of these statuses.',
    }),
  }),
})

const EnrolmentOrder = orderOf(
  'Enrolment',
  'enrolments',
  { ENROLLED_AT: 'Orders by time of enrolment.' },
  { field: 'ENROLLED_AT', direction: 'DESC' },
)

builder.prismaObjectFields('Sequence', (t) => ({
  contacts: t.field({
    type: ContactConnection,
    nullable: true,
    description: needing('contacts:read', 'The contacts that are currently enrolled. Default order: newest first.'),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', ({ id }, args, ctx) => enrolmentList.contactsOfSequence(ctx, id, args)),
  }),
  enrolments: t.field({
    type: EnrolmentConnection,
    nullable: true,
    description: needing(
      'sequences:read',
      'The enrolments in the sequence, including past ones. Default order: latest first.',
    ),
    args: listArgs(t.arg, EnrolmentFilter, EnrolmentOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', ({ id }, args, ctx) => enrolmentList.listOfSequence(ctx, id, args)),
  }),
}))

builder.prismaObjectFields('Contact', (t) => ({
  sequences: t.field({
    type: [SequenceObject],
    description: `The sequences that the contact is currently enrolled in, ordered by name. Maximum ${enrolments.maxSequences.toLocaleString('en')}.`,
    complexity: listCost('sequences'),
    resolve: ({ id }, _args, ctx) => ctx.load(sequences.byContact, id),
  }),
  enrolments: t.field({
    type: EnrolmentConnection,
    nullable: true,
    description: needing(
      'sequences:read',
      'The enrolments of the contact, including past ones. Default order: latest first.',
    ),
    args: listArgs(t.arg, EnrolmentFilter, EnrolmentOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', ({ id }, args, ctx) => enrolmentList.listOfContact(ctx, id, args)),
  }),
}))
