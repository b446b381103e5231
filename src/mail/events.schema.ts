import { contactFields } from '../contacts/events.schema.ts'
import { eventObject } from '../events/feed/event-object.schema.ts'
import { globalId } from '../kernel/values/ids.ts'
import { FailureCauseType } from './failures/failure-cause.schema.ts'

export const MessageEvent = eventObject(
  'MessageEvent',
  'An event of a message that a campaign or a sequence stage sent.',
  (t) => ({
    ...contactFields(t),
    campaignId: t.id({
      nullable: true,
      description: 'Global ID of the campaign that sent the message; null if a sequence sent it.',
      resolve: ({ data: { campaignId } }) => (campaignId === null ? null : globalId('Campaign', campaignId)),
    }),
    stageId: t.id({
      nullable: true,
      description: 'Global ID of the sequence stage that sent the message; null if a campaign sent it.',
      resolve: ({ data: { stageId } }) => (stageId === null ? null : globalId('SequenceStage', stageId)),
    }),
    cause: t.field({
      type: FailureCauseType,
      nullable: true,
      description: 'Why the message bounced; null for other events.',
      resolve: ({ data }) => ('cause' in data ? data.cause : null),
    }),
    url: t.string({
      nullable: true,
      description: 'URL that was clicked; null for events other than clicks.',
      resolve: ({ data }) => ('url' in data ? data.url : null),
    }),
  }),
)
