import { afterAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { assigned, newSender, newWebhook, whenWebhook } from './webhook-world.ts'

const usual = newSender()

afterAll(async () => {
  expect((await usual).errors).toEqual([])
})

const document = `subscription { events { type ... on CampaignChangeEvent {
  campaign { name email { html } again: email { html } } } } }`
const SetContent = `mutation ($id: ID!, $html: String!) {
  campaignContentSet(input: { id: $id, html: $html }) { campaign { id } } }`
const Rename = 'mutation ($id: ID!) { campaignUpdate(input: { id: $id, name: "renamed" }) { campaign { id } } }'

/** Creates a webhook that selects the HTML of a campaign, and returns the body of the message of its update. */
async function received(world: World, html: string, prepare: (webhookId: number) => Promise<unknown>) {
  const receiver = await newReceiver()
  const campaign = await world.campaign({ name: 'spring' })
  await world.run(SetContent, { id: campaign.id, html })
  await assigned(world)
  const { id, databaseId } = await newWebhook(world, receiver.url, { eventPatterns: ['campaign.updated'], document })
  await prepare(databaseId)
  await world.run(Rename, { id: campaign.id })
  const { deliveries } = await whenWebhook(world, id, (webhook) =>
    webhook.deliveries.nodes.some(({ status }: { status: string }) => status === 'DELIVERED'),
  )
  return deliveries.nodes.find(({ status }: { status: string }) => status === 'DELIVERED').body as string
}

describe('the body of a webhook message', () => {
  it('has at most 256 kB: the longest texts are null, and omittedFields names them', async () => {
    const world = await newWorld({ server: await usual })
    const body = await received(world, `<p>${'x'.repeat(200_000)}</p>`, async () => undefined)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(256_000)
    const { data, omittedFields } = JSON.parse(body)
    expect(omittedFields).toEqual(['data.events.campaign.email.html'])
    expect(data.events.campaign).toMatchObject({ name: 'renamed', email: { html: null } })
    expect(data.events.campaign.again.html).toHaveLength(200_007)
  })

  it('has no long texts while the bodies that wait have 32 MB', async () => {
    const world = await newWorld({ server: await usual })
    const body = await received(world, `<p>${'x'.repeat(50_000)}</p>`, (webhookId) =>
      world.rows(
        `INSERT INTO webhook_delivery (account_id, webhook_id, message_id, type, data, occurred_at, due_at, created_at, body, state)
         SELECT $1, $2, 'msg_' || i, 'campaign.updated', '{}', now(), now() + interval '1 day', now(), repeat('x', 200000), 'PENDING'
         FROM generate_series(1, 160) i`,
        [world.accountId, webhookId],
      ),
    )
    expect(JSON.parse(body)).toMatchObject({
      data: { events: { campaign: { name: 'renamed', email: { html: null }, again: { html: null } } } },
      omittedFields: ['data.events.campaign.email.html', 'data.events.campaign.again.html'],
    })
  })
})
