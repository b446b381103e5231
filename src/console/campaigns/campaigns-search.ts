/** Statuses that the list of campaigns can be restricted to. */
export const campaignStatuses = [
  { value: 'DRAFT', label: 'Drafts' },
  { value: 'SCHEDULED', label: 'Scheduled' },
  { value: 'SENDING', label: 'Sending' },
  { value: 'SENT', label: 'Sent' },
] as const

/** What the address of the list of campaigns contains. */
export interface CampaignsSearch {
  readonly status?: (typeof campaignStatuses)[number]['value']
  readonly after?: string
}

/** Reads the address of the list. Ignores what is not valid. */
export function readCampaignsSearch({ status, after }: Record<string, unknown>): CampaignsSearch {
  const known = campaignStatuses.find(({ value }) => value === status)
  return { ...(known && { status: known.value }), ...(typeof after === 'string' && { after }) }
}
