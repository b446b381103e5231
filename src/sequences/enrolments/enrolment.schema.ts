import type { Contact, Sequence } from '../../../prisma/generated/client/client.ts'
import { ContactConnection, ContactRef, ContactType } from '../../contacts/people/contact.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { SequenceObject } from '../definition/sequence.schema.ts'
import * as sequences from '../definition/sequences.ts'
import { batchSize } from '../planning/progress.ts'
import { StageObject } from '../stages/stage.schema.ts'
import * as activations from './activations.ts'
import * as enrolmentCounts from './enrolment-counts.ts'
import * as enrolmentList from './enrolment-list.ts'
import * as enrolments from './enrolments.ts'

const EnrolmentStateEnum = builder.enumType('EnrolmentState', {
  description: 'Status of an enrolment.',
  values: {
    ACTIVE: { description: 'The contact is in the sequence.' },
    COMPLETED: { description: 'The contact completed the sequence.' },
    ENDED: { description: 'The contact was removed from the sequence, deleted or merged before it completed it.' },
  },
})

const EnrolmentEndReasonEnum = builder.enumType('EnrolmentEndReason', {
  description: 'Reason why an enrolment ended before the contact completed the sequence.',
  values: {
    REMOVED: { description: 'The contact was removed from the sequence, by a client or by a stage.' },
    UNSUBSCRIBED: { description: 'The contact withdrew its consent to marketing e-mail.' },
    CONTACT_DELETED: { description: 'The contact was deleted while it was enrolled.' },
    MERGED: { description: 'The contact was merged with another one, whose enrolment in the sequence continues.' },
  },
})

const EnrolmentCountsType = builder.objectRef<enrolmentCounts.EnrolmentCounts>('EnrolmentCounts').implement({
  description:
    'Number of enrolments of a sequence, including those of deleted contacts. A contact that was enrolled again counts again. A failed stage does not end an enrolment.',
  fields: (t) => ({
    active: t.exposeInt('active', { description: 'Enrolments in progress.' }),
    waiting: t.exposeInt('waiting', {
      description:
        'Enrolments in progress without a next stage: they wait until a stage is added or activated. Included in `active`.',
    }),
    completed: t.exposeInt('completed', { description: 'Enrolments that completed the sequence.' }),
    removed: t.exposeInt('removed', { description: 'Enrolments that ended with REMOVED.' }),
    unsubscribed: t.exposeInt('unsubscribed', { description: 'Enrolments that ended with UNSUBSCRIBED.' }),
    contactDeleted: t.exposeInt('contactDeleted', { description: 'Enrolments that ended with CONTACT_DELETED.' }),
    merged: t.exposeInt('merged', { description: 'Enrolments that ended with MERGED.' }),
  }),
})

export const EnrolmentObject = builder.prismaObject('Enrolment', {
  description: "A contact's progress in a sequence.",
  interfaces: [Node],
  fields: (t) => ({
    state: t.expose('state', { type: EnrolmentStateEnum, description: 'Current status.' }),
    enrolledAt: t.exposeTime('enrolledAt', { description: 'Time of the enrolment.' }),
    anchorDate: t.exposeTime('anchorDate', {
      nullable: true,
      description:
        'Date from which an inverted sequence counts back. Null if none was given, or the contact was deleted.',
    }),
    lastStage: t.node('lastStageId', {
      type: StageObject,
      description: 'The stage that was done last. Null if no stage was done, or if the stage was deleted.',
    }),
    lastDoneAt: t.exposeTime('lastDoneAt', {
      nullable: true,
      description: 'Time at which the last stage was done. Null if no stage was done.',
    }),
    nextStage: t.node('nextStageId', {
      type: StageObject,
      description: 'The next stage. Null if the enrolment is not active, or if it waits for a stage to be activated.',
    }),
    dueAt: t.exposeTime('dueAt', {
      nullable: true,
      description:
        'Time at which the next stage is due. Null if there is no next stage, or if its message is in the queue.',
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Reason why the last action or SMS failed. Null if it succeeded.',
    }),
    endedAt: t.exposeTime('endedAt', {
      nullable: true,
      description: 'Time at which the enrolment was completed or ended. Null while it is active.',
    }),
    endReason: t.expose('endReason', {
      type: EnrolmentEndReasonEnum,
      nullable: true,
      description: 'Reason of the end. Null unless `state` is ENDED.',
    }),
    sequence: t.node('sequenceId', {
      type: SequenceObject,
      description: 'The sequence. Null if it was deleted concurrently.',
    }),
    contact: t.node('contactId', { type: ContactType, description: 'The enrolled contact. Null if it was deleted.' }),
  }),
})

nodeSource(EnrolmentObject, 'sequences:read', enrolmentList.byId)

filterKind('enum EnrolmentState', [EnrolmentStateEnum])
filterKind('enum EnrolmentEndReason', [EnrolmentEndReasonEnum])

export const EnrolmentFilter = filterOf('EnrolmentFilterInput', 'enrolments', enrolmentList.enrolmentFilter, {
  id: 'The enrolment itself.',
  state: 'One of these statuses.',
  enrolledAt: 'Time of the enrolment.',
  anchorDate: 'Date from which an inverted sequence counts back.',
  lastDoneAt: 'Time at which the last stage was done.',
  dueAt: 'Time at which the next stage is due. It does not exist while the message of the stage is in the queue.',
  endedAt: 'Time at which the enrolment was completed or ended.',
  endReason: 'One of these reasons of the end. An enrolment that is active or completed does not match.',
  failure: 'Reason why the last action or SMS failed. It does not exist if it succeeded.',
  sequences: 'The sequence.',
  lastStages: 'The stage that was done last.',
  nextStages: 'The next stage.',
  contacts: 'The enrolled contact.',
  contact:
    'The contact of the enrolment matches this filter. Deleted contacts do not match. Its conditions and levels count towards the maximum.',
  search: 'Words in any order, in the e-mail address, first and last name, company and phone number of the contact.',
})

