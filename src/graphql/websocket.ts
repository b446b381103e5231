import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ExecutionArgs, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ConcurrencyLimiter } from '../kernel/concurrency.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { type Admit, turnedAway } from './door.ts'
import type { Executor, Ready } from './execute.ts'
import { limits } from './limits.ts'
import type { Request } from './request.ts'
import { goingAway, sentThrough, tryAgainLater, unauthorized } from './socket-stream.ts'
import { speakGraphql } from './sockets.ts'

/** How long sockets have to close when the server stops, in milliseconds. */
const partingTime = 1_000

/** The answer to an upgrade of any path but `/graphql`. */
const notHere = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

type Prepared = ExecutionArgs & {
  readonly ready: Ready
  readonly request: Request
  readonly socket: WebSocket
  /** Of the operation, within its socket. */
  readonly id: string
  readonly startedAt: number
}

/**
 * `/graphql` over WebSocket, by the protocol graphql-transport-ws. The key comes in `connectionParams.authorization`; each
 * operation is admitted and counted by itself, so a key that was disabled meanwhile is refused. Any page may connect: a
 * browser sends no key by itself.
 */
export function graphqlOverWebSocket(options: {
  server: Server
  schema: GraphQLSchema
  executor: Executor
  admit: Admit
  gate: ConcurrencyLimiter
  metrics: Metrics
  log: Log
}): { close(): Promise<void> } {
  const { server, schema, executor, admit, gate, metrics, log } = options
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.bodyBytes,
    perMessageDeflate: false,
    // Many operations may come in one piece: each is read in a turn of the event loop of its own.
    allowSynchronousEvents: false,
  })
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node's HTTP server no longer listens to this socket, and an error that nothing listens to ends the process.
    socket.on('error', () => socket.destroy())
    if (request.url?.split('?')[0] !== '/graphql') {
      socket.end(notHere, () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit('connection', webSocket, request))
  }
  server.on('upgrade', upgrade)

  speakGraphql(
    sockets,
    {
      onConnect: async ({ connectionParams, extra }) => {
        try {
          await admit(keyOf(connectionParams), true)
          return true
        } catch (error) {
          const away = turnedAway(error)
          if (!away) throw error
          if (away.status === 503) extra.socket.close(tryAgainLater, 'UNAVAILABLE')
          else extra.socket.close(unauthorized, 'UNAUTHORIZED')
          return false
        }
      },
      onSubscribe: async ({ connectionParams, extra }, id, asked) => {
        try {
          const request: Request = {
            admitted: await admit(keyOf(connectionParams)),
            idempotencyKey: idempotencyKeyOf(asked.extensions),
            socket: extra.socket,
          }
          const ready = executor.prepare(asked)
          if ('refusal' in ready) return ready.refusal.errors ?? []
          const { document, operationName, variables: variableValues } = ready
          const args: ExecutionArgs = { schema, document, operationName, variableValues }
          const { socket } = extra
          const prepared: Prepared = { ...args, ready, request, socket, id, startedAt: performance.now() }
          return prepared
        } catch (error) {
          const away = turnedAway(error)
          if (!away) throw error
          return away.body.errors as readonly GraphQLError[]
        }
      },
      execute: async (args) => {
        const { ready, request } = args as Prepared
        return inTurn(gate, request, () => executor.run(ready, request))
      },
      subscribe: async (args) => {
        const { ready, request, socket, id } = args as Prepared
        const answer = await inTurn(gate, request, () => executor.subscribe(ready, request, 'websocket'))
        return Symbol.asyncIterator in answer ? sentThrough(socket, id, answer) : answer
      },
      onOperation: (_ctx, _id, _payload, args) => {
        const { ready, startedAt } = args as Prepared
        metrics.request(
          { door: 'websocket', route: ready.trustedName ?? 'untrusted', status: 200 },
          (performance.now() - startedAt) / 1000,
        )
      },
    },
    log,
  )
  return {
    close: async () => {
      server.off('upgrade', upgrade)
      // Closing waits for the other side, which may not be there any more.
      const deadline = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate()
      }, partingTime)
      for (const socket of sockets.clients) socket.close(goingAway, 'Going away')
      await new Promise((resolve) => sockets.close(resolve))
      clearTimeout(deadline)
    },
  }
}

/** Does work in the turn of an account; answers the refusal where that does not come. */
async function inTurn<Result>(
  gate: ConcurrencyLimiter,
  { admitted }: Request,
  work: () => Promise<Result>,
): Promise<Result | ExecutionResult> {
  return gate.run(admitted.accountId, work).catch((error: unknown) => {
    const away = turnedAway(error)
    if (!away) throw error
    return away.body
  })
}

function keyOf(connectionParams: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const key = connectionParams?.['authorization'] ?? connectionParams?.['Authorization']
  return typeof key === 'string' ? key : undefined
}

/** Over WebSocket there are no headers per operation: the idempotency key may travel in its extensions. */
function idempotencyKeyOf(extensions: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const key = extensions?.['idempotencyKey']
  return typeof key === 'string' ? key : undefined
}
