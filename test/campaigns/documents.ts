import type { World } from '../support/world.ts'

const shown = `campaign { id databaseId name subject fromName fromEmail status errorCode scheduledFor scheduledForLocal
  recipientsCount sentTo sentAt audience { sendToAll } }`

export const CampaignCreate = `mutation ($input: CampaignCreateInput!) { campaignCreate(input: $input) { ${shown} } }`
export const CampaignUpdate = `mutation ($input: CampaignUpdateInput!) { campaignUpdate(input: $input) { ${shown} } }`
export const CampaignContentSet = `mutation ($input: CampaignContentSetInput!) {
  campaignContentSet(input: $input) { campaign { id email { html text } } } }`
export const CampaignSchedule = `mutation ($input: CampaignScheduleInput!) { campaignSchedule(input: $input) { ${shown} } }`
export const CampaignUnschedule = `mutation ($input: CampaignUnscheduleInput!) {
  campaignUnschedule(input: $input) { ${shown} } }`
export const CampaignSend = `mutation ($input: CampaignSendInput!) { campaignSend(input: $input) { ${shown} } }`
export const CampaignDelete =
  'mutation ($input: CampaignDeleteInput!) { campaignDelete(input: $input) { deletedCampaignId } }'
export const CampaignRead = `query ($id: ID!) { campaign(id: $id) { id status errorCode scheduledFor scheduledForLocal
  recipientsCount sentTo audience { total optIn sendToAll } recipients { totalCount nodes { state contact { email } } } } }`
export const AudienceRead = `query ($filter: ContactFilterInput, $lists: AudienceListsInput) {
  audience(filter: $filter, lists: $lists) { total optIn contacts(first: 100) { totalCount nodes { databaseId } } } }`

/** Creates a campaign that is complete except for its audience. `input` overrides its fields. */
export async function draft(
  world: World,
  input: Record<string, unknown> = {},
): Promise<{ id: string; databaseId: number }> {
  const all = { name: 'News', subject: 'Hello', preheader: 'News', fromEmail: 'ada@example.com', ...input }
  const { campaign } = (await world.run(CampaignCreate, { input: all })).campaignCreate
  await world.run(CampaignContentSet, { input: { id: campaign.id, html: '<p>Hello</p>' } })
  return campaign
}

/** A time in the far future. */
export const later = '2099-12-24 18:00'
