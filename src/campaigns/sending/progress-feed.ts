import { progressOf } from '../../events/index.ts'
import { campaignTable } from '../definition/campaign-list.ts'

/** The events after which the sending of a campaign can be over. */
const ends = ['campaign.sent', 'campaign.error', 'campaign.deleted'] as const

/** The events after which the status or the counts of a campaign have changed. */
const changes = [
  ...ends,
  'campaign.updated',
  'campaign.scheduled',
  'campaign.unscheduled',
  'campaign.sending',
  'email.sent',
  'email.bounced',
] as const

/** Follows the status and the counts of a campaign until it is SENT or in ERROR, or deleted. **Throws** as `progressOf` says. */
export const follow = progressOf({
  table: campaignTable,
  type: 'Campaign',
  field: 'campaignId',
  needs: 'campaigns:read',
  changes,
  ends,
  over: ['SENT', 'ERROR'],
})
