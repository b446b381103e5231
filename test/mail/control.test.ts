import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import {
  countStates,
  createSubscribers,
  newSender,
  readCampaign,
  sendCampaign,
  sharedSender,
  waitForStatus,
} from './sending.ts'
import { type Behaviour, newSink } from './sink.ts'

const act = async (world: World, verb: string, id: string) => {
  const name = `campaign${verb}`
  const document = `mutation ($input: ${`C${name.slice(1)}`}Input!) {
    ${name}(input: $input) { campaign { status errorCode pausedAt } } }`
  return (await world.run(document, { input: { id } }))[name].campaign
}
const refused = async (world: World, verb: string, id: string) => {
  const name = `campaign${verb}`
  const document = `mutation ($input: ${`C${name.slice(1)}`}Input!) { ${name}(input: $input) { campaign { status } } }`
  return (await world.fault(document, { input: { id } })).extensions.code
}

async function sender(behaviour: Behaviour = {}, env: Record<string, string> = {}, options: object = {}) {
  const isPlain = Object.keys(env).length === 0 && behaviour.onData === undefined
  const { sink, server } = isPlain ? await sharedSender(behaviour) : await ownSender(behaviour, env)
  return { sink, server, world: await newWorld({ server, ...options }) }
}

async function ownSender(behaviour: Behaviour, env: Record<string, string>) {
  const sink = await newSink(behaviour)
  return { sink, server: await newSender(sink.url, env) }
}

/** Lets the sink answer this number of messages. Those after them have their answers when `release` was called. */
function answersUpTo(count: number) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  let asked = 0
  const beforeAnswer = () => {
    asked += 1
    return asked > count ? promise : undefined
  }
  return { beforeAnswer, release }
}

const connections = 5

/** Whether this number of messages has an answer, and all connections wait for one. */
const isHeld = ({ SENT, SENDING }: Record<string, number>, answered: number) =>
  SENT === answered && SENDING === connections

