import { tags } from '../contacts/index.ts'
import { TagType } from '../contacts/tag.schema.ts'
import { builder } from '../graphql/builder.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { EmailType } from '../mail/content/email.schema.ts'
import { RecipientType } from '../mail/delivery/recipient.schema.ts'
import { links } from '../mail/index.ts'
import { LinkStatsType, linksOptions, MailStatsType } from '../mail/tracking/stats.schema.ts'
import * as enrolmentCounts from './enrolment-counts.ts'
import { stagesOf } from './progress.ts'
import { SequenceObject } from './sequence.schema.ts'
import * as sequences from './sequences.ts'
import type { StageAction } from './stage-action.ts'
import * as stages from './stages.ts'

export const StageTypeEnum = builder.enumType('SequenceStageType', {
  description: 'What a stage of a sequence does.',
  values: {
    SEND_EMAIL: { description: 'Sends the e-mail of the stage.' },
    SEND_SMS: { description: 'Sends `smsText` as a text message.' },
    ACTION: { description: 'Runs the action of the stage.' },
  },
})

export const DelayUnit = builder.enumType('DelayUnit', {
  description: "The unit of a stage's delay.",
  values: {
    HOURS: { value: stages.units.hours, description: 'Hours of 3,600 seconds.' },
    DAYS: { value: stages.units.days, description: 'Days of 86,400 seconds. Daylight saving has no effect.' },
    WEEKS: { value: stages.units.weeks, description: 'Weeks of 604,800 seconds.' },
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
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
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
    waiting: t.int({
      description:
        'Number of active enrolments whose next stage is this one, whether it is due or not. 0 for an inactive stage.',
      resolve: (stage, _args, ctx) => enrolmentCounts.waitingFor(ctx, stage),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
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
