// @module-tag rows
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { distinct, killSenders, killSequenceSenders, worker } from './crash.ts'
import { countStates, createSubscribers, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

describe('a worker', { timeout: 120_000 }, () => {
  it('that is killed sends no message twice and misses none that is not UNKNOWN', () => killSenders(1))

  it('that is killed repeats only messages of a sequence that were in flight, with the same Message-ID', () =>
    killSequenceSenders(1))

  it('that is stopped releases what is not in flight, and ends', async () => {
    const sink = await newSink({ delay: 30 })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 100)
    const { id, databaseId } = await sendCampaign(world)
    const first = await worker(world, sink)
    await until(() => sink.taken.length >= 40)
    first.signal('SIGTERM')
    expect((await first.end).code).toBe(0)
    const { SENT = 0, QUEUED = 0, ...others } = await countStates(world, databaseId)
    expect([others, SENT + QUEUED, SENT]).toEqual([{}, 100, sink.taken.length])

    await worker(world, sink)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 100 })
    expect([sink.taken.length, distinct(sink)]).toEqual([100, 100])
  })
})
