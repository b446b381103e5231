import { idText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { testMessages } from '../../mail/index.ts'
import { CampaignType } from '../definition/campaign.schema.ts'
import * as testMessage from './test-message.ts'

mutation('campaignTest', {
  needs: 'campaigns:write',
  description: `Sends a campaign's e-mail to one address immediately, as a test. Its subject starts with \`[Test]\`, its opens and clicks are not counted, and its unsubscribe link has no effect. Maximum ${testMessages.maxTestMessagesPerDay} tests a day for campaigns and sequence stages together.`,
  input: (t) => ({
    id: t.id(requiredId('the campaign')),
    email: t.string({ required: true, description: 'The e-mail address to send the test to.' }),
    contactId: t.id({
      description: `${idText('the contact whose data fills the merge fields')} Defaults to a sample contact. ${scopeText('contacts:read')}`,
    }),
  }),
  run: testMessage.send,
  outside: 'effect',
  payload: (t) => ({
    campaign: t.expose('campaign', { type: CampaignType, description: 'The campaign whose e-mail was sent.' }),
    answer: t.exposeString('answer', { description: 'Reply of the mail server, such as `250 OK`.' }),
  }),
})
