// @module-tag rows
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../runtime/process.ts'
import type { Server } from '../support/server.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStates, createSubscribers, newSender, readCampaign, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

/** Starts a mail server that accepts connections and sends the given text, or nothing. */
async function newSilence(greeting?: string): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    if (greeting !== undefined) socket.write(`${greeting}\r\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Try {
  state: string
  attempts: number
  answer: string | null
}

const answers = (world: World) =>
  world.rows<Try>('SELECT state::text, attempts, answer FROM mail_recipient WHERE account_id = $1 ORDER BY id', [
    world.accountId,
  ])

/** Waits for the condition, and returns the recipients that met it: another try can begin at any time. */
async function answersWhen(world: World, isMet: (tries: readonly Try[]) => boolean): Promise<Try[]> {
  let tries: Try[] = []
  await until(async () => {
    tries = await answers(world)
    return isMet(tries)
  })
  return tries
}

/** Returns the median latency of each server. They are queried in turns, so that both have the same load. */
async function latencies(world: World, servers: readonly Server[], id: string): Promise<number[]> {
  const ask = 'query ($id: ID!) { campaign(id: $id) { status sentTo } contacts(first: 20) { nodes { email } } }'
  const times = servers.map((): number[] => [])
  for (let turn = 0; turn < 60; turn += 1) {
    for (const [place, server] of servers.entries()) {
      const startedAt = performance.now()
      await world.run(ask, { id }, { server })
      if (turn >= 10) times[place]?.push(performance.now() - startedAt)
    }
  }
  return times.map((each) => each.toSorted((a, b) => a - b)[each.length >> 1] ?? Number.NaN)
}

describe('a mail server that', () => {
  it('never greets costs no attempt, and does not slow down the API', async () => {
    const silence = await newSilence()
    const sending = await newSender(`${silence}?greetingTimeout=3000`)
    const world = await newWorld({ server: sending })
    const idle = await newServer({ DATABASE_URL: sending.databaseUrl })
    await createSubscribers(world, 40)
    const { id, databaseId } = await sendCampaign(world)
    await until(async () => (await countStates(world, databaseId))['SENDING'] === 5)
    const [beside = 0, alone = 0] = await latencies(world, [sending, idle], id)
    expect(beside / alone).toBeLessThan(2)

    const tries = await answersWhen(
      world,
      (all) => all.some(({ answer }) => answer !== null) && all.every(({ state }) => state !== 'SENDING'),
    )
    for (const { state, attempts, answer } of tries) {
      expect(['QUEUED', 'CLAIMED']).toContain(state)
      expect([attempts, answer === null || /greeting/i.test(answer)]).toEqual([0, true])
    }
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', sentTo: 0 })
    expect(sending.errors).toEqual([])
  })

  it('greets and then sends nothing costs no attempt either', async () => {
    const url = await newSilence('220 here I am')
    const world = await newWorld({ server: await newSender(`${url}?socketTimeout=300`) })
    await createSubscribers(world, 3)
    const { id } = await sendCampaign(world)
    const tries = await answersWhen(world, (all) =>
      all.every(({ state, answer }) => state === 'QUEUED' && answer !== null),
    )
    for (const { attempts } of tries) expect(attempts).toBe(0)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', sentTo: 0 })
  })

  it('never replies to a message leaves it UNKNOWN, and the others are sent', async () => {
    const silent = new Set(['c2@example.com', 'c7@example.com'])
    const sink = await newSink({
      beforeAnswer: ({ to }) => (silent.has(to) ? new Promise(() => undefined) : undefined),
    })
    const world = await newWorld({ server: await newSender(`${sink.url}?socketTimeout=500`) })
    await createSubscribers(world, 40)
    const { id, databaseId } = await sendCampaign(world)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 38 })
    expect(await countStates(world, databaseId)).toEqual({ SENT: 38, UNKNOWN: 2 })
    expect(new Set(sink.taken.map(({ to }) => to)).size).toBe(38)
  })

  it('replies 421 to one message defers it, and the others are sent over other connections', async () => {
    const sink = await newSink({ onTo: (to) => (to === 'c2@example.com' ? '421 4.3.2 closing' : undefined) })
    const world = await newWorld({ server: await newSender(sink.url) })
    await createSubscribers(world, 40)
    const { id } = await sendCampaign(world)
    const isOver = ({ state }: Try) => state === 'SENT' || state === 'QUEUED'
    const tries = await answersWhen(
      world,
      (all) => all.every(isOver) && all.filter(({ state }) => state === 'SENT').length === 39,
    )
    const deferred = tries.filter(({ state }) => state !== 'SENT')
    expect(deferred).toEqual([{ state: 'QUEUED', attempts: 1, answer: '421 4.3.2 closing' }])
    await until(async () => (await readCampaign(world, id)).sentTo === 39)
    expect(new Set(sink.taken.map(({ to }) => to)).size).toBe(sink.taken.length)
  })
})
