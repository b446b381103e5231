import * as z from 'zod'
import { CampaignTestDocument } from '../generated/documents.ts'
import { emailText, id } from '../input.ts'
import { one, route } from '../route.ts'

const testCampaign = route(CampaignTestDocument, {
  id: 'CAM-TEST',
  method: 'POST',
  path: '/v1/campaign-test',
  needs: ['campaigns:write'],
  group: 'Campaigns',
  summary: 'Send a campaign to one address, to be looked at',
  description:
    'Whatever its status; `[Test]` stands before the subject, and nothing is counted. 100 a day at most (FORBIDDEN).',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'campaign',
  names: { id: 'campaign_id' },
  body: z.object({ campaign_id: id, email: emailText }),
  variables: ({ body }) => ({ input: { id: body.campaign_id, email: body.email } }),
  reply: one(z.strictObject({ id: z.int(), sent: z.literal(true) }), ({ campaignTest }) => ({
    id: campaignTest.campaignDatabaseId,
    sent: true as const,
  })),
})

/** What the specification leaves out of its campaigns: looking at one before it is sent. */
export const campaignTestRoutes = [testCampaign]
