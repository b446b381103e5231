import type { Contact, Sequence } from '../../prisma/generated/client/client.ts'
import { ContactRef, ContactType } from '../contacts/contact.schema.ts'
import { contactList } from '../contacts/index.ts'
import { builder, type Schema } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { EmailType } from '../mail/content/email.schema.ts'
import { emails } from '../mail/index.ts'
import { EnrolmentObject } from './enrolment.schema.ts'
import { enrolmentList, enrolments, longestReplanning, sequences, stages } from './index.ts'
import { SequenceObject, SequenceTypeType } from './sequence.schema.ts'
import { ActionKindType, DelayUnit, StageObject, StageTypeType } from './stage.schema.ts'

const StageActionInput = builder.inputType('StageActionInput', {
  description: 'What an action stage does: its kind, and the one thing that the kind is about.',
  fields: (t) => ({
    kind: t.field({ type: ActionKindType, required: true, description: 'What it does.' }),
    tagId: t.id({ description: 'The tag, for ADD_TAG and REMOVE_TAG.' }),
    sequenceId: t.id({ description: 'The sequence, for ENROL and UNENROL.' }),
    url: t.string({ description: 'The address, for WEBHOOK: http or https, 2,048 characters at most.' }),
  }),
})

const stageSettings = (t: InputBuilder) => ({
  timeValue: t.int({ description: 'How long after the stage before it, or before the anchor date: 0 to 50,000.' }),
  timeType: t.field({ type: DelayUnit, description: 'The unit of `timeValue`.' }),
  smsText: t.string({ description: 'The text message of a SEND_SMS stage: 1,600 characters at most.' }),
  action: t.field({
    type: StageActionInput,
    description: 'What an ACTION stage does. Needs the scope `contacts:write` for ADD_TAG, REMOVE_TAG and UNSUBSCRIBE.',
  }),
})

/** These actions write in the room of contacts. */
const alsoNeeds = ({ action }: { action?: { kind: string } | null | undefined }) => [
  action && ['ADD_TAG', 'REMOVE_TAG', 'UNSUBSCRIBE'].includes(action.kind) ? ('contacts:write' as const) : null,
]

mutation('sequenceCreate', {
  needs: 'sequences:write',
  description: 'Makes a sequence, without stages as yet.',
  input: (t) => ({
    name: t.string({ required: true, description: 'What it is called: 255 characters at most.' }),
    type: t.field({ type: SequenceTypeType, description: 'Which way it counts time; NORMAL where absent.' }),
  }),
  run: sequences.create,
  payload: (t) => ({
    sequence: t.field({
      type: SequenceObject,
      description: 'The new sequence.',
      resolve: asOfNow(sequences.byId, (result) => result.sequence),
    }),
  }),
})

mutation('sequenceUpdate', {
  needs: 'sequences:write',
  description: 'Changes a sequence: only what is sent. Another type plans everybody who is in it anew.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
    name: t.string({ description: 'What it is called: 255 characters at most.' }),
    type: t.field({ type: SequenceTypeType, description: 'Which way it counts time.' }),
  }),
  run: sequences.update,
  timeoutMs: longestReplanning,
  payload: (t) => ({
    sequence: t.field({
      type: SequenceObject,
      description: 'The sequence after the change.',
      resolve: asOfNow(sequences.byId, (result) => result.sequence),
    }),
  }),
})

mutation('sequenceDelete', {
  needs: 'sequences:write',
  description: 'Deletes a sequence with its stages, and ends its enrolments.',
  input: (t) => ({ id: t.id({ required: true, description: 'The sequence, by global id or integer.' }) }),
  run: sequences.remove,
  timeoutMs: longestReplanning,
  payload: (t) => ({ databaseId: t.exposeInt('databaseId', { description: 'The integer that the sequence had.' }) }),
})

mutation('sequenceStageCreate', {
  needs: 'sequences:write',
  alsoNeeds,
  description:
    'Adds a stage at the end of a sequence, inactive. One that sends an e-mail gets that e-mail, still empty.',
  input: (t) => ({
    sequenceId: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
    name: t.string({ description: 'What it is called; `Step N` where absent.' }),
    stageType: t.field({ type: StageTypeType, description: 'What it does; SEND_EMAIL where absent.' }),
    ...stageSettings(t),
  }),
  run: stages.create,
  timeoutMs: longestReplanning,
  payload: (t) => ({
    stage: t.field({
      type: StageObject,
      description: 'The new stage.',
      resolve: asOfNow(stages.byId, (result) => result.stage),
    }),
  }),
})

