import type { Filter } from '../../db/filters/filter.ts'
import type { LiveDefinition } from '../../events/index.ts'
import { type campaignFilter, campaigns } from './campaign-list.ts'

/** The live list of campaigns. The number of messages sent changes without an event of the campaign. */
export const liveCampaigns: LiveDefinition<Filter<(typeof campaignFilter)['fields']>> = {
  list: campaigns,
  needs: 'campaigns:read',
  subject: 'campaignId',
  changes: [
    'campaign.created',
    'campaign.updated',
    'campaign.deleted',
    'campaign.scheduled',
    'campaign.unscheduled',
    'campaign.sending',
    'campaign.sent',
    'campaign.error',
  ],
  fields: {
    id: 'row',
    name: 'row',
    subject: 'row',
    fromName: 'row',
    fromEmail: 'row',
    status: 'row',
    errorCode: 'row',
    recipientsCount: 'row',
    sentTo: null,
    scheduledFor: 'row',
    pausedAt: 'row',
    sentAt: 'row',
    createdAt: 'row',
    archivedAt: 'row',
    search: 'row',
  },
}
