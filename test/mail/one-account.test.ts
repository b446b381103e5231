// @module-tag rows
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSigner } from '../../src/kernel/web/signer.ts'
import type { Transport } from '../../src/mail/delivery/transport/transport.ts'
import { newMailServers, startDelivery } from '../../src/mail/index.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStates, createSubscribers, sendCampaign, waitForStatus } from './sending.ts'

/** Starts a delivery for one account over a server with this outcome for every message. */
async function served(world: World, outcome: Awaited<ReturnType<Transport['send']>>) {
  const { system } = world.server
  const servers = newMailServers([{ name: 'test', send: async () => outcome, close: () => undefined }], 5, system.log)
  const created = { ...system, signer: newSigner('a secret that only tests know'), baseUrl: () => world.server.url }
  const delivery = await startDelivery({ system: created, db: created.db, servers, rates: {}, only: world.accountId })
  onTestFinished(() => delivery.stop())
  return servers
}

describe('a delivery for one account', () => {
  it('sends no messages of other accounts', async () => {
    const world = await newWorld()
    const other = await world.other()
    for (const each of [other, world]) await createSubscribers(each, 5)
    const [theirs, own] = [await sendCampaign(other), await sendCampaign(world)]
    await served(world, { verdict: 'accepted', answer: '250 ok' })
    expect(await waitForStatus(world, own.id, 'SENT')).toMatchObject({ sentTo: 5 })
    expect(await countStates(other, theirs.databaseId)).toEqual({ QUEUED: 5 })
  })

  it('does not mark sources of other accounts as stalled', async () => {
    const world = await newWorld()
    const other = await world.other()
    for (const each of [other, world]) {
      await createSubscribers(each, 5)
      await sendCampaign(each)
    }
    const servers = await served(world, { verdict: 'unreachable', answer: 'nobody there' })
    const beats = async () =>
      (await world.rows<{ at: string }>('SELECT max(seen_at)::text AS at FROM mail_worker'))[0]?.at
    await until(servers.areDown)
    // With the second renewal from now on, the round of the first one is over.
    for (let beat = 0; beat < 2; beat += 1) {
      const before = await beats()
      await until(async () => (await beats()) !== before)
    }
    expect(await world.rows('SELECT FROM mail_source WHERE stalled_at IS NOT NULL')).toEqual([])
  })
})
