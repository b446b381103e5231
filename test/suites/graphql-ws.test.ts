import { describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { newWorld, type World } from '../support/world.ts'

// Every statement of the protocol (github.com/enisdenjo/graphql-ws, PROTOCOL.md) about a server, tested with plain
// messages. No suite for it is published, and client libraries send no invalid messages.

interface Message {
  type: string
  id?: string
  payload?: unknown
}

/** A plain connection without a client library. */
interface Bare {
  send(message: object | string): void
  /** Returns the next message of the server. */
  next(): Promise<Message>
  /** Resolves to the close code of the server. */
  readonly closed: Promise<number>
  readonly protocol: () => string
}

async function connect(world: World, protocols: string[] = ['graphql-transport-ws']): Promise<Bare> {
  const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/graphql`, protocols)
  onTestFinished(() => socket.terminate())
  const came: Message[] = []
  const waiting: ((message: Message) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message
    const taker = waiting.shift()
    if (taker) taker(message)
    else came.push(message)
  })
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  return {
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () => {
      const message = came.shift()
      return message ? Promise.resolve(message) : new Promise((resolve) => waiting.push(resolve))
    },
    closed,
    protocol: () => socket.protocol,
  }
}

async function acknowledged(world: World): Promise<Bare> {
  const bare = await connect(world)
  bare.send({ type: 'connection_init', payload: { authorization: `Bearer ${world.mainKey}` } })
  expect(await bare.next()).toMatchObject({ type: 'connection_ack' })
  return bare
}

const asking = (id: string, query = '{ __typename }') => ({ id, type: 'subscribe', payload: { query } })
const answer = (id: string) => ({ id, type: 'next', payload: { data: { __typename: 'Query' } } })
const following = 'subscription { events { name } }'

describe('graphql-transport-ws', () => {
  it('is negotiated as the subprotocol; without it the socket is closed with 4406', async () => {
    const world = await newWorld()
    expect((await connect(world, ['other', 'graphql-transport-ws'])).protocol()).toBe('graphql-transport-ws')
    expect(await (await connect(world, [])).closed).toBe(4406)
  })

  it('closes with 4408 if connection_init is not sent', async () => {
    const silent = await connect(await newWorld())
    expect(await silent.closed).toBe(4408)
  })

  it('acknowledges once, and closes with 4429 for a second connection_init', async () => {
    const socket = await acknowledged(await newWorld())
    socket.send({ type: 'connection_init' })
    expect(await socket.closed).toBe(4429)
  })

  it('closes with 4401 for a subscribe before the acknowledgement', async () => {
    const socket = await connect(await newWorld())
    socket.send(asking('1'))
    expect(await socket.closed).toBe(4401)
  })

  it('closes a connection without a valid key', async () => {
    const world = await newWorld()
    for (const payload of [undefined, {}, { authorization: 'Bearer cmp_nobody' }]) {
      const socket = await connect(world)
      socket.send({ type: 'connection_init', payload })
      expect(await socket.closed).toBe(4401)
    }
  })

  it('responds to ping with pong before and after the acknowledgement, and ignores an unsolicited pong', async () => {
    const world = await newWorld()
    const early = await connect(world)
    early.send({ type: 'ping' })
    expect(await early.next()).toEqual({ type: 'pong' })
    const socket = await acknowledged(world)
    socket.send({ type: 'pong', payload: { so: 'what' } })
    socket.send({ type: 'ping', payload: { at: 1 } })
    expect(await socket.next()).toEqual({ type: 'pong', payload: { at: 1 } })
  })

  it('sends next and then complete with the ID of the operation', async () => {
    const socket = await acknowledged(await newWorld())
    socket.send(asking('any id · ü'))
    expect(await socket.next()).toMatchObject(answer('any id · ü'))
    expect(await socket.next()).toEqual({ id: 'any id · ü', type: 'complete' })
  })

  it('sends error if the operation could not start, and no complete after it', async () => {
    const socket = await acknowledged(await newWorld())
    socket.send(asking('1', '{ nothing }'))
    expect(await socket.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ message: expect.stringContaining('nothing') }],
    })
    socket.send(asking('2'))
    expect(await socket.next()).toMatchObject(answer('2'))
  })

  it('closes with 4409 for the ID of a running operation, and accepts the ID of an ended one', async () => {
    const socket = await acknowledged(await newWorld())
    for (let time = 0; time < 2; time += 1) {
      socket.send(asking('1'))
      expect(await socket.next()).toMatchObject(answer('1'))
      expect(await socket.next()).toEqual({ id: '1', type: 'complete' })
    }
    socket.send(asking('2', following))
    socket.send(asking('2', following))
    expect(await socket.closed).toBe(4409)
  })

  it('ends the operation of a complete message and frees its ID, and ignores an unknown ID', async () => {
    const world = await newWorld()
    const socket = await acknowledged(world)
    socket.send({ id: 'never begun', type: 'complete' })
    socket.send(asking('1', following))
    // The server processes messages in order: after this response the subscription is active.
    socket.send(asking('2'))
    expect(await socket.next()).toMatchObject(answer('2'))
    expect(await socket.next()).toMatchObject({ id: '2', type: 'complete' })
    socket.send({ id: '1', type: 'complete' })
    await world.tag()
    socket.send(asking('1'))
    expect(await socket.next()).toMatchObject(answer('1'))
    expect(await socket.next()).toEqual({ id: '1', type: 'complete' })
  })

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no type', { id: '1' }],
    ['a type that there is not', { type: 'start', id: '1', payload: { query: '{ __typename }' } }],
    ['an empty id', asking('')],
    ['no id', { type: 'subscribe', payload: { query: '{ __typename }' } }],
    ['an id that is a number', { type: 'subscribe', id: 1, payload: { query: '{ __typename }' } }],
    ['no payload', { type: 'subscribe', id: '1' }],
    ['no query', { type: 'subscribe', id: '1', payload: {} }],
    ['a query that is no text', { type: 'subscribe', id: '1', payload: { query: 1 } }],
    [
      'variables that are no object',
      { type: 'subscribe', id: '1', payload: { query: '{ __typename }', variables: 1 } },
    ],
    ['what only a server sends', { type: 'connection_ack' }],
  ])('closes with 4400 for a message that has %s', async (_name, message) => {
    const socket = await acknowledged(await newWorld())
    socket.send(message)
    expect(await socket.closed).toBe(4400)
  })
})
