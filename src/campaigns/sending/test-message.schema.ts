import { requiredId } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { resultsOptions, TestMessageResult, testRecipients, testText } from '../../mail/emails/test-messages.schema.ts'
import { CampaignType } from '../definition/campaign.schema.ts'
import * as testMessage from './test-message.ts'

mutation('campaignTest', {
  needs: 'campaigns:write',
  description: `Sends a campaign's e-mail to up to five addresses immediately, as a test. ${testText}`,
  input: (t) => ({ id: t.id(requiredId('the campaign')), ...testRecipients(t) }),
  run: testMessage.send,
  outside: 'effect',
  payload: (t) => ({
    campaign: t.expose('campaign', { type: CampaignType, description: 'The campaign whose e-mail was sent.' }),
    results: t.expose('results', { type: [TestMessageResult], nullable: true, ...resultsOptions }),
  }),
})
