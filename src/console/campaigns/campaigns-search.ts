import { t } from '@lingui/core/macro'
import { type PageSearch, readPage } from '../shared/tables/use-page.ts'

/** Statuses that the list of campaigns can be restricted to. */
export const campaignStatuses = () =>
  [
    { value: 'DRAFT', label: t`Drafts` },
    { value: 'SCHEDULED', label: t`Scheduled` },
    { value: 'SENDING', label: t`Sending` },
    { value: 'SENT', label: t`Sent` },
  ] as const

/** What the address of the list of campaigns contains. */
export interface CampaignsSearch extends PageSearch {
  readonly status?: ReturnType<typeof campaignStatuses>[number]['value']
}

/** Reads the address of the list. Ignores what is not valid. */
export function readCampaignsSearch(search: Record<string, unknown>): CampaignsSearch {
  const known = campaignStatuses().find(({ value }) => value === search['status'])
  return { ...(known && { status: known.value }), ...readPage(search) }
}
