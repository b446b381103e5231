// @module-tag rows
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import {
  distinct,
  killCappedSenders,
  killConditionalSenders,
  killSenders,
  killSequenceSenders,
  worker,
} from './crash.ts'
import { countStates, createSubscribers, sendCampaign, waitForStatus } from './sending.ts'
import { newSink, type Sink } from './sink.ts'

describe('a worker', { timeout: 120_000 }, () => {
  it('that is killed repeatedly sends no message twice and misses none that is not UNKNOWN', () => killSenders(3))

  it('that is killed sends each contact the blocks that are for it', () => killConditionalSenders(2))

  it('that is killed beside another one sends no contact more messages than the account allows', () =>
    killCappedSenders(3))

  it('that is killed repeats only messages of sequences that were in flight, with the same Message-ID', () =>
    killSequenceSenders(2))

  it('that is stopped ends although a mail server does not reply', async () => {
    const sink = await newSink({ beforeAnswer: () => new Promise(() => undefined) })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 20)
    const { databaseId } = await sendCampaign(world)
    const running = await worker(world, sink)
    await until(async () => (await countStates(world, databaseId))['SENDING'] === 5)
    running.signal('SIGTERM')
    expect((await running.end).code).toBe(0)
    // Each of these was given whole to the server, which said nothing.
    expect(await countStates(world, databaseId)).toEqual({ QUEUED: 15, UNKNOWN: 5 })
  })

  it('sends nothing twice when two workers run', async () => {
    // Answers only when more than one worker's connections are open at a time, so that both have their part.
    const sink: Sink = await newSink({ beforeAnswer: () => until(() => sink.most() > 5) })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 400)
    await Promise.all([worker(world, sink), worker(world, sink)])
    const { id } = await sendCampaign(world)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 400 })
    expect([sink.taken.length, distinct(sink)]).toEqual([400, 400])
    expect(sink.most()).toBeLessThanOrEqual(10)
  })

  it('that was suspended until its lease expired sends none of its claims when it continues', async () => {
    const sink = await newSink({ delay: 15 })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 200)
    const { id, databaseId } = await sendCampaign(world)
    const sleeper = await worker(world, sink)
    await until(() => sink.taken.length >= 60)
    sleeper.signal('SIGSTOP')
    await ageHeartbeats(world)
    const heir = await worker(world, sink)
    await until(async () => {
      const { QUEUED = 0, CLAIMED = 0, SENDING = 0 } = await countStates(world, databaseId)
      return QUEUED + CLAIMED + SENDING === 0
    })
    const [before, known] = [sink.taken.length, await countStates(world, databaseId)]
    sleeper.signal('SIGCONT')
    // Its lease has expired, so it registers again.
    await until(async () => (await world.rows('SELECT 1 FROM mail_worker')).length === 2)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: known['SENT'] })
    expect(await countStates(world, databaseId)).toEqual(known)
    expect(known['UNKNOWN'] ?? 0).toBeLessThanOrEqual(5)
    expect(distinct(sink)).toBe(sink.taken.length)
    expect(sink.taken.length - before).toBeLessThanOrEqual(known['UNKNOWN'] ?? 0)
    for (const running of [sleeper, heir]) {
      running.signal('SIGTERM')
      expect((await running.end).code).toBe(0)
    }
  })
})
