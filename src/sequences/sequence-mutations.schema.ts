import type { Contact, Sequence } from '../../prisma/generated/client/client.ts'
import { ContactRef, ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { deletedNode, type InputBuilder, mutation, type Payload } from '../graphql/mutation.ts'
import { EmailType } from '../mail/content/email.schema.ts'
import * as archiving from './archiving.ts'
import * as duplication from './duplication.ts'
import { EnrolmentObject } from './enrolment.schema.ts'
import * as enrolments from './enrolments.ts'
import { SequenceObject, SequenceTypeEnum } from './sequence.schema.ts'
import * as sequences from './sequences.ts'
import { DelayUnit, StageObject, StageTypeEnum } from './stage.schema.ts'
import type { ActionInput } from './stage-action.ts'
import * as stages from './stages.ts'

const StageActionInput = builder.inputType('StageActionInput', {
  description: 'The action of a stage. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    addTagId: t.id({ description: 'Adds this tag to the contact. Global id or integer id.' }),
    removeTagId: t.id({ description: 'Removes this tag from the contact. Global id or integer id.' }),
    addSequenceId: t.id({ description: 'Enrols the contact in this sequence. Global id or integer id.' }),
    removeSequenceId: t.id({ description: 'Removes the contact from this sequence. Global id or integer id.' }),
    unsubscribe: t.boolean({
      description: 'Unsubscribes the contact from marketing e-mail and removes it from all sequences. Must be true.',
    }),
    webhookUrl: t.string({
      description:
        'Sends a POST request with the ids of contact, sequence, stage and enrolment to this http or https URL. Maximum 2,048 characters.',
    }),
  }),
})

const stageSettings = (t: InputBuilder) => ({
  timeValue: t.int({
    description:
      'Delay after the previous stage, or before the anchor date, in units of `timeType`. From 0 to 50,000. Defaults to 1 for a new stage.',
  }),
  timeType: t.field({ type: DelayUnit, description: 'The unit of `timeValue`. Defaults to DAYS for a new stage.' }),
  smsText: t.string({ description: 'The text message of a SEND_SMS stage. Maximum 1,600 characters.' }),
  action: t.field({
    type: StageActionInput,
    description:
      'The action of an ACTION stage. Actions on tags and on the subscription need the scope `CONTACTS_WRITE`.',
  }),
})

/** Actions that change contacts need the scope for it. */
const alsoNeeds = ({ action }: { action?: ActionInput | null | undefined }) => [
  action && (action.addTagId ?? action.removeTagId ?? action.unsubscribe) != null ? ('contacts:write' as const) : null,
]

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
    id: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
    name: t.string({ description: 'Name of the sequence. Maximum 255 characters.' }),
    type: t.field({ type: SequenceTypeEnum, description: 'How the delays of the stages are counted.' }),
  }),
  run: sequences.update,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence after the change.' }),
  }),
})

mutation('sequenceDuplicate', {
  needs: 'sequences:write',
  description:
    'Creates a sequence with the type and the stages of another one. The stages are inactive and have copies of the e-mails. Enrolments and statistics are not copied. An action that names the original names the copy. Needs the scope `CONTACTS_WRITE` if an action changes contacts. Returns VALIDATION_ERROR if the bodies of the e-mails have more than 50 MB.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The sequence to copy, by global id or integer.' }),
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
    id: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
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
  input: (t) => ({ id: t.id({ required: true, description: 'The sequence, by global id or integer.' }) }),
  run: archiving.restore,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence after the change.' }),
  }),
})

mutation('sequenceDelete', {
  needs: 'sequences:write',
  description:
    'Deletes a sequence with its stages, and ends its enrolments: nothing more is sent, and lists no longer contain them. Of more than 5,000, the rest is deleted in the background, so some events `sequence.unsubscribed` follow later. Messages that it sent stay in the statistics of the contacts.',
  input: (t) => ({ id: t.id({ required: true, description: 'The sequence, by global id or integer.' }) }),
  run: sequences.remove,
  payload: (t) => deletedNode(t, SequenceObject),
})

