import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { CampaignQueryVariables } from '../generated/campaigns.documents.ts'

type RecipientFilter = NonNullable<CampaignQueryVariables['shown']>

/** The lists of a report, with the filter of their messages and the condition of contacts that finds the same people. */
export const recipientLists = {
  sent: {
    label: msg`Sent`,
    empty: msg`No message: sent.`,
    filter: { sentAt: { exists: true } },
    condition: 'campaignsSent',
  },
  opened: {
    label: msg`Opened`,
    empty: msg`No message: opened.`,
    filter: { openedAt: { exists: true } },
    condition: 'campaignsOpened',
  },
  clicked: {
    label: msg`Clicked`,
    empty: msg`No message: clicked.`,
    filter: { clickedAt: { exists: true } },
    condition: 'campaignsClicked',
  },
  unsubscribed: {
    label: msg`Unsubscribed`,
    empty: msg`No message: unsubscribed.`,
    filter: { unsubscribedAt: { exists: true } },
    condition: undefined,
  },
  bounced: {
    label: msg`Bounced`,
    empty: msg`No message: bounced.`,
    filter: { state: ['BOUNCED'] },
    condition: undefined,
  },
  failed: {
    label: msg`Failed`,
    empty: msg`No message: failed.`,
    filter: { state: ['FAILED', 'UNKNOWN'] },
    condition: undefined,
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      label: MessageDescriptor
      empty: MessageDescriptor
      filter: RecipientFilter
      condition: `campaigns${string}` | undefined
    }
  >
>

export type RecipientListName = keyof typeof recipientLists

/** The steps in which a campaign is written, and the buttons that lead to them. */
export const campaignSteps = {
  audience: { label: msg`Audience`, next: msg`Next: audience` },
  content: { label: msg`Content`, next: msg`Next: content` },
  review: { label: msg`Review`, next: msg`Next: review` },
}
export type CampaignStep = keyof typeof campaignSteps

/** What the address of a campaign contains: the step of its editor, and which messages its report lists. */
interface CampaignSearch {
  readonly show?: RecipientListName
  readonly step?: CampaignStep
}

/** Reads the address of a campaign. */
export function readCampaignSearch({ show, step }: Record<string, unknown>): CampaignSearch {
  return {
    ...(typeof show === 'string' && show in recipientLists && { show: show as RecipientListName }),
    ...(typeof step === 'string' && step in campaignSteps && { step: step as CampaignStep }),
  }
}
