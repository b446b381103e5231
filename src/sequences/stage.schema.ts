import { tags } from '../contacts/index.ts'
import { TagType } from '../contacts/tag.schema.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { EmailType } from '../mail/content/email.schema.ts'
import { emails } from '../mail/index.ts'
import { MailStatsType } from '../mail/tracking/stats.schema.ts'
import { type StageAction, sequences, stages, stagesOf } from './index.ts'
import { SequenceObject } from './sequence.schema.ts'

export const StageTypeType = builder.enumType('SequenceStageType', {
  description: 'What a stage of a sequence does.',
  values: {
    SEND_EMAIL: { description: 'It sends the e-mail that is linked to it.' },
    SEND_SMS: { description: 'It sends a text message.' },
    ACTION: { description: 'It does something with the contact.' },
  },
})

export const DelayUnit = builder.enumType('DelayUnit', {
  description: "The unit of a stage's delay.",
  values: {
    HOURS: { value: stages.units.hours, description: 'Hours of 3,600 seconds.' },
    DAYS: { value: stages.units.days, description: 'Days of 86,400 seconds, whatever the clocks do.' },
    WEEKS: { value: stages.units.weeks, description: 'Weeks of 604,800 seconds.' },
  },
})

export const ActionKindType = builder.enumType('StageActionKind', {
  description: 'What an action stage can do with the contact that reaches it.',
  values: {
    ADD_TAG: { description: 'It gives the contact a tag.' },
    REMOVE_TAG: { description: 'It takes a tag from the contact.' },
    ENROL: { description: 'It enrols the contact in a sequence.' },
    UNENROL: { description: 'It takes the contact out of a sequence.' },
    UNSUBSCRIBE: { description: 'It takes the contact out of all e-mail marketing and all sequences.' },
    WEBHOOK: { description: 'It tells a web address that the contact has come here.' },
  },
})

const StageActionObject = builder.objectRef<StageAction>('StageAction').implement({
  description: 'What an action stage does.',
  fields: (t) => ({
    kind: t.field({ type: ActionKindType, description: 'What it does.', resolve: ({ kind }) => kind }),
    tag: t.field({
      type: TagType,
      nullable: true,
      description: needing(
        'contacts:read',
        'The tag it gives or takes; null where it is about none, or the tag is gone.',
      ),
      resolve: allowed('contacts:read', (action, _args, ctx) =>
        'tagId' in action ? ctx.load(tags.byId, action.tagId) : null,
      ),
    }),
    sequence: t.field({
      type: SequenceObject,
      nullable: true,
      description: 'The sequence it enrols in or takes out of; null where it is about none, or the sequence is gone.',
      resolve: (action, _args, ctx) => ('sequenceId' in action ? ctx.load(sequences.byId, action.sequenceId) : null),
    }),
    url: t.string({
      nullable: true,
      description: 'The address it calls; null where it calls none.',
      resolve: (action) => ('url' in action ? action.url : null),
    }),
  }),
})

readableWith('StageAction', 'sequences:read')

export const StageObject = builder.prismaObject('SequenceStage', {
  description: 'A step of a sequence.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    step: t.exposeInt('step', { description: 'Its place in the sequence; the first is 1.' }),
    name: t.exposeString('name', { description: 'What it is called: 255 characters at most.' }),
    stageType: t.expose('stageType', { type: StageTypeType, description: 'What it does.' }),
    timeValue: t.exposeInt('timeValue', {
      description: 'How long after the stage before it, or before the anchor date.',
    }),
    timeType: t.field({
      type: DelayUnit,
      description: 'The unit of `timeValue`.',
      resolve: ({ timeType }) => timeType as never,
    }),
    active: t.exposeBoolean('active', {
      description: 'Whether contacts that come to it get it; else it is passed over.',
    }),
    email: t.field({
      type: EmailType,
      nullable: true,
      description: 'The e-mail that it sends; null for a stage that sends none.',
      resolve: ({ emailId }, _args, ctx) => (emailId === null ? null : ctx.load(emails.byId, emailId)),
    }),
    smsText: t.exposeString('smsText', { nullable: true, description: 'The text message that it sends, if any.' }),
    action: t.field({
      type: StageActionObject,
      nullable: true,
      description: 'What an action stage does; null where it is not set yet, or the stage is of another type.',
      resolve: ({ action }) => action as StageAction | null,
    }),
    sequence: t.field({
      type: SequenceObject,
      nullable: true,
      description: 'The sequence it belongs to; null where that was deleted in this very moment.',
      resolve: ({ sequenceId }, _args, ctx) => ctx.load(sequences.byId, sequenceId),
    }),
    stats: t.field({
      type: MailStatsType,
      description: 'What became of the messages it has sent.',
      resolve: (stage, _args, ctx) => stages.figuresOf(ctx, stage),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
  }),
})

nodeSource('SequenceStage', 'sequences:read', stages.byId)

builder.prismaObjectFields('Sequence', (t) => ({
  stages: t.field({
    type: [StageObject],
    nullable: true,
    description: needing('sequences:read', `Its stages, in the order of their steps: ${stages.mostStages} at most.`),
    complexity: listCost('stages'),
    resolve: allowed('sequences:read', ({ id }, _args, ctx) => ctx.load(stagesOf, id)),
  }),
  stagesCount: t.int({
    description: 'How many stages it has.',
    resolve: async ({ id }, _args, ctx) => (await ctx.load(stages.countOf, id)) ?? 0,
  }),
}))

builder.queryField('sequenceStage', (t) =>
  t.field({
    type: StageObject,
    nullable: true,
    description: needing('sequences:read', 'A stage of a sequence, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The stage, by global id or integer.' }) },
    resolve: allowed('sequences:read', (_root, { id }, ctx) => ctx.load(stages.byId, idOf('SequenceStage', id))),
  }),
)
