// @module-tag rows
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newGate } from './gate.ts'
import { createSubscribers, newSender, sendCampaign } from './sending.ts'
import { newSink, type Sink } from './sink.ts'

const domainOf = (world: World) => `shop${world.accountId}.example`

/** Creates contacts of an account, in a domain of its own, and sends them a campaign. */
async function queueCampaign(world: World, size: number): Promise<void> {
  await createSubscribers(world, size, domainOf(world))
  await sendCampaign(world)
}

/** Creates this number of accounts with a campaign each, on a server without a worker. */
async function queueLargeCampaigns(count: number, size: number): Promise<[World, ...World[]]> {
  const first = await newWorld({ server: await newServer() })
  const worlds: [World, ...World[]] = [first]
  for (let n = 1; n < count; n += 1) worlds.push(await first.other())
  for (const world of worlds) await queueCampaign(world, size)
  return worlds
}

/** Starts a worker that sends from the database of a server. */
const startWorker = ({ server: { databaseUrl } }: World, sink: Sink) =>
  newSender(sink.url, { ROLES: 'worker', DATABASE_URL: databaseUrl })

/** Returns the positions of an account's messages among all that arrived. */
const positionsOf = (world: World, sink: Sink) =>
  sink.taken.flatMap(({ to }, index) => (to.endsWith(`@${domainOf(world)}`) ? [index] : []))

describe('the order of the queue', () => {
  it('sends a small campaign first if all campaigns were waiting when the worker started', async () => {
    const [large] = await queueLargeCampaigns(8, 210)
    const small = await large.other()
    await queueCampaign(small, 60)
    const sink = await newSink()
    await startWorker(large, sink)
    await until(() => positionsOf(small, sink).length === 60)
    expect(positionsOf(small, sink).at(-1)).toBeLessThan(150)
  })

  it('sends a small campaign before others that have been sent for long', async () => {
    const [large] = await queueLargeCampaigns(8, 210)
    const gate = newGate()
    const sink = await newSink(gate)
    await startWorker(large, sink)
    gate.release(400)
    await until(() => sink.taken.length >= 400 && gate.held() === 5)
    const small = await large.other()
    await queueCampaign(small, 60)
    gate.release(1_000)
    await until(() => positionsOf(small, sink).length === 60)
    expect(positionsOf(small, sink).at(-1)).toBeLessThan(400 + 300)
  })

  it('lets accounts with many messages take turns, whatever number of campaigns they have', async () => {
    const worlds = await queueLargeCampaigns(4, 300)
    await sendCampaign(worlds[0])
    const gate = newGate()
    const sink = await newSink(gate)
    await startWorker(worlds[0], sink)
    gate.release(600)
    await until(() => sink.taken.length >= 600 && gate.held() === 5)
    for (const world of worlds) {
      const count = positionsOf(world, sink).length
      expect(count).toBeGreaterThan(120)
      expect(count).toBeLessThan(180)
    }
  })
})
