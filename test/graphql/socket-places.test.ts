import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { socketLimits } from '../../src/graphql/transports/socket-places.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { holdTimers } from '../support/timers.ts'
import { newWorld, type World } from '../support/world.ts'

/** Opens a socket up to the answer to its upgrade, and returns the first line of that. */
async function upgrade({ server }: World, from: string): Promise<{ socket: Socket; answer: string }> {
  const socket = connect(server.app.address.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(
    `GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Forwarded-For: ${from}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return { socket, answer: answer.toString().split('\r\n')[0] ?? '' }
}

/** Returns a masked text frame that announces this many bytes, with as many of them as `part` has. */
function frame(length: number, part: Buffer): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x81
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, part])
}

const newProxied = async () => newWorld({ server: await newServer({ TRUST_PROXY: '1' }) })

describe('a socket whose client has not said who it is', () => {
  it('is closed when it has sent too much, although its frame has not ended', async () => {
    const world = await newProxied()
    const { socket } = await upgrade(world, '203.0.113.7')
    const closed = once(socket, 'close')
    socket.write(frame(1_000_000, Buffer.alloc(socketLimits.initBytes)))
    await closed
  })

  it('is closed at its deadline, although it does not close itself', async () => {
    const world = await newProxied()
    // The library would destroy it 30 seconds after the close frame.
    holdTimers(2 * socketLimits.initMs)
    const { socket } = await upgrade(world, '203.0.113.7')
    // It reads the close frame that it gets before, and does not answer it.
    socket.resume()
    await once(socket, 'close')
  })

  it('leaves places for other networks, and for clients that come after it', async () => {
    const world = await newProxied()
    const { network } = socketLimits.unacknowledged
    const all = await Promise.all(Array.from({ length: network }, () => upgrade(world, '203.0.113.7')))
    expect(new Set(all.map(({ answer }) => answer))).toEqual(new Set(['HTTP/1.1 101 Switching Protocols']))
    expect((await upgrade(world, '203.0.113.7')).answer).toBe('HTTP/1.1 503 Service Unavailable')
    expect((await upgrade(world, '198.51.100.9')).answer).toBe('HTTP/1.1 101 Switching Protocols')
    for (const { socket } of all.slice(0, 20)) socket.destroy()
    await until(async () => (await upgrade(world, '203.0.113.7')).answer.includes('101'))
  })
})

describe('a socket that is acknowledged', () => {
  it('may send large documents, and stays open', async () => {
    const world = await newWorld()
    const socket = world.socket()
    const name = 'n'.repeat(socketLimits.initBytes * 2)
    expect(await socket.ask('{ __typename }')).toMatchObject({ data: { __typename: 'Query' } })
    const { errors } = await socket.ask(
      'mutation ($name: String!) { tagCreate(input: { name: $name }) { tag { id } } }',
      { name },
    )
    expect(errors?.[0]?.extensions?.['code']).toBe('VALIDATION_ERROR')
    expect(socket.opened()).toBe(1)
  })
})