mutation('sequenceStageCreate', {
  needs: 'sequences:write',
  alsoNeeds,
  description:
    'Creates an inactive stage at the end of a sequence. A SEND_EMAIL stage gets an empty e-mail; set it with `sequenceStageContentSet`.',
  input: (t) => ({
    sequenceId: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
    name: t.string({
      description: 'Name of the stage. Maximum 255 characters. Defaults to `Step N`, where N is its position.',
    }),
    stageType: t.field({ type: StageTypeEnum, description: 'Type of the stage. Defaults to SEND_EMAIL.' }),
    ...stageSettings(t),
  }),
  run: stages.create,
  outside: 'preparation',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The new stage.' }),
  }),
})

mutation('sequenceStageUpdate', {
  needs: 'sequences:write',
  alsoNeeds,
  description:
    'Updates a stage; absent fields stay as they are. A change of its position, its delay or `active` replans all active enrolments of the sequence. If there are more than 5,000, they are replanned in the background, and `sequence.updated` is emitted when all are. Until then some enrolments show their former plan, but each stage runs as the changed sequence requires. An active stage must be complete: SEND_EMAIL needs subject and HTML, SEND_SMS needs `smsText`, ACTION needs `action`.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The stage, by global id or integer.' }),
    name: t.string({ description: 'Name of the stage. Maximum 255 characters.' }),
    step: t.int({ description: 'New position in the sequence. The first is 1.' }),
    active: t.boolean({ description: 'Whether the stage runs. Inactive stages are skipped.' }),
    ...stageSettings(t),
  }),
  run: stages.update,
  outside: 'preparation',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage after the change.' }),
  }),
})

mutation('sequenceStageDelete', {
  needs: 'sequences:write',
  description:
    'Deletes a stage. The later stages move up, and all active enrolments of the sequence are replanned, in the background if there are more than 5,000 (`sequenceStageUpdate`).',
  input: (t) => ({ id: t.id({ required: true, description: 'The stage, by global id or integer.' }) }),
  run: stages.remove,
  payload: (t) => ({
    ...deletedNode(t, StageObject),
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence of the deleted stage.' }),
  }),
})

mutation('sequenceStageContentSet', {
  needs: 'sequences:write',
  description:
    'Sets the content of the e-mail of a stage; absent fields stay as they are. Returns STAGE_NOT_EMAIL if the stage does not send an e-mail, and VALIDATION_ERROR for a body that cannot be rendered.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The stage, by global id or integer.' }),
    html: t.string({
      description: 'The HTML body. It has the same limits as the body of a campaign (`campaignContentSet`).',
    }),
    text: t.string({ description: 'The plain-text body. If it was never set, it is generated from the HTML body.' }),
    subject: t.string({ description: 'Subject of the e-mail, one line. Maximum 900 characters.' }),
    fromName: t.string({ description: 'Name of the sender, one line. Maximum 255 characters.' }),
    fromEmail: t.string({ description: 'E-mail address of the sender.' }),
  }),
  run: stages.setContent,
  outside: 'preparation',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage after the change.' }),
    email: t.expose('email', { type: EmailType, description: 'The e-mail of the stage after the change.' }),
  }),
})

const enrolmentInput = (t: InputBuilder) => ({
  contact: t.field({ type: ContactRef, required: true, description: 'The contact, by id or e-mail address.' }),
  sequenceId: t.id({ required: true, description: 'The sequence, by global id or integer.' }),
})

/** The payload fields that both mutations of an enrolment share. */
const enrolmentPayload = (t: Payload<{ contact: Contact; sequence: Sequence }>) => ({
  contact: t.expose('contact', { type: ContactType, description: 'The contact.' }),
  sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence.' }),
})

mutation('sequenceSubscribe', {
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

mutation('sequenceUnsubscribe', {
  needs: 'sequences:write',
  description: 'Removes a contact from a sequence. Idempotent.',
  input: enrolmentInput,
  run: enrolments.unsubscribe,
  payload: enrolmentPayload,
})
