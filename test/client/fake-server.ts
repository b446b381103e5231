import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { IterateOptions, SubscriptionIterator } from '../../src/client/index.ts'

interface Operation {
  query: string
  variables: Record<string, unknown>
}

type Payload = Record<string, unknown>

/** The connection of a subscriber, as the server sees it. */
interface Line {
  next(payload: Payload): void
  /** Completes the operation by the protocol. */
  complete(): void
  /** Ends the connection with a close code, or without one as a network failure does. */
  cut(code?: number): void
}

/** A server with an event log that simulates failures, for behaviour that is rare on a real server. */
export interface FakeServer {
  readonly url: string
  /** The subscriptions that were started. */
  readonly subscribed: { variables: Record<string, unknown>; transport: 'ws' | 'sse'; authorization: string }[]
  /** The headers with which sockets were authenticated, one for each socket. */
  readonly keys: string[]
  /** Adds events to the log and sends them to all subscribers. */
  announce(count?: number): void
  /** Returns the number of open sockets and responses. */
  connections(): number
  /** The connected subscribers. */
  readonly lines: ReadonlySet<Line>
  /** Handlers for the next subscriptions, one each, in place of the event log. */
  readonly overrides: ((line: Line) => void)[]
  /** HTTP status and close code with which the next requests or sockets are rejected, one each. */
  readonly rejections: { status: number; body?: unknown; code: number }[]
  /** Resolves when the condition is true. */
  until(condition: () => boolean): Promise<void>
}

/** Returns the event at a position of the log. */
function eventAt(position: number): Payload {
  return { data: { events: { cursor: `c${position}`, position } } }
}

export async function newFakeServer(): Promise<FakeServer> {
  let end = 0
  const lines = new Set<Line>()
  const connections = new Set<unknown>()
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const look of waiting) look()
  }
  const fake: FakeServer = {
    url: '',
    connections: () => connections.size,
    subscribed: [],
    keys: [],
    lines,
    overrides: [],
    rejections: [],
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

  function begin({ query, variables }: Operation, line: Line, transport: 'ws' | 'sse', authorization: string) {
    if (!query.startsWith('subscription')) {
      line.next({ data: { eventCursor: `c${end}` } })
      line.complete()
      return
    }
    fake.subscribed.push({ variables, transport, authorization })
    const override = fake.overrides.shift()
    if (override) override(line)
    else {
      lines.add(line)
      for (let position = Number(String(variables['after']).slice(1)) + 1; position <= end; position += 1) {
        line.next(eventAt(position))
      }
    }
    changed()
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const rejection = fake.rejections.shift()
    if (rejection) {
      response.writeHead(rejection.status, { 'content-type': 'application/json' })
      response.end(typeof rejection.body === 'string' ? rejection.body : JSON.stringify(rejection.body ?? {}))
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
    const rejection = fake.rejections.shift()
    if (rejection) return socket.close(rejection.code)
    connections.add(socket)
    const own = new Map<string, Line>()
    socket.on('message', (text) => {
      const { type, id, payload } = JSON.parse(String(text))
      if (type === 'ping') socket.send('{"type":"pong"}')
      if (type === 'connection_init') {
        authorization = payload.authorization
        fake.keys.push(authorization)
        socket.send('{"type":"connection_ack"}')
      }
      if (type === 'complete') lines.delete(own.get(id) as Line)
      if (type === 'complete') changed()
      if (type !== 'subscribe') return
      const line: Line = {
        next: (result) => socket.send(JSON.stringify({ id, type: 'next', payload: result })),
        complete: () => socket.send(JSON.stringify({ id, type: 'complete' })),
        cut: (code) => (code === undefined ? socket.terminate() : socket.close(code)),
      }
      own.set(id, line)
      begin(payload, line, 'ws', authorization)
    })
    socket.on('close', () => {
      connections.delete(socket)
      for (const line of own.values()) lines.delete(line)
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

/** A document that can be resumed. */
export const query = 'subscription ($after: String) { events(after: $after) { cursor position } }'

/** The event fields that `query` selects. */
export interface Position {
  cursor: string
  position: number
}

/** Returns options without a wait between attempts. */
export function optionsFor(fake: FakeServer, more: Partial<IterateOptions> = {}): IterateOptions {
  return { url: fake.url, key: 'cmp_key', query, backOff: () => 0, ...more }
}

/** Reads events and returns their positions. */
export async function read(events: SubscriptionIterator<Position>, count: number): Promise<number[]> {
  const positions: number[] = []
  while (positions.length < count) {
    const { value } = await events.next()
    positions.push(value?.event.position ?? 0)
  }
  return positions
}
