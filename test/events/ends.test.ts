// @module-tag rows
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emitAll } from '../../src/events/index.ts'
import { until } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import { holdTimers } from '../support/timers.ts'
import { newWorld, type World } from '../support/world.ts'
import { follow, followEvents } from './stream.ts'
import { Contacts } from './writers.ts'

const Padded = `subscription ($after: String) { events(after: $after) { cursor
  ... on ContactFieldEvent { value contactDatabaseId } } }`

async function openStreams({ url }: Server, transport: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`campanile_streams\\{transport="${transport}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

/** Emits this number of events of at least a kilobyte each in one transaction. */
async function emitLargeEvents(world: World, count: number): Promise<void> {
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  const value = 'x'.repeat(20_000)
  const all = Array.from({ length: count }, (_, place) => ({ contactId: place + 1, customFieldId: 1, value }))
  await inTransaction(ctx, (tx) => emitAll(tx, 'contact.field_updated', all))
}

describe('a subscriber that is too slow', () => {
  it('is disconnected from its socket with a close code of its own, and resumes without losing events', async () => {
    const world = await newWorld()
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    onTestFinished(() => socket.terminate())
    const got: { cursor: string; contactDatabaseId: number }[] = []
    const { promise: closed, resolve } = Promise.withResolvers<[number, string]>()
    socket.on('close', (code, reason) => resolve([code, String(reason)]))
    const { promise: live, resolve: isLive } = Promise.withResolvers<void>()
    socket.on('message', (text) => {
      const message = JSON.parse(String(text))
      if (message.type === 'connection_ack')
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: Padded, variables: { after } } }))
      const event = message.payload?.data?.events
      if (event) got.push(event)
      if (event) isLive()
    })
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${world.mainKey}` } })),
    )
    await until(async () => (await openStreams(world.server, 'websocket')) === 1)
    await emitLargeEvents(world, 1)
    await live
    socket.pause()
    for (let round = 0; round < 4; round += 1) await emitLargeEvents(world, 600)
    await until(async () => (await openStreams(world.server, 'websocket')) === 0)
    socket.resume()
    expect(await closed).toEqual([4410, 'TOO_SLOW: subscribe again after your last cursor'])
    expect(got.length).toBeLessThan(2_401)

    const again = await follow({ server: world.server, key: world.mainKey }, Padded, { after: got.at(-1)?.cursor })
    const rest = await again.upTo(2_401 - got.length)
    const all = [...got, ...rest.map(({ data }) => data.events)].map(({ contactDatabaseId }) => contactDatabaseId)
    const round = Array.from({ length: 600 }, (_, place) => place + 1)
    expect(all).toEqual([1, ...round, ...round, ...round, ...round])
  })

  it('is disconnected from server-sent events, and resumes without losing events', async () => {
    const world = await newWorld()
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const { hostname, port } = new URL(world.server.url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    const body = JSON.stringify({ query: Padded, variables: { after } })
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.mainKey}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until(async () => (await openStreams(world.server, 'sse')) === 1)
    // Nothing reads from this socket, because it has no listener.
    for (let round = 0; round < 4; round += 1) await emitLargeEvents(world, 600)
    await until(async () => (await openStreams(world.server, 'sse')) === 0)
    let text = ''
    for await (const chunk of socket.setEncoding('utf8')) {
      text += chunk
      if (text.includes('event: complete')) break
    }
    expect(text).toMatch(/RATE_LIMITED.*Subscribe again|Subscribe again.*RATE_LIMITED/)
    const last = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
    const again = await followEvents({ server: world.server, key: world.mainKey }, Padded, {
      headers: { 'last-event-id': last },
    })
    const reported = [...text.matchAll(/^id: /gm)].length
    expect((await again.upTo(2_400 - reported)).at(-1).data.events.contactDatabaseId).toBe(600)
  })
})

describe('a disabled API key', () => {
  it('loses its streams even without a notification, and no other key does', async () => {
    const world = await newWorld()
    const { apiKey, key } = (
      await world.run(
        'mutation { apiKeyCreate(input: { name: "other", scopes: [FULL_ACCESS] }) { key apiKey { databaseId } } }',
      )
    ).apiKeyCreate
    const ids = { server: world.server, key }
    const [socket, events, others] = await Promise.all([
      follow(ids, Contacts),
      followEvents(ids, Contacts),
      follow({ server: world.server, key: world.mainKey }, Contacts),
    ])
    await until(async () => (await openStreams(world.server, 'websocket')) >= 2)
    await world.rows('UPDATE api_key SET disabled_at = now() WHERE account_id = $1 AND id = $2', [
      world.accountId,
      apiKey.databaseId,
    ])
    expect(await socket.end).toEqual({ code: 4401 })
    const [last] = await events.upTo(1)
    expect(last.errors[0].extensions.code).toBe('UNAUTHORIZED')
    expect(await events.end).toEqual({})
    await world.contact()
    expect(await others.upTo(1)).toHaveLength(1)
  })
})

describe('event streams', () => {
  it('end with their requests: after two hundred aborted requests none is left', async () => {
    const server = await newServer()
    const world = await newWorld({ server })
    const all = await Promise.all(
      Array.from({ length: 200 }, () => followEvents({ server, key: world.mainKey }, Contacts)),
    )
    expect(await openStreams(server, 'sse')).toBe(200)
    for (const each of all) each.stop()
    await until(async () => (await openStreams(server, 'sse')) === 0)
  })

  it('end with their operation or their socket', async () => {
    const server = await newServer()
    const world = await newWorld({ server })
    const all = await Promise.all(Array.from({ length: 5 }, () => follow({ server, key: world.mainKey }, Contacts)))
    await until(async () => (await openStreams(server, 'websocket')) === 5)
    for (const each of all) each.stop()
    await until(async () => (await openStreams(server, 'websocket')) === 0)
  })

  it('end at once when the server stops, with a code after which clients reconnect', async () => {
    const server = await newServer()
    const world = await newWorld({ server })
    const to = { server, key: world.mainKey }
    const [socket, events] = await Promise.all([follow(to, Contacts), followEvents(to, Contacts)])
    await until(async () => (await openStreams(server, 'websocket')) === 1)
    // The server would otherwise end them at a deadline.
    holdTimers(500)
    await server.app.close()
    expect((await socket.end).code).toBe(1012)
    await events.end
    // A client that receives `complete` would not reconnect.
    expect(events.text()).not.toContain('complete')
  })
})
