import { expect, it } from 'vitest'
import { follow } from '../events/stream.ts'
import { newWorld } from '../support/world.ts'
import { newGate } from './gate.ts'
import { createSubscribers, newSender, sendCampaign } from './sending.ts'
import { newSink } from './sink.ts'

const Progress = `subscription ($id: ID!) { campaignProgress(campaignId: $id) {
  status errorCode recipientsCount sentTo campaign { stats { sent } } } }`

it('campaignProgress shows each message that a mail server accepted, without waiting for further ones, and completes', async () => {
  const gate = newGate()
  const sink = await newSink(gate)
  const world = await newWorld({ server: await newSender(sink.url) })
  await createSubscribers(world, 12)
  const campaign = await sendCampaign(world)
  const following = await follow({ server: world.server, key: world.mainKey }, Progress, { id: campaign.id })
  await following.upTo(1)
  let sent = 0
  for (const more of [1, 1, 3, 5]) {
    gate.release(more)
    sent += more
    // All other messages are held, so nothing else happens that could make the stream show these.
    await following.find(({ data }) => data.campaignProgress.sentTo === sent)
  }
  gate.release(2)
  expect(await following.end).toEqual({})
  const shown = following.got.map(({ data }) => data.campaignProgress)
  expect(shown.at(-1)).toEqual({
    ...{ status: 'SENT', errorCode: null, recipientsCount: 12, sentTo: 12 },
    campaign: { stats: { sent: 12 } },
  })
  expect(shown.slice(0, -1).every(({ status }) => status === 'SENDING' || status === 'SENT')).toBe(true)
  const counts = shown.map(({ sentTo }) => sentTo)
  expect(counts).toEqual(counts.toSorted((one, other) => one - other))
  expect(sink.taken).toHaveLength(12)
})
