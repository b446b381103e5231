import type { HoldAction } from '../../../prisma/generated/client/client.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { filterKind } from '../../graphql/schema/filter.ts'
import type { InputBuilder } from '../../graphql/schema/mutation.ts'
import type { HeldCounts } from './held-counts.ts'
import type { DelayReason, SkipReason } from './recipients.ts'

export const SkipReasonType = builder.enumType('SkipReason', {
  description: 'Why a message is not sent.',
  values: {
    CAMPAIGN_CANCELLED: { description: 'The campaign was cancelled before the message was sent.' },
    ENROLMENT_ENDED: { description: 'The enrolment ended or left the stage before the message was sent.' },
    CONSENT_WITHDRAWN: { description: 'The contact does not accept e-mail marketing any more.' },
    ADDRESS_SUPPRESSED: { description: 'The e-mail address is suppressed. See `Contact.suppression`.' },
    CONTACT_DELETED: {
      description: 'The contact was deleted, or merged with another one that has a message of the campaign.',
    },
    EMAIL_DELETED: { description: 'The e-mail was deleted before the message was sent.' },
    FREQUENCY_CAP: { description: 'The contact had the maximum number of messages (`Account.frequencyCap`).' },
    QUIET_HOURS: { description: 'The message was due in the quiet hours (`Account.quietHours`).' },
    DAY_OFF: { description: 'The message was due on a day off (`Account.daysOff`).' },
    NOT_IN_TOPIC: { description: 'The contact left the topic of the e-mail, or did not join it.' },
  } satisfies Record<SkipReason, { description: string }>,
})

export const DelayReasonType = builder.enumType('DelayReason', {
  description: 'Why a message waits.',
  values: {
    FREQUENCY_CAP: { description: 'The contact had the maximum number of messages (`Account.frequencyCap`).' },
    QUIET_HOURS: { description: 'The message was due in the quiet hours (`Account.quietHours`).' },
    DAY_OFF: { description: 'The message was due on a day off (`Account.daysOff`).' },
    SEND_WINDOW: { description: 'The message was due outside of the window of its campaign (`Campaign.sendWindow`).' },
    LOCAL_TIME: { description: 'The campaign is sent at a local time of each contact (`Campaign.localTime`).' },
    SPREAD: { description: 'The campaign is sent over several hours (`Campaign.spreadHours`).' },
  } satisfies Record<DelayReason, { description: string }>,
})

filterKind('enum SkipReason', [SkipReasonType])
filterKind('enum DelayReason', [DelayReasonType])

export const SkipCountType = builder.objectRef<HeldCounts['skips'][number]>('SkipCount').implement({
  description: 'The messages that are not sent for one reason.',
  fields: (t) => ({
    reason: t.expose('reason', { type: SkipReasonType, description: 'Why they are not sent.' }),
    count: t.exposeInt('count', { description: 'Number of messages.' }),
  }),
})

export const DelayCountType = builder.objectRef<HeldCounts['delays'][number]>('DelayCount').implement({
  description: 'The messages that wait for one reason.',
  fields: (t) => ({
    reason: t.expose('reason', { type: DelayReasonType, description: 'Why they wait.' }),
    count: t.exposeInt('count', { description: 'Number of messages.' }),
  }),
})

export const HoldActionType = builder.enumType('HoldAction', {
  description: 'What happens to a message that a rule of the account holds back.',
  values: {
    WAIT: { description: 'It is sent as soon as the rule allows it.' },
    SKIP: { description: 'It is not sent.' },
  } satisfies Record<HoldAction, { description: string }>,
})

/** The descriptions of the two actions of a campaign or a stage. */
export const holdTexts = {
  frequencyCapAction:
    'What happens to a message to a contact that had the maximum number of messages (`Account.frequencyCap`).',
  quietHoursAction:
    'What happens to a message that is due in the quiet hours or on a day off (`Account.quietHours`, `Account.daysOff`).',
}

/** The fields of an input that sets them. */
export const holdInput = (t: InputBuilder, onCap: HoldAction) => ({
  frequencyCapAction: t.field({
    type: HoldActionType,
    description: `${holdTexts.frequencyCapAction} Defaults to ${onCap}.`,
  }),
  quietHoursAction: t.field({ type: HoldActionType, description: `${holdTexts.quietHoursAction} Defaults to WAIT.` }),
})
