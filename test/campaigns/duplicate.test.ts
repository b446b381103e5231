import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const fields = `id name status sendToAll: audience { filter } subject fromName fromEmail recipientsCount sentTo scheduledFor
  email { id html text }`
const Read = `query ($id: ID!) { campaign(id: $id) { ${fields} } }`
const Duplicate = `mutation ($input: CampaignDuplicateInput!) { campaignDuplicate(input: $input) { campaign { ${fields} } } }`

describe('campaignDuplicate', () => {
  it('creates a draft with the e-mail and the audience', async () => {
    const world = await newWorld()
    const source = await world.campaign({ name: 'Spring', audience: { filter: { city: { eq: 'Paris' } } } })
    await world.run(
      'mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-01-01 10:00" }) { campaign { id } } }',
      source,
    )
    const before = (await world.run(Read, source)).campaign
    const { campaign } = (await world.run(Duplicate, { input: { id: source.id } })).campaignDuplicate
    expect(campaign).toEqual({
      ...before,
      ...{ id: expect.any(String), name: 'Copy of Spring', status: 'DRAFT', scheduledFor: null },
      email: { ...before.email, id: expect.any(String) },
    })
    expect(campaign.email.html).not.toBeNull()
    expect(new Set([campaign.id, before.id, campaign.email.id, before.email.id]).size).toBe(4)
    const named = (await world.run(Duplicate, { input: { id: campaign.id, name: 'Summer' } })).campaignDuplicate
    expect(named.campaign.name).toBe('Summer')
    expect((await world.run(Read, source)).campaign).toEqual(before)
  })

  it('shortens a long name, and returns NOT_FOUND, VALIDATION_ERROR and FORBIDDEN', async () => {
    const world = await newWorld()
    const source = await world.campaign({ name: 'x'.repeat(255) })
    const { campaign } = (await world.run(Duplicate, { input: { id: source.id } })).campaignDuplicate
    expect(campaign.name).toHaveLength(255)
    const codeOf = async (input: object, key?: string) =>
      (await world.fault(Duplicate, { input }, key ? { key } : {})).extensions.code
    const foreign = await (await world.other()).campaign()
    expect(await codeOf({ id: foreign.id })).toBe('NOT_FOUND')
    expect(await codeOf({ id: source.id, name: '' })).toBe('VALIDATION_ERROR')
    expect(await codeOf({ id: source.id }, await world.key({ scopes: ['campaigns:read'] }))).toBe('FORBIDDEN')
  })
})