describe('a campaign that is being sent', () => {
  it('sends nothing while it is paused, continues when it is resumed, and sends no message twice', async () => {
    const { beforeAnswer, release } = answersUpTo(20)
    const { sink, world } = await sender({ beforeAnswer })
    await createSubscribers(world, 150)
    const { id, databaseId } = await sendCampaign(world)
    await until(async () => isHeld(await countStates(world, databaseId), 20))
    expect(await act(world, 'Pause', id)).toMatchObject({ status: 'SENDING', pausedAt: expect.any(String) })
    release()
    await until(async () => {
      const { SENT = 0, QUEUED = 0 } = await countStates(world, databaseId)
      return SENT + QUEUED === 150
    })
    // What was with the server came to its end; nothing was begun after.
    expect(sink.taken).toHaveLength(20 + connections)
    expect(await act(world, 'Pause', id)).toMatchObject({ status: 'SENDING' })

    expect(await act(world, 'Resume', id)).toEqual({ status: 'SENDING', errorCode: null, pausedAt: null })
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 150 })
    expect(new Set(sink.taken.map(({ to }) => to)).size).toBe(sink.taken.length)
  })

  it('sends nothing after it was cancelled', async () => {
    const { beforeAnswer, release } = answersUpTo(10)
    const { sink, world } = await sender({ beforeAnswer })
    await createSubscribers(world, 150)
    const { id, databaseId } = await sendCampaign(world)
    await until(() => sink.taken.length === 10)
    expect(await act(world, 'Cancel', id)).toEqual({ status: 'ERROR', errorCode: 'CANCELLED', pausedAt: null })
    release()
    await until(async () => {
      const { SENT = 0, SKIPPED = 0 } = await countStates(world, databaseId)
      return SENT + SKIPPED === 150
    })
    expect(await countStates(world, databaseId)).toMatchObject({ SENT: sink.taken.length })
    for (const verb of ['Send', 'Pause', 'Resume', 'Cancel', 'SendUnknown']) {
      expect(await refused(world, verb, id), verb).toBe('INVALID_STATE')
    }
  })

  it('has no open recipients after it was cancelled, whatever the outcome of messages in flight', async () => {
    const { beforeAnswer, release } = answersUpTo(0)
    const { world } = await sender({ beforeAnswer, onData: () => '451 4.3.0 later' })
    await createSubscribers(world, 30)
    const { id, databaseId } = await sendCampaign(world)
    await until(async () => (await countStates(world, databaseId))['SENDING'] === 5)
    await act(world, 'Cancel', id)
    release()
    await until(async () => (await countStates(world, databaseId))['SENDING'] === undefined)
    await until(async () => (await countStates(world, databaseId))['CLAIMED'] === undefined)
    expect(await countStates(world, databaseId)).toEqual({ SKIPPED: 30 })
  })

  it('skips contacts that unsubscribe in the meantime', async () => {
    const { beforeAnswer, release } = answersUpTo(10)
    const { sink, world } = await sender({ beforeAnswer })
    await createSubscribers(world, 150)
    const { id, databaseId } = await sendCampaign(world)
    await until(async () => isHeld(await countStates(world, databaseId), 10))
    await world.rows('UPDATE contact SET email_marketing = false WHERE account_id = $1', [world.accountId])
    release()
    await waitForStatus(world, id, 'SENT')
    expect(sink.taken).toHaveLength(10 + connections)
    expect((await readCampaign(world, id)).sentTo).toBe(sink.taken.length)
  })

  it('cannot be paused, resumed or cancelled in any other status', async () => {
    const { world } = await sender()
    const { id } = await world.campaign()
    for (const verb of ['Pause', 'Resume', 'Cancel', 'SendUnknown']) {
      expect(await refused(world, verb, id), verb).toBe('INVALID_STATE')
    }
  })

  it('stops with QUOTA_EXCEEDED, and continues with a larger quota', async () => {
    const { sink, world } = await sender({}, {}, { limits: { emails: 30 } })
    await createSubscribers(world, 80)
    const { id, databaseId } = await sendCampaign(world)
    expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'QUOTA_EXCEEDED', sentTo: 30 })
    expect(await countStates(world, databaseId)).toEqual({ SENT: 30, QUEUED: 50 })
    const [usage] = await world.rows("SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'emails'", [
      world.accountId,
    ])
    expect(usage).toEqual({ used: 30 })

    await world.rows('UPDATE account SET limit_emails = NULL WHERE id = $1', [world.accountId])
    await act(world, 'Send', id)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 80 })
    expect(sink.taken).toHaveLength(80)
  })

  it('starts at its scheduled time, unless that is long past', async () => {
    const { world } = await sender()
    await createSubscribers(world, 3)
    const [due, missed] = [
      await world.campaign({ audience: { sendToAll: true } }),
      await world.campaign({ audience: { sendToAll: true } }),
    ]
    const schedule =
      'mutation ($input: CampaignScheduleInput!) { campaignSchedule(input: $input) { campaign { status } } }'
    for (const { id } of [due, missed]) await world.run(schedule, { input: { id, scheduledFor: '2099-12-24 18:00' } })
    for (const [hours, { databaseId }] of [
      [1, due],
      [25, missed],
    ] as const) {
      await world.rows(
        'UPDATE campaign SET scheduled_for = now() - make_interval(hours => $3) WHERE account_id = $1 AND id = $2',
        [world.accountId, databaseId, hours],
      )
    }
    expect(await waitForStatus(world, due.id, 'SENT')).toMatchObject({ sentTo: 3 })
    expect(await waitForStatus(world, missed.id, 'ERROR')).toMatchObject({ errorCode: 'MISSED_WINDOW', sentTo: 0 })
  })

  it('does not delay the three messages of another account', async () => {
    const { sink, world, server } = await sender({ delay: 20 })
    await createSubscribers(world, 2_000)
    await sendCampaign(world)
    await until(() => sink.taken.length >= 20)
    const other = await newWorld({ server })
    await createSubscribers(other, 3, 'example.org')
    const { id } = await sendCampaign(other)
    const before = sink.taken.length
    await waitForStatus(other, id, 'SENT')
    const third = sink.taken.findLastIndex(({ to }) => to.endsWith('@example.org'))
    expect(third - before).toBeLessThan(200)
  })

  it('keeps to the rate of a domain without delaying other domains', async () => {
    const { sink, world } = await sender({}, { MAIL_RATE_PER_DOMAIN: '5' })
    await createSubscribers(world, 100, 'slow.example')
    await createSubscribers(world, 5, 'quick.example')
    const startedAt = performance.now()
    await sendCampaign(world)
    const taken = (domain: string) => sink.taken.filter(({ to }) => to.endsWith(domain))
    await until(() => taken('slow.example').length >= 20)
    // Five at once, then one each fifth of a second.
    expect((taken('slow.example')[19]?.at ?? 0) - startedAt).toBeGreaterThan(2_000)
    await until(() => taken('quick.example').length === 5)
    expect(taken('slow.example').length).toBeLessThan(100)
  })
})
