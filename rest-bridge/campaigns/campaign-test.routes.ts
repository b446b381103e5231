import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import { CampaignTestDocument } from '../generated/documents.ts'
import { emailText, id } from '../input/input.ts'

const testCampaign = route('POST /v1/campaign-test', CampaignTestDocument, {
  id: 'CAM-TEST',
  scopes: ['campaigns:write'],
  group: 'Campaigns',
  summary: 'Send a test of a campaign to one address',
  description:
    'Allowed in every status of the campaign. The subject starts with `[Test]`. A test is not counted in statistics or quotas. An account can send 100 tests per day; then the endpoint returns FORBIDDEN.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'campaign',
  fieldNames: { id: 'campaign_id', emails: 'email' },
  body: z.object({ campaign_id: id, email: emailText }),
  variables: ({ body }) => ({ input: { id: body.campaign_id, emails: [body.email] } }),
  reply: one(z.strictObject({ id: z.int(), sent: z.literal(true) }), ({ campaignTest }) => ({
    id: campaignTest.campaignDatabaseId,
    sent: true as const,
  })),
})

/** Test sending, an addition to the specification. */
export const campaignTestRoutes = [testCampaign]
