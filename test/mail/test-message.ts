import type { World } from '../support/world.ts'

/** Sends test messages of a campaign. */
export const CampaignTest =
  'mutation ($input: CampaignTestInput!) { campaignTest(input: $input) { campaign { id status } results { email state answer error } } }'

/** The content of a message with merge fields and a link. */
export const greeting = '<p>Hi {{FIRST_NAME:there}}, <a href="https://shop.example/?e={{EMAIL}}">shop</a></p>'

/** Creates a campaign with a content. */
export async function campaignOf(world: World, html: string, subject = 'News for {{FIRST_NAME}}') {
  const campaign = await world.campaign({ subject, fromEmail: 'ada@example.com' })
  const set = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
  await world.run(set, { input: { id: campaign.id, html } })
  return campaign
}
