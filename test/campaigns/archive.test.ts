import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const fields = '{ campaign { id status archivedAt } }'
const Archive = `mutation ($id: ID!) { campaignArchive(input: { id: $id }) ${fields} }`
const Restore = `mutation ($id: ID!) { campaignRestore(input: { id: $id }) ${fields} }`
const Schedule = `mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-01-01 10:00" }) ${fields} }`
const Send = `mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) ${fields} }`
const SendUnknown = 'mutation ($id: ID!) { campaignSendUnknown(input: { id: $id }) { count } }'
const Check = 'query ($id: ID!) { campaignCheck(id: $id) { canSend } }'

const codeOf = async (world: World, document: string, campaign: { id: string }, key?: string) =>
  (await world.fault(document, { id: campaign.id }, key ? { key } : {})).extensions.code
const setStatus = (world: World, { databaseId }: { databaseId: number }, status: string) =>
  world.rows('UPDATE campaign SET status = $3::campaign_status WHERE account_id = $1 AND id = $2', [
    ...[world.accountId, databaseId, status],
  ])

describe('campaignArchive and campaignRestore', () => {
  it('keep an archived campaign from being scheduled and sent, but not from being changed, duplicated and deleted', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const campaign = await world.campaign()
    const archived = (await world.run(Archive, campaign)).campaignArchive.campaign
    expect(archived).toEqual({ id: campaign.id, status: 'DRAFT', archivedAt: expect.any(String) })
    for (const document of [Schedule, Send]) expect(await codeOf(world, document, campaign)).toBe('INVALID_STATE')
    expect((await world.run(Check, campaign)).campaignCheck).toBeNull()
    await world.run(
      'mutation ($id: ID!) { campaignUpdate(input: { id: $id, name: "changed" }) { campaign { id } } }',
      campaign,
    )
    const copy = `mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) ${fields} }`
    expect((await world.run(copy, campaign)).campaignDuplicate.campaign).toMatchObject({ archivedAt: null })

    expect((await world.run(Archive, campaign)).campaignArchive.campaign).toEqual(archived)
    expect((await world.run(Restore, campaign)).campaignRestore.campaign.archivedAt).toBeNull()
    await world.run(Restore, campaign)
    const updates = await world.announced('campaign.updated')
    expect(updates.filter(({ data }) => data['campaignId'] === campaign.databaseId)).toHaveLength(4)
    expect((await world.run(Send, campaign)).campaignSend.campaign.status).toBe('SENDING')

    const draft = await world.campaign()
    await world.run(Archive, draft)
    await world.run('mutation ($id: ID!) { campaignDelete(input: { id: $id }) { deletedCampaignId } }', draft)
  })

  it('archive a sent campaign, which is not sent again to recipients in state UNKNOWN', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    await setStatus(world, campaign, 'SENT')
    await world.run(Archive, campaign)
    expect(await codeOf(world, SendUnknown, campaign)).toBe('INVALID_STATE')
  })

  it('return CAMPAIGN_SCHEDULED, INVALID_STATE while it is being sent, NOT_FOUND and FORBIDDEN', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    await world.run(Schedule, campaign)
    expect(await codeOf(world, Archive, campaign)).toBe('CAMPAIGN_SCHEDULED')
    await setStatus(world, campaign, 'SENDING')
    expect(await codeOf(world, Archive, campaign)).toBe('INVALID_STATE')
    const foreign = await (await world.other()).campaign()
    const reader = await world.key({ scopes: ['campaigns:read'] })
    for (const document of [Archive, Restore]) {
      expect(await codeOf(world, document, foreign)).toBe('NOT_FOUND')
      expect(await codeOf(world, document, campaign, reader)).toBe('FORBIDDEN')
    }
  })

  it('filter the list, which contains both by default', async () => {
    const world = await newWorld()
    const kept = await world.campaign()
    const campaign = await world.campaign()
    await world.run(Archive, campaign)
    const idsOf = async (filter: object) => {
      const document = 'query ($filter: CampaignFilterInput) { campaigns(filter: $filter) { nodes { id } } }'
      return (await world.run(document, { filter })).campaigns.nodes.map(({ id }: { id: string }) => id)
    }
    expect(await idsOf({})).toEqual([campaign.id, kept.id])
    expect(await idsOf({ archivedAt: { exists: true } })).toEqual([campaign.id])
    expect(await idsOf({ archivedAt: { exists: false } })).toEqual([kept.id])
  })
})
