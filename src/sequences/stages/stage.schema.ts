import { tags } from '../../contacts/index.ts'
import { TagType } from '../../contacts/tags/tag.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { deletedNode, type InputBuilder, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { checkCost, EmailCheckType } from '../../mail/checks/email-check.schema.ts'
import { EmailType, emailBody, emailDetails, emailTopic } from '../../mail/emails/email.schema.ts'
import { emailChecks, links } from '../../mail/index.ts'
import { HoldActionType, holdInput, holdTexts } from '../../mail/recipients/hold.schema.ts'
import { RecipientType } from '../../mail/recipients/recipient.schema.ts'
import { LinkStatsType, linksOptions, MailStatsType } from '../../mail/stats/stats.schema.ts'
import type { ActionInput, StageAction } from '../actions/stage-action.ts'
import { SequenceObject } from '../definition/sequence.schema.ts'
import * as sequences from '../definition/sequences.ts'
import { stagesOf } from '../planning/progress.ts'
import * as stages from './stages.ts'

const StageTypeEnum = builder.enumType('SequenceStageType', {
  description: 'What a stage of a sequence does.',
  values: {
    SEND_EMAIL: { description: 'Sends the e-mail of the stage.' },
    SEND_SMS: { description: 'Sends `smsText` as a text message.' },
    ACTION: { description: 'Runs the action of the stage.' },
  },
})

const DelayUnit = builder.enumType('DelayUnit', {
  description: "The unit of a stage's delay.",
  values: {
    HOURS: { value: stages.units.hours, description: 'Hours of 3,600 seconds.' },
    DAYS: {
      value: stages.units.days,
      description:
        'Calendar days in the time zone of the account: the local time stays the same when the clocks change.',
    },
    WEEKS: { value: stages.units.weeks, description: 'Weeks of seven such days.' },
  },
})

const ActionKindEnum = builder.enumType('StageActionKind', {
  description: 'The action that a stage runs for a contact.',
  values: {
    ADD_TAG: { description: 'Adds a tag to the contact.' },
    REMOVE_TAG: { description: 'Removes a tag from the contact.' },
    ENROL: { description: 'Enrols the contact in a sequence.' },
    UNENROL: { description: 'Removes the contact from a sequence.' },
    UNSUBSCRIBE: { description: 'Unsubscribes the contact from marketing e-mail and removes it from all sequences.' },
    WEBHOOK: { description: 'Sends a POST request with the ids of contact, sequence, stage and enrolment to a URL.' },
  },
})

const StageActionObject = builder.objectRef<StageAction>('StageAction').implement({
  description: 'The action of a stage in a sequence.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ActionKindEnum, description: 'Kind of the action.' }),
    tag: t.field({
      type: TagType,
      nullable: true,
      description: 'The tag of ADD_TAG and REMOVE_TAG. Null for other kinds, or if the tag was deleted.',
      resolve: (action, _args, ctx) => ('tagId' in action ? ctx.load(tags.byId, action.tagId) : null),
    }),
    sequence: t.field({
      type: SequenceObject,
      nullable: true,
      description: 'The sequence of ENROL and UNENROL. Null for other kinds, or if the sequence was deleted.',
      resolve: (action, _args, ctx) => ('sequenceId' in action ? ctx.load(sequences.byId, action.sequenceId) : null),
    }),
    url: t.string({
      nullable: true,
      description: 'The URL of WEBHOOK. Null for other kinds.',
      resolve: (action) => ('url' in action ? action.url : null),
    }),
  }),
})

readableWith('StageAction', 'sequences:read')

