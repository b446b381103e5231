import { ContactConnection, ContactFilter, ContactOrder, ContactType } from '../contacts/contact.schema.ts'
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

const EnrolmentStateType = builder.enumType('EnrolmentState', {
  description: 'How far an enrolment is.',
  values: {
    ACTIVE: { description: 'The contact is in the sequence.' },
    COMPLETED: { description: 'The contact has been through it.' },
    ENDED: { description: 'The contact left it, or was deleted, before its end.' },
  },
})

export const EnrolmentObject = builder.prismaObject('Enrolment', {
  description: "A contact's way through a sequence.",
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    state: t.expose('state', { type: EnrolmentStateType, description: 'How far it is.' }),
    enrolledAt: t.expose('enrolledAt', { type: 'DateTime', description: 'When it began.' }),
    anchorDate: t.expose('anchorDate', {
      type: 'DateTime',
      nullable: true,
      description: 'What an inverted sequence counts back from; null if none was given, or the contact was deleted.',
    }),
    lastStage: t.field({
      type: StageObject,
      nullable: true,
      description: 'The stage that was done last; null where none was, or it is gone.',
      resolve: ({ lastStageId }, _args, ctx) => (lastStageId === null ? null : ctx.load(stages.byId, lastStageId)),
    }),
    lastDoneAt: t.expose('lastDoneAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a stage was done last.',
    }),
    nextStage: t.field({
      type: StageObject,
      nullable: true,
      description: 'What comes next; null where it is over, or waits for a stage to be activated.',
      resolve: ({ nextStageId }, _args, ctx) => (nextStageId === null ? null : ctx.load(stages.byId, nextStageId)),
    }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next stage is due; null where nothing is, or its message is in the queue.',
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why an action or an SMS could not be done, when one was tried last; null where it could.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was completed or left; null while it is active.',
    }),
    sequence: t.field({
      type: SequenceObject,
      nullable: true,
      description: 'The sequence; null where it was deleted in this very moment.',
      resolve: ({ sequenceId }, _args, ctx) => ctx.load(sequences.byId, sequenceId),
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', 'The contact; null if it was deleted.'),
      resolve: allowed('contacts:read', ({ contactId }, _args, ctx) => ctx.load(contactList.byId, contactId)),
    }),
  }),
})

nodeSource('Enrolment', 'sequences:read', enrolmentList.byId)

const EnrolmentConnection = connectionOf('Enrolment', EnrolmentObject, 'enrolments')

export const EnrolmentFilter = builder.inputType('EnrolmentFilter', {
  description: 'Which enrolments a list is about.',
  fields: (t) => ({ states: t.field({ type: [EnrolmentStateType], description: 'Those in any of these states.' }) }),
})

const EnrolmentOrder = orderOf(
  'Enrolment',
  'enrolments',
  { ENROLLED_AT: 'When they began.' },
  { field: 'ENROLLED_AT', direction: 'DESC' },
)

builder.prismaObjectFields('Sequence', (t) => ({
  contacts: t.field({
    type: ContactConnection,
    nullable: true,
    description: needing(
      'contacts:read',
      'The contacts that are enrolled now, the newest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', ({ id }, args, ctx) => enrolmentList.contactsOfSequence(ctx, id, args)),
  }),
  enrolments: t.field({
    type: EnrolmentConnection,
    nullable: true,
    description: needing('sequences:read', 'All enrolments, past ones too, the latest first unless ordered otherwise.'),
    args: listArgs(t.arg, EnrolmentFilter, EnrolmentOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', ({ id }, args, ctx) => enrolmentList.listOfSequence(ctx, id, args)),
  }),
}))

builder.prismaObjectFields('Contact', (t) => ({
  sequences: t.field({
    type: [SequenceObject],
    description: `The sequences it is enrolled in now, by name: ${enrolments.mostSequences.toLocaleString('en')} at most.`,
    complexity: listCost('sequences'),
    resolve: ({ id }, _args, ctx) => ctx.load(sequences.ofContact, id),
  }),
  enrolments: t.field({
    type: EnrolmentConnection,
    nullable: true,
    description: needing('sequences:read', 'Its enrolments, past ones too, the latest first unless ordered otherwise.'),
    args: listArgs(t.arg, EnrolmentFilter, EnrolmentOrder),
    complexity: pageCost,
    resolve: allowed('sequences:read', ({ id }, args, ctx) => enrolmentList.listOfContact(ctx, id, args)),
  }),
}))
