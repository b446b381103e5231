import { describe, expect, it } from 'vitest'
import { storedMedia } from '../content/stored.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { documentOf } from './content.ts'
import { newMailWorld } from './reading.ts'
import { newRelay } from './relay.ts'
import { newSender } from './sending.ts'
import { newSink } from './sink.ts'

const Test = `mutation ($id: ID!, $emails: [String!]! = ["me@example.com"]) {
  campaignTest(input: { id: $id, emails: $emails }) { campaign { id email { id testedAt updatedAt } } } }`
const Read = 'query ($id: ID!) { campaign(id: $id) { updatedAt email { testedAt updatedAt } } }'
const Update = 'mutation ($input: CampaignUpdateInput!) { campaignUpdate(input: $input) { campaign { id } } }'
const Content = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'

const read = async (world: World, id: string) => (await world.run(Read, { id })).campaign
const testedAt = async (world: World, id: string): Promise<string | null> => (await read(world, id)).email.testedAt
const isTested = async (world: World, id: string) => (await testedAt(world, id)) !== null

async function newCampaign(world: World) {
  const { id } = await world.campaign({
    subject: 'Hi',
    preheader: 'Hello',
    fromName: 'Ada',
    fromEmail: 'ada@example.com',
  })
  await world.run(Content, { input: { id, html: '<p>Hi</p>', text: 'Hi' } })
  return id
}

describe('the time of the last test', () => {
  it('is set by a test, which changes nothing else that is announced', async () => {
    const { world } = await newMailWorld()
    const id = await newCampaign(world)
    const before = await read(world, id)
    expect(before.email.testedAt).toBeNull()
    const announced = (await world.announced('*')).length
    const { campaignTest } = await world.run(Test, { id })
    const { email, updatedAt } = await read(world, id)
    expect(Date.parse(email.testedAt)).toBeGreaterThanOrEqual(Date.parse(before.email.updatedAt))
    expect(campaignTest.campaign.email).toMatchObject({ testedAt: email.testedAt, updatedAt: before.email.updatedAt })
    expect([updatedAt, email.updatedAt]).toEqual([before.updatedAt, before.email.updatedAt])
    expect(await world.announced('*')).toHaveLength(announced)
    await world.run(Update, { input: { id, subject: 'Hi', expectedUpdatedAt: before.updatedAt } })
    await world.run(Test, { id })
    expect(Date.parse((await testedAt(world, id)) as string)).toBeGreaterThan(Date.parse(email.testedAt))
  })

  it('is set if one of several addresses was refused, and not if all were', async () => {
    const relay = await newRelay({ rcpt: (to) => (to.startsWith('no') ? '550 5.1.1 no such user' : undefined) })
    const world = await newWorld({ server: await newSender(relay.url) })
    const id = await newCampaign(world)
    await world.fault(Test, { id, emails: ['no@example.com'] })
    expect(await isTested(world, id)).toBe(false)
    await world.run(Test, { id, emails: ['no@example.com', 'me@example.com'] })
    expect(await isTested(world, id)).toBe(true)
  })

  it('is cleared by a change, and stays if the values are the same', async () => {
    const { world } = await newMailWorld()
    const id = await newCampaign(world)
    const changes: [string, object][] = [
      [Update, { subject: 'Hello' }],
      [Update, { preheader: 'Good morning' }],
      [Update, { fromName: 'Grace' }],
      [Update, { fromEmail: 'grace@example.com' }],
      [Update, { replyTo: 'answers@example.com' }],
      [Update, { language: 'en' }],
      [Update, { utm: { source: 'newsletter' } }],
      [Content, { html: '<p>Hello</p>' }],
      [Content, { content: documentOf({ type: 'footer' }) }],
    ]
    for (const [document, input] of changes) {
      await world.run(Test, { id })
      await world.run(document, { input: { id, ...input } })
      expect(await isTested(world, id), JSON.stringify(input)).toBe(false)
      if (document === Content) continue
      await world.run(Test, { id })
      await world.run(document, { input: { id, name: 'News', ...input } })
      expect(await isTested(world, id), `again ${JSON.stringify(input)}`).toBe(true)
    }
  })

  it('is cleared if a picture is replaced', async () => {
    const { world } = await newMailWorld()
    const id = await newCampaign(world)
    const [picture, other] = [await storedMedia(world), await storedMedia(world, 'other.png')]
    const { url } = (await world.run('query ($id: ID!) { mediaItem(id: $id) { url } }', picture)).mediaItem
    await world.run(Content, { input: { id, html: `<img src="${url}" alt="">` } })
    await world.run(Test, { id })
    const Replace =
      'mutation ($id: ID!, $with: ID) { mediaDelete(input: { id: $id, replaceWithId: $with }) { deletedMediaId } }'
    await world.run(Replace, { id: picture.id, with: other.id })
    expect(await isTested(world, id)).toBe(false)
  })

  it('is cleared if the brand changes the body', async () => {
    const { world } = await newMailWorld()
    const id = await newCampaign(world)
    await world.run(Content, { input: { id, content: documentOf({ type: 'footer' }) } })
    await world.run(Test, { id })
    await world.run('mutation { brandUpdate(input: { accentColor: "#123456" }) { brand { accentColor } } }')
    await until(async () => !(await isTested(world, id)))
  })

  it('is not set if the e-mail is changed while the test is sent', async () => {
    let change: () => Promise<unknown> = async () => undefined
    const sink = await newSink({ beforeAnswer: async () => void (await change()) })
    const world = await newWorld({ server: await newSender(sink.url) })
    const id = await newCampaign(world)
    change = () => world.run(Update, { input: { id, subject: 'Hello' } })
    const { campaignTest } = await world.run(Test, { id })
    expect(campaignTest.campaign.email.testedAt).toBeNull()
    change = async () => undefined
    await world.run(Test, { id })
    expect(await isTested(world, id)).toBe(true)
  })

  it('is that of a stage as well, and not of a copy', async () => {
    const { world } = await newMailWorld()
    const id = await newCampaign(world)
    await world.run(Test, { id })
    const Copy = 'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { email { testedAt } } } }'
    expect((await world.run(Copy, { id })).campaignDuplicate.campaign.email.testedAt).toBeNull()

    await world.run('mutation { accountUpdate(input: { senderEmail: "ada@example.com" }) { account { id } } }')
    const stage = await world.stage(await world.sequence(), { active: true })
    const StageTest = `mutation ($id: ID!) {
      sequenceStageTest(input: { id: $id, emails: ["me@example.com"] }) { stage { email { testedAt } } } }`
    const { sequenceStageTest } = await world.run(StageTest, { id: stage.id })
    expect(sequenceStageTest.stage.email.testedAt).not.toBeNull()
    const SetContent = `mutation ($input: SequenceStageContentSetInput!) {
      sequenceStageContentSet(input: $input) { email { testedAt } } }`
    const set = async (input: object) =>
      (await world.run(SetContent, { input: { id: stage.id, ...input } })).sequenceStageContentSet.email.testedAt
    expect(await set({ fromEmail: 'ada@example.com' })).not.toBeNull()
    expect(await set({ subject: 'Another' })).toBeNull()
  })
})
