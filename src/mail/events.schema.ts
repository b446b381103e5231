import { contactFields } from '../contacts/events.schema.ts'
import { ContactType } from '../contacts/people/contact.schema.ts'
import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { globalId } from '../kernel/values/ids.ts'
import { DkimKeyType } from './domains/dkim-key.schema.ts'
import { SenderDomainType } from './domains/sender-domain.schema.ts'
import { FailureCauseType } from './failures/failure-cause.schema.ts'
import { SenderProblemType } from './failures/sender-problem.schema.ts'
import { SuppressionType } from './suppressions/suppression.schema.ts'
import { EmailTemplateType } from './templates/account-template.schema.ts'

eventObject('EmailTemplateChangeEvent', 'A template was created, updated or deleted.', (t) =>
  resourceFields(t, 'emailTemplate', EmailTemplateType),
)

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

eventObject('SuppressionChangeEvent', 'An address was suppressed, or is no longer suppressed.', (t) => ({
  ...resourceFields(t, 'suppression', SuppressionType),
  ...resourceFields(t, 'contact', ContactType, 'if no contact has the address'),
}))

eventObject('SenderDomainChangeEvent', 'A sender domain was added, checked or removed.', (t) =>
  resourceFields(t, 'senderDomain', SenderDomainType),
)

eventObject('SenderProblemChangeEvent', 'A problem of the sender with a receiving domain began or ended.', (t) =>
  resourceFields(t, 'senderProblem', SenderProblemType),
)

eventObject('DkimKeyChangeEvent', 'A DKIM key was created, replaced or deleted.', (t) =>
  resourceFields(t, 'dkimKey', DkimKeyType),
)