mutation('sequenceStageUpdate', {
  needs: 'sequences:write',
  alsoNeeds,
  description:
    'Changes a stage: only what is sent. Whatever changes when stages come plans everybody who is in the sequence anew. An active stage must have what it takes: an e-mail its subject and HTML, a text message its text, an action what it does.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The stage, by global id or integer.' }),
    name: t.string({ description: 'What it is called: 255 characters at most.' }),
    step: t.int({ description: 'Its new place among the others; the first is 1.' }),
    active: t.boolean({ description: 'Whether contacts that come to it get it.' }),
    ...stageSettings(t),
  }),
  run: stages.update,
  timeoutMs: longestReplanning,
  payload: (t) => ({
    stage: t.field({
      type: StageObject,
      description: 'The stage after the change.',
      resolve: asOfNow(stages.byId, (result) => result.stage),
    }),
  }),
})

mutation('sequenceStageDelete', {
  needs: 'sequences:write',
  description: 'Deletes a stage; those behind it move up, and everybody who is in the sequence is planned anew.',
  input: (t) => ({ id: t.id({ required: true, description: 'The stage, by global id or integer.' }) }),
  run: stages.remove,
  timeoutMs: longestReplanning,
  payload: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'The integer that the stage had.' }),
    sequence: t.field({
      type: SequenceObject,
      description: 'The sequence it belonged to.',
      resolve: asOfNow(sequences.byId, (result) => result.sequence),
    }),
  }),
})

mutation('sequenceStageContentSet', {
  needs: 'sequences:write',
  description:
    'Sets what the e-mail of a stage says. Fails with STAGE_NOT_EMAIL where the stage sends none. Only what is sent changes. A body that could not be rendered is refused with VALIDATION_ERROR.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The stage, by global id or integer.' }),
    html: t.string({
      required: true,
      description: 'The HTML body. It has the same limits as the body of a campaign (`campaignContentSet`).',
    }),
    text: t.string({ description: 'The plain-text body; made from the HTML where it was never set.' }),
    subject: t.string({ description: 'What it is about: one line, 900 characters at most.' }),
    fromName: t.string({ description: 'Whom it comes from, by name: one line, 255 characters at most.' }),
    fromEmail: t.string({ description: 'Whom it comes from, by address.' }),
  }),
  run: stages.setContent,
  payload: (t) => ({
    stage: t.field({
      type: StageObject,
      description: 'The stage.',
      resolve: asOfNow(stages.byId, (result) => result.stage),
    }),
    email: t.field({
      type: EmailType,
      description: 'Its e-mail after the change.',
      resolve: asOfNow(emails.byId, (result) => result.email),
    }),
  }),
})

const subscription = (t: InputBuilder) => ({
  contact: t.field({ type: ContactRef, required: true, description: 'Which contact.' }),
  sequenceId: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
})

mutation('sequenceSubscribe', {
  needs: 'sequences:write',
  description:
    'Enrols a contact in a sequence. Safe to repeat; who has been through it starts again. Fails with SEQUENCE_HAS_NO_STAGES where there is nothing to go through.',
  input: (t) => ({
    ...subscription(t),
    anchorDate: t.field({
      type: 'DateTime',
      description: 'What an inverted sequence counts back from, such as the start of an event.',
    }),
  }),
  run: enrolments.subscribe,
  payload: (t) => ({
    ...pair(t),
    enrolment: t.field({
      type: EnrolmentObject,
      description: 'Its way through the sequence.',
      resolve: asOfNow(enrolmentList.byId, (result) => result.enrolment),
    }),
  }),
})

mutation('sequenceUnsubscribe', {
  needs: 'sequences:write',
  description: 'Takes a contact out of a sequence. Safe to repeat.',
  input: subscription,
  run: enrolments.unsubscribe,
  payload: pair,
})

/** Who is in a sequence, or was: what both mutations answer. */
function pair<Result extends { contact: Contact; sequence: Sequence }>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Result>,
) {
  return {
    contact: t.field({
      type: ContactType,
      description: 'The contact.',
      resolve: asOfNow(contactList.byId, (result) => result.contact),
    }),
    sequence: t.field({
      type: SequenceObject,
      description: 'The sequence.',
      resolve: asOfNow(sequences.byId, (result) => result.sequence),
    }),
  }
}
