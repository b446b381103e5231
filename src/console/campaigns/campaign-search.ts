import type { CampaignQueryVariables } from '../generated/campaigns.documents.ts'

type RecipientFilter = NonNullable<CampaignQueryVariables['shown']>

/** The lists of a report, with the filter of their messages and the condition of contacts that finds the same people. */
export const recipientLists = {
  sent: { label: 'Sent', filter: { sentAt: { exists: true } }, condition: 'campaignsSent' },
  opened: { label: 'Opened', filter: { openedAt: { exists: true } }, condition: 'campaignsOpened' },
  clicked: { label: 'Clicked', filter: { clickedAt: { exists: true } }, condition: 'campaignsClicked' },
  unsubscribed: { label: 'Unsubscribed', filter: { unsubscribedAt: { exists: true } }, condition: undefined },
  bounced: { label: 'Bounced', filter: { state: ['BOUNCED'] }, condition: undefined },
  failed: { label: 'Failed', filter: { state: ['FAILED', 'UNKNOWN'] }, condition: undefined },
} as const satisfies Readonly<
  Record<string, { label: string; filter: RecipientFilter; condition: `campaigns${string}` | undefined }>
>

export type RecipientListName = keyof typeof recipientLists

/** What the address of a campaign contains: which messages its report lists. */
interface CampaignSearch {
  readonly show?: RecipientListName
}

/** Reads the address of a campaign. */
export function readCampaignSearch({ show }: Record<string, unknown>): CampaignSearch {
  return typeof show === 'string' && show in recipientLists ? { show: show as RecipientListName } : {}
}
