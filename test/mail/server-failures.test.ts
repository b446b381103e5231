// @module-tag rows
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../runtime/process.ts'
import { unusedPort } from '../support/unused-port.ts'
import { newWorld, type World } from '../support/world.ts'
import {
  countStates,
  createSubscribers,
  hurry,
  newSender,
  readCampaign,
  sendCampaign,
  waitForStatus,
} from './sending.ts'
import { type Behaviour, newSink } from './sink.ts'

async function against(behaviour: Behaviour, contacts: number) {
  const sink = await newSink(behaviour)
  const world = await newWorld({ server: await newSender(sink.url) })
  await createSubscribers(world, contacts)
  return { sink, world, ...(await sendCampaign(world)) }
}

const answers = async (world: World, id: string) => {
  const document =
    'query ($id: ID!) { campaign(id: $id) { recipients { nodes { state answer attempts nextAttemptAt } } } }'
  return (await world.run(document, { id })).campaign.recipients.nodes
}

describe('a mail server that', () => {
  it('refuses an address bounces the message and suppresses the address', async () => {
    const { world, id, databaseId } = await against(
      { onTo: (address) => (address === 'c2@example.com' ? '550 5.1.1 no such user' : undefined) },
      3,
    )
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 2, stats: { sent: 2, bounced: 1 } })
    expect(await countStates(world, databaseId)).toEqual({ SENT: 2, BOUNCED: 1 })
    expect((await answers(world, id))[1]).toMatchObject({ state: 'BOUNCED', answer: '550 5.1.1 no such user' })
    expect(await world.announced('email.bounced')).toHaveLength(1)

    const again = await sendCampaign(world, { name: 'again' })
    await waitForStatus(world, again.id, 'SENT')
    expect(await countStates(world, again.databaseId)).toEqual({ SENT: 2, SKIPPED: 1 })
  })

  it('refuses the content fails the message without suppressing the address', async () => {
    const { world, id, databaseId } = await against(
      {
        onTo: (to) => (to.startsWith('c1@') ? '550 5.7.1 policy' : undefined),
        onData: ({ to }) => (to.startsWith('c2@') ? '554 5.6.0 spam' : undefined),
      },
      3,
    )
    await waitForStatus(world, id, 'SENT')
    expect(await countStates(world, databaseId)).toEqual({ SENT: 1, FAILED: 2 })
    expect(await world.rows('SELECT 1 FROM suppression WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('blames the sender slows the messages to that domain, says so, and the campaign ends', async () => {
    const { sink, world, id, databaseId } = await against(
      {
        onTo: (to) => (to.startsWith('c1@') ? '554 5.7.1 client host [192.0.2.1] blocked using bl.example' : undefined),
      },
      4,
    )
    await waitForStatus(world, id, 'SENT')
    expect(await countStates(world, databaseId)).toEqual({ SENT: 3, FAILED: 1 })
    expect(sink.taken).toHaveLength(3)
    const document = '{ suppressions { nodes { id } } senderProblems { nodes { domain cause failures detail } } }'
    await until(async () => (await world.run(document)).senderProblems.nodes.length > 0)
    const { suppressions, senderProblems } = await world.run(document)
    expect(suppressions.nodes).toEqual([])
    const detail = '554 5.7.1 client host [192.0.2.1] blocked using bl.example'
    expect(senderProblems.nodes).toEqual([{ domain: 'example.com', cause: 'BLOCK_LIST', failures: 1, detail }])
  })

  it('replies 4xx gets the message again later', async () => {
    let isBusy = true
    const startedAt = Date.now()
    const { sink, world, id } = await against({ onTo: () => (isBusy ? '451 4.3.0 later' : undefined) }, 2)
    await until(async () => (await answers(world, id)).every(({ attempts }: { attempts: number }) => attempts === 1))
    for (const { state, answer, nextAttemptAt } of await answers(world, id)) {
      expect([state, answer]).toEqual(['QUEUED', '451 4.3.0 later'])
      const next = Date.parse(nextAttemptAt)
      expect(next).toBeGreaterThan(startedAt + 30_000)
      expect(next).toBeLessThan(Date.now() + 90_000)
    }
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', sentTo: 0 })
    isBusy = false
    await hurry(world)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 2 })
    expect(sink.taken).toHaveLength(2)
  })

  it('keeps replying 4xx makes the message FAILED after the last attempt', async () => {
    const { world, id, databaseId } = await against({ onData: () => '452 4.2.2 full' }, 1)
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await until(async () => (await answers(world, id))[0].attempts === attempt)
      await hurry(world)
    }
    await waitForStatus(world, id, 'SENT')
    expect(await countStates(world, databaseId)).toEqual({ FAILED: 1 })
  })

  it('refuses the sender stops the campaign, and its recipients stay open', async () => {
    let isRefused = true
    const { sink, world, id, databaseId } = await against(
      { onFrom: () => (isRefused ? '553 5.7.1 not you' : undefined) },
      20,
    )
    expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'SENDER_REJECTED', sentTo: 0 })
    await until(async () => (await countStates(world, databaseId))['QUEUED'] === 20)
    isRefused = false
    await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', { id })
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 20, errorCode: null })
    expect(sink.taken).toHaveLength(20)
  })

  it('refuses the login stops the campaign', async () => {
    const sink = await newSink({ login: (user, password) => user === 'me' && password === 'right' })
    const world = await newWorld({ server: await newSender(sink.url.replace('//', '//me:wrong@')) })
    await createSubscribers(world, 2)
    const { id } = await sendCampaign(world)
    expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'SENDER_REJECTED' })
  })

  it('closes the connection after the content leaves the message UNKNOWN until campaignSendUnknown', async () => {
    const seen: string[] = []
    const { sink, world, id, databaseId } = await against(
      {
        beforeAnswer: ({ to, raw }, session) => {
          seen.push(/^message-id: (.*)$/im.exec(raw)?.[1] ?? '')
          if (seen.length > 1 || !to) return
          const connections = (sink.server as unknown as { connections: Set<{ id: string; _socket: Socket }> })
            .connections
          for (const each of connections) if (each.id === session.id) each._socket.destroy()
          return new Promise(() => undefined)
        },
      },
      1,
    )
    await waitForStatus(world, id, 'SENT')
    expect(await countStates(world, databaseId)).toEqual({ UNKNOWN: 1 })
    expect(await readCampaign(world, id)).toMatchObject({ sentTo: 0 })

    const document = 'mutation ($id: ID!) { campaignSendUnknown(input: { id: $id }) { count campaign { status } } }'
    const { campaignSendUnknown } = await world.run(document, { id })
    expect(campaignSendUnknown).toEqual({ count: 1, campaign: { status: 'SENDING' } })
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 1 })
    expect(seen).toHaveLength(2)
    expect(new Set(seen).size).toBe(1)
    expect((await world.run(document, { id })).campaignSendUnknown).toEqual({ count: 0, campaign: { status: 'SENT' } })
  })

  it('cannot be reached opens the circuit breaker, and messages are sent when it is back', async () => {
    const port = await unusedPort()
    const world = await newWorld({ server: await newSender(`smtp://127.0.0.1:${port}`) })
    await createSubscribers(world, 10)
    const { id, databaseId } = await sendCampaign(world)
    await until(async () => (await answers(world, id)).some(({ answer }: { answer: string | null }) => answer !== null))
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', sentTo: 0 })

    const back = await newSink({}, port)
    await hurry(world)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 10 })
    expect(back.taken).toHaveLength(10)
    expect(await countStates(world, databaseId)).toEqual({ SENT: 10 })
  })

  it('cannot be reached for more than a day stops the campaign', async () => {
    const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const world = await newWorld({
      server: await newSender(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`),
    })
    await createSubscribers(world, 10)
    const { id } = await sendCampaign(world)
    await until(async () => {
      await hurry(world)
      const [row] = await world.rows<{ stalled: boolean }>(
        "UPDATE mail_source SET stalled_at = stalled_at - interval '25 hours' WHERE account_id = $1 RETURNING stalled_at IS NOT NULL AS stalled",
        [world.accountId],
      )
      return row?.stalled ?? false
    })
    expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'PROVIDER_DOWN' })
  })

  it('fails is not used while another one works', async () => {
    const well = await newSink()
    const ill = `smtp://127.0.0.1:${await unusedPort()}`
    const world = await newWorld({ server: await newSender(`${ill}  ${well.url}`) })
    await createSubscribers(world, 60)
    const { id } = await sendCampaign(world)
    await until(async () => {
      await hurry(world)
      return (await readCampaign(world, id)).status === 'SENT'
    })
    expect(await readCampaign(world, id)).toMatchObject({ sentTo: 60 })
    expect(well.taken).toHaveLength(60)
  })
})