export const StageObject = builder.prismaObject('SequenceStage', {
  description: 'One step of a sequence: an e-mail, a text message or an action.',
  interfaces: [Node],
  fields: (t) => ({
    step: t.exposeInt('step', { description: 'Position in the sequence. The first is 1.' }),
    name: t.exposeString('name', { description: 'Name of the stage. Maximum 255 characters.' }),
    stageType: t.expose('stageType', { type: StageTypeEnum, description: 'Type of the stage. It cannot be changed.' }),
    timeValue: t.exposeInt('timeValue', {
      description: 'Delay after the previous stage, or before the anchor date, in units of `timeType`.',
    }),
    timeType: t.field({
      type: DelayUnit,
      description: 'The unit of `timeValue`.',
      resolve: ({ timeType }) => timeType as never,
    }),
    active: t.exposeBoolean('active', {
      description: 'Whether the stage runs. Inactive stages are skipped.',
    }),
    email: t.node('emailId', {
      type: EmailType,
      description: 'The e-mail that the stage sends. Null unless `stageType` is SEND_EMAIL.',
    }),
    smsText: t.exposeString('smsText', {
      nullable: true,
      description: 'The text message that the stage sends. Null until it is set, and for other types.',
    }),
    action: t.field({
      type: StageActionObject,
      nullable: true,
      description: 'The action that the stage runs. Null until it is set, and for other types.',
      resolve: ({ action }) => action as StageAction | null,
    }),
    frequencyCapAction: t.expose('frequencyCapAction', {
      type: HoldActionType,
      description: `${holdTexts.frequencyCapAction} Only e-mails are counted and held back.`,
    }),
    quietHoursAction: t.expose('quietHoursAction', {
      type: HoldActionType,
      description: `${holdTexts.quietHoursAction} Only e-mails are held back.`,
    }),
    sequence: t.node('sequenceId', {
      type: SequenceObject,
      description: 'The sequence of the stage. Null if it was deleted concurrently.',
    }),
    stats: t.field({
      type: MailStatsType,
      description: 'Delivery, open and click statistics of the messages of the stage.',
      resolve: (stage, _args, ctx) => stages.figuresOf(ctx, stage),
    }),
    links: t.field({
      type: [LinkStatsType],
      ...linksOptions,
      resolve: (stage, _args, ctx) => links.linksOfStage(ctx, stage),
    }),
    check: t.field({
      type: EmailCheckType,
      nullable: true,
      description:
        'Checks the e-mail of the stage. Without subject or body, the stage cannot be activated. Null unless `stageType` is SEND_EMAIL.',
      complexity: checkCost,
      resolve: ({ emailId }, _args, ctx) => (emailId === null ? null : emailChecks.checkEmail(ctx, emailId)),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the stage or its e-mail.' }),
  }),
})

nodeSource(StageObject, 'sequences:read', stages.byId)

builder.prismaObjectFields('Sequence', (t) => ({
  stages: t.field({
    type: [StageObject],
    nullable: true,
    description: `The stages of the sequence, ordered by \`step\`. Maximum ${stages.maxStages}.`,
    complexity: listCost('stages'),
    resolve: ({ id }, _args, ctx) => ctx.load(stagesOf, id),
  }),
  stagesCount: t.int({
    description: 'Number of stages, including inactive ones.',
    resolve: async ({ id }, _args, ctx) => (await ctx.load(stages.countOf, id)) ?? 0,
  }),
}))

builder.prismaObjectField(RecipientType, 'stage', (t) =>
  t.node('stageId', {
    type: StageObject,
    description: 'Stage of the sequence that sends the message. Null for a campaign, or if the stage was deleted.',
  }),
)

builder.queryField('sequenceStage', (t) =>
  t.nodeById({
    type: StageObject,
    description: 'Returns a stage of a sequence. Null if the account has no stage with this id.',
  }),
)

const StageActionInput = builder.inputType('StageActionInput', {
  description: 'The action of a stage. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    addTagId: t.id({ description: `Adds a tag to the contact. ${idText('the tag')}` }),
    removeTagId: t.id({ description: `Removes a tag from the contact. ${idText('the tag')}` }),
    addSequenceId: t.id({ description: `Enrols the contact in a sequence. ${idText('the sequence')}` }),
    removeSequenceId: t.id({ description: `Removes the contact from a sequence. ${idText('the sequence')}` }),
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
    description: `The action of an ACTION stage. ${scopeText('contacts:write', 'if it changes tags or unsubscribes')}`,
  }),
  ...holdInput(t, 'WAIT'),
})

/** Actions that change contacts need the scope for it. */
const alsoNeeds = ({ action }: { action?: ActionInput | null | undefined }) => [
  action && (action.addTagId ?? action.removeTagId ?? action.unsubscribe) != null ? ('contacts:write' as const) : null,
]

mutation('sequenceStageCreate', {
  needs: 'sequences:write',
  alsoNeeds,
  description:
    'Creates an inactive stage at the end of a sequence. A SEND_EMAIL stage gets an empty e-mail; set it with `sequenceStageContentSet`.',
  input: (t) => ({
    sequenceId: t.id(requiredId('the sequence')),
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
    id: t.id(requiredId('the stage')),
    name: t.string({ description: 'Name of the stage. Maximum 255 characters.' }),
    step: t.int({ description: 'New position in the sequence. The first is 1.' }),
    active: t.boolean({ description: 'Whether the stage runs. Inactive stages are skipped.' }),
    ...stageSettings(t),
  }),
  run: stages.update,
  lock: stages.lockOne,
  outside: 'preparation',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage after the change.' }),
  }),
})

mutation('sequenceStagesActiveSet', {
  needs: 'sequences:write',
  description:
    'Activates or deactivates all stages of a sequence: all of them, or none if one is incomplete (`sequenceStageUpdate`). Active enrolments are replanned once, in the background if there are more than 5,000. `Sequence.activation` returns before what contacts would get. Stages that are already as required do not change.',
  input: (t) => ({
    sequenceId: t.id(requiredId('the sequence')),
    active: t.boolean({ required: true, description: 'Whether the stages run.' }),
  }),
  run: stages.updateAll,
  payload: (t) => ({
    sequence: t.expose('sequence', { type: SequenceObject, description: 'The sequence of the stages.' }),
  }),
})

mutation('sequenceStageDelete', {
  needs: 'sequences:write',
  description:
    'Deletes a stage. The later stages move up, and all active enrolments of the sequence are replanned, in the background if there are more than 5,000 (`sequenceStageUpdate`).',
  input: (t) => ({ id: t.id(requiredId('the stage')) }),
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
    id: t.id(requiredId('the stage')),
    ...emailBody(t),
    ...emailDetails(t),
    ...emailTopic(t),
  }),
  run: stages.setContent,
  lock: stages.lockOne,
  outside: 'preparation',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage after the change.' }),
    email: t.expose('email', { type: EmailType, description: 'The e-mail of the stage after the change.' }),
  }),
})
