import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Following, FollowOptions } from '../../src/client/index.ts'

interface Asked {
  query: string
  variables: Record<string, unknown>
}

type Payload = Record<string, unknown>

/** One subscriber's connection, as the fake sees it. */
interface Line {
  next(payload: Payload): void
  /** The operation's end, as the protocol tells it. */
  complete(): void
  /** The connection's end: with a close code, or as if a cable was cut. */
  cut(code?: number): void
}

/** A server that keeps a log and does what a test says: it is there for what a real one does seldom. */
export interface Fake {
  readonly url: string
  /** With which variables, and over which transport, subscriptions began. */
  readonly subscribed: { variables: Record<string, unknown>; transport: 'ws' | 'sse'; authorization: string }[]
  /** Announces so many more events. */
  announce(count?: number): void
  /** How many sockets, or answers, are open, whatever they are for. */
  connections(): number
  /** The subscribers that are connected now. */
  readonly lines: ReadonlySet<Line>
  /** What the next subscriptions get instead of events, one each. */
  readonly instead: ((line: Line) => void)[]
  /** What the next requests or sockets get before anything else: an HTTP status or a close code, one each. */
  readonly atTheDoor: { status: number; body?: unknown; code: number }[]
  /** Resolves when so many subscriptions have begun. */
  until(condition: () => boolean): Promise<void>
}

/** The event after which the log stands at `position`. */
function eventAt(position: number): Payload {
  return { data: { events: { cursor: `c${position}`, position } } }
}

export async function newFake(): Promise<Fake> {
  let end = 0
  const lines = new Set<Line>()
  const connections = new Set<unknown>()
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const look of waiting) look()
  }
  const fake: Fake = {
    url: '',
    connections: () => connections.size,
    subscribed: [],
    lines,
    instead: [],
    atTheDoor: [],
    announce: (count = 1) => {
      for (let left = count; left > 0; left -= 1) {
        end += 1
        for (const line of [...lines]) line.next(eventAt(end))
      }
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }

  function begin({ query, variables }: Asked, line: Line, transport: 'ws' | 'sse', authorization: string) {
    if (!query.startsWith('subscription')) {
      line.next({ data: { eventCursor: `c${end}` } })
      line.complete()
      return
    }
    fake.subscribed.push({ variables, transport, authorization })
    const instead = fake.instead.shift()
    if (instead) instead(line)
    else {
      lines.add(line)
      for (let position = Number(String(variables['after']).slice(1)) + 1; position <= end; position += 1) {
        line.next(eventAt(position))
      }
    }
    changed()
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = fake.atTheDoor.shift()
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      response.end(typeof refusal.body === 'string' ? refusal.body : JSON.stringify(refusal.body ?? {}))
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(':\n\n')
    connections.add(response)
    const line: Line = {
      next: (payload) => response.write(`event: next\ndata: ${JSON.stringify(payload)}\n\n`),
      complete: () => response.end('event: complete\ndata:\n\n'),
      cut: () => response.destroy(),
    }
    response.on('close', () => {
      connections.delete(response)
      lines.delete(line)
      changed()
    })
    begin(JSON.parse(Buffer.concat(chunks).toString()), line, 'sse', request.headers.authorization ?? '')
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket: WebSocket) => {
    let authorization = ''
    const refusal = fake.atTheDoor.shift()
    if (refusal) return socket.close(refusal.code)
    connections.add(socket)
    let line: Line | undefined
    socket.on('message', (text) => {
      const { type, id, payload } = JSON.parse(String(text))
      if (type === 'ping') socket.send('{"type":"pong"}')
      if (type === 'connection_init') {
        authorization = payload.authorization
        socket.send('{"type":"connection_ack"}')
      }
      if (type !== 'subscribe') return
      line = {
        next: (result) => socket.send(JSON.stringify({ id, type: 'next', payload: result })),
        complete: () => socket.send(JSON.stringify({ id, type: 'complete' })),
        cut: (code) => (code === undefined ? socket.terminate() : socket.close(code)),
      }
      begin(payload, line, 'ws', authorization)
    })
    socket.on('close', () => {
      connections.delete(socket)
      if (line) lines.delete(line)
      changed()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(fake, { url: `http://127.0.0.1:${port}/graphql` })
}

/** A document that resumes. */
export const query = 'subscription ($after: String) { events(after: $after) { cursor position } }'

/** What it selects of an event. */
export interface Position {
  cursor: string
  position: number
}

/** What both forms are given here: they do not wait between attempts. */
export function optionsFor(fake: Fake, more: Partial<FollowOptions> = {}): FollowOptions {
  return { url: fake.url, key: 'cmp_key', query, backOff: () => 0, ...more }
}

/** Reads so many events; answers their positions. */
export async function read(events: Following<Position>, count: number): Promise<number[]> {
  const positions: number[] = []
  while (positions.length < count) {
    const { value } = await events.next()
    positions.push(value?.event.position ?? 0)
  }
  return positions
}
