import { asOfNow, mutation } from '../graphql/mutation.ts'
import { samples } from '../mail/index.ts'
import { CampaignType } from './campaign.schema.ts'
import { campaignList, testing } from './index.ts'

mutation('campaignTest', {
  needs: 'campaigns:write',
  description: `Sends a campaign's e-mail to one address at once, to be looked at: \`[Test]\` stands before its subject, nothing is counted, and its unsubscribe link unsubscribes nobody. ${samples.mostTestsADay} a day at most, stages among them.`,
  input: (t) => ({
    id: t.id({ required: true, description: 'The campaign, by global id or integer.' }),
    email: t.string({ required: true, description: 'Whom to send it to.' }),
    contactId: t.id({
      description:
        'As whom to write it, by global id or integer; someone made up where absent. Takes the scope `contacts:read`.',
    }),
  }),
  run: testing.test,
  timeoutMs: samples.longestTest,
  payload: (t) => ({
    campaign: t.field({
      type: CampaignType,
      description: 'The campaign.',
      resolve: asOfNow(campaignList.byId, ({ campaign }) => campaign),
    }),
    answer: t.exposeString('answer', { description: 'What the mail server said.' }),
  }),
})