const EnrolmentConnection = connectionOf(EnrolmentObject, {
  noun: 'enrolments',
  filter: EnrolmentFilter,
  orders: { ENROLLED_AT: 'Time at which the contact was enrolled.' },
})

const StageActivationType = builder.objectRef<activations.StageActivation>('StageActivation').implement({
  description: 'The contacts whose next stage would be another one.',
  fields: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage that would be their next one.' }),
    dueNow: t.exposeInt('dueNow', { description: 'Contacts for which the stage would be due at once.' }),
    dueLater: t.exposeInt('dueLater', { description: 'Contacts for which the stage would be due later.' }),
  }),
})

readableWith('StageActivation', 'sequences:read')

const ActivationType = builder.objectRef<activations.Activation>('SequenceActivation').implement({
  description: 'What active enrolments of a sequence would get if stages were activated.',
  fields: (t) => ({
    stages: t.field({
      type: [StageActivationType],
      description: 'The stages that would be the next ones of contacts, ordered by `step`.',
      resolve: ({ stages }) => stages,
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: `Whether there are more active enrolments than the ${batchSize.toLocaleString('en')} that were planned. The numbers are then minimums.`,
    }),
  }),
})

readableWith('SequenceActivation', 'sequences:read')

builder.prismaObjectFields('Sequence', (t) => ({
  activeContacts: t.int({
    description: 'Number of contacts that are currently enrolled.',
    resolve: allowed('sequences:read', async ({ id }, _args, ctx) => (await enrolmentCounts.countsOf(ctx, id)).active),
  }),
  enrolmentCounts: t.field({
    type: EnrolmentCountsType,
    nullable: true,
    description: 'Number of enrolments by their state and the reason of their end.',
    resolve: allowed('sequences:read', ({ id }, _args, ctx) => enrolmentCounts.countsOf(ctx, id)),
  }),
  activation: t.field({
    type: ActivationType,
    nullable: true,
    description:
      'What active enrolments would get if stages were activated now. Nothing is changed. Null if one of the stages was not found in the sequence.',
    args: {
      stageIds: t.arg.idList({
        description: 'Global IDs or integer IDs of the stages to activate. Defaults to all stages of the sequence.',
      }),
    },
    complexity: activations.cost,
    resolve: allowed('sequences:read', ({ id }, { stageIds }, ctx) => activations.activationOf(ctx, id, stageIds)),
  }),
  contacts: t.connection(ContactConnection, {
    description: 'The contacts that are currently enrolled. Default order: newest first.',
    resolve: ({ id }, args, ctx) => enrolmentList.contactsOfSequence(ctx, id, args),
  }),
  enrolments: t.connection(EnrolmentConnection, {
    description: 'The enrolments in the sequence, including past ones. Default order: latest first.',
    resolve: ({ id }, args, ctx) => enrolmentList.listOfSequence(ctx, id, args),
  }),
}))

builder.prismaObjectFields('SequenceStage', (t) => ({
  waiting: t.int({
    description:
      'Number of active enrolments whose next stage is this one, whether it is due or not. 0 for an inactive stage.',
    resolve: (stage, _args, ctx) => enrolmentCounts.waitingFor(ctx, stage),
  }),
}))

builder.prismaObjectFields('Contact', (t) => ({
  sequences: t.field({
    type: [SequenceObject],
    description: `The sequences that the contact is currently enrolled in, ordered by name. Maximum ${enrolments.maxSequences.toLocaleString('en')}.`,
    complexity: listCost('sequences'),
    resolve: ({ id }, _args, ctx) => ctx.load(sequences.byContact, id),
  }),
  enrolments: t.connection(EnrolmentConnection, {
    description: 'The enrolments of the contact, including past ones. Default order: latest first.',
    resolve: ({ id }, args, ctx) => enrolmentList.listOfContact(ctx, id, args),
  }),
}))

const enrolmentInput = (t: InputBuilder) => ({
  contact: t.field({ type: ContactRef, required: true, description: 'The contact, by id or e-mail address.' }),
  sequenceId: t.id(requiredId('the sequence')),
})

/** The payload fields that both mutations of an enrolment share. */
const enrolmentPayload = (t: Payload<{ contact: Contact; sequence: Sequence }>) => ({
  contact: t.expose('contact', { type: ContactType, description: 'The contact.' }),
  sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence.' }),
})

mutation('sequenceEnrol', {
  needs: 'sequences:write',
  description:
    'Enrols a contact in a sequence. Idempotent: a contact that is enrolled keeps its progress. A contact that completed or left the sequence starts again. Returns SEQUENCE_HAS_NO_STAGES if the sequence has no stages, and INVALID_STATE if it is archived.',
  input: (t) => ({
    ...enrolmentInput(t),
    anchorDate: t.field({
      type: 'DateTime',
      description: 'Date from which an inverted sequence counts back, such as the start of an event.',
    }),
  }),
  run: enrolments.subscribe,
  payload: (t) => ({
    ...enrolmentPayload(t),
    enrolment: t.expose('enrolment', {
      type: EnrolmentObject,
      description: 'The enrolment of the contact in the sequence.',
    }),
  }),
})

mutation('sequenceUnenrol', {
  needs: 'sequences:write',
  description: 'Removes a contact from a sequence. Idempotent.',
  input: enrolmentInput,
  run: enrolments.unsubscribe,
  payload: enrolmentPayload,
})
