import { declareEvents } from '../events/index.ts'

export const campaignEvents = {
  ...declareEvents(
    { kind: 'CampaignEvent', needs: 'campaigns:read', sample: { campaignId: 1 } },
    {
      'campaign.scheduled': 'A campaign was scheduled.',
      'campaign.unscheduled': 'The schedule of a campaign was cancelled.',
      'campaign.sending': 'The sending of a campaign started.',
      'campaign.sent': 'The sending of a campaign is complete.',
    },
  ),
  ...declareEvents(
    { kind: 'CampaignEvent', needs: 'campaigns:read', sample: { campaignId: 1, errorCode: 'NO_RECIPIENTS' } },
    { 'campaign.error': 'A campaign stopped because of an error.' },
  ),
  ...declareEvents(
    { kind: 'CampaignChangeEvent', needs: 'campaigns:read', sample: { campaignId: 1 }, isEdit: true },
    {
      'campaign.created': 'A campaign was created.',
      'campaign.updated':
        'The settings or the content of a campaign were updated, or it was paused, resumed, archived or restored, or all recipients of a large audience were added.',
      'campaign.deleted': 'A campaign was deleted.',
    },
  ),
}

type CampaignEvents = typeof campaignEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends CampaignEvents {}
}
