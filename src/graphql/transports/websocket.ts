import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ExecutionArgs, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql'
import { type WebSocket, WebSocketServer } from 'ws'
import { ClientGone, ExpiredToken } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import type { ConcurrencyLimiter } from '../../kernel/work/request-slots.ts'
import { limits } from '../documents/limits.ts'
import type { PreparedOperation } from '../documents/prepared-operation.ts'
import type { Executor } from '../execute.ts'
import { type Admit, errorResponseOf } from '../execution/admission.ts'
import type { Request } from '../execution/request.ts'
import type { Sessions } from './sessions.ts'
import { newSocketPlaces, type SocketPlaces } from './socket-places.ts'
import { sendStream, serviceRestart, tokenExpired, tryAgainLater, unauthorized } from './socket-stream.ts'
import { type SocketContext, type SocketHandlers, serveGraphqlSockets } from './sockets.ts'

/** How long clients have to close their sockets when the server stops, in milliseconds. */
const closeTimeoutMs = 1_000

/** Returns whether a request asks for a WebSocket at `/graphql`. */
function isWebSocketRequest({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?')[0] === '/graphql' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Response to another upgrade request. Node.js serves them itself from version 22.21 on. */
const notFound = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** Response if there is no place for another socket. */
const noPlace = 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

type OperationArgs = ExecutionArgs & {
  readonly operation: PreparedOperation
  readonly request: Request
  readonly socket: WebSocket
  /** ID of the operation, unique within its socket. */
  readonly id: string
  readonly startedAt: number
}

interface WebSocketOptions {
  readonly server: Server
  readonly schema: GraphQLSchema
  readonly executor: Executor
  readonly admit: Admit
  readonly sessions: Sessions
  readonly limiter: ConcurrencyLimiter
  /** Returns the IP address of the client of a connection. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly metrics: Metrics
  readonly log: Log
}

/**
 * Serves `/graphql` over WebSocket in the protocol graphql-transport-ws. The key is in `connectionParams.authorization`. Without
 * one, the session of the upgrade request applies, if a page of this server opened the socket. Each operation is authenticated
 * and counted separately, so a key that was disabled meanwhile is refused. An access token that expires closes its socket with
 * `tokenExpired`, whether an operation runs or not. Connections from all origins are allowed, because a browser does not send the
 * key by itself. Sockets whose client has not said who it is have limits of their own (`socketLimits`).
 */
export function graphqlOverWebSocket(options: WebSocketOptions): { close(): Promise<void> } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.bodyBytes,
    perMessageDeflate: false,
    // Each operation starts in its own turn of the event loop, even if many arrive in one packet.
    allowSynchronousEvents: false,
  })
  const places = newSocketPlaces(options.addressOf)
  const stopUpgrades = serveUpgrades(options.server, sockets, places)
  const admitSocket = newAdmitSocket(options)
  serveGraphqlSockets(
    sockets,
    { onConnect: newOnConnect(admitSocket, places), ...operationHandlers(admitSocket, options) },
    options.log,
  )
  return {
    close: async () => {
      stopUpgrades()
      await closeSockets(sockets)
    },
  }
}

/** Opens a socket for each request that asks for one, if there is a place. Returns what stops it. */
function serveUpgrades(server: Server, sockets: WebSocketServer, places: SocketPlaces): () => void {
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node's HTTP server has removed its listeners, and an error without a listener ends the process.
    socket.on('error', () => socket.destroy())
    if (!isWebSocketRequest(request)) {
      socket.end(notFound, () => socket.destroy())
      return
    }
    if (!places.take(request, socket, head)) {
      socket.end(noPlace, () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      // Each operation of a socket waits for its close.
      webSocket.setMaxListeners(0)
      sockets.emit('connection', webSocket, request)
    })
  }
  // A request for another protocol, or at another path, is served as if it had not asked for it.
  Object.assign(server, { shouldUpgradeCallback: isWebSocketRequest })
  server.on('upgrade', upgrade)
  return () => server.off('upgrade', upgrade)
}

async function closeSockets(sockets: WebSocketServer): Promise<void> {
  // The close handshake waits for the client, which may have disconnected.
  const deadline = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate()
  }, closeTimeoutMs)
  for (const socket of sockets.clients) socket.close(serviceRestart, 'Service restart')
  await new Promise((resolve) => sockets.close(resolve))
  clearTimeout(deadline)
}

type AdmitSocket = (socket: SocketContext, isCounted?: boolean) => ReturnType<Admit>

/** Returns what admits the holder of the key or session of a socket. */
function newAdmitSocket({ admit, sessions, addressOf }: WebSocketOptions): AdmitSocket {
  return ({ connectionParams, extra: { request } }, isCounted) =>
    admit(
      {
        ...{ authorization: keyOf(connectionParams), session: sessions.ofUpgrade(request) },
        ...{ address: addressOf(request), acceptsTokens: true },
      },
      isCounted,
    )
}

/** Returns the handler of `connection_init`. */
function newOnConnect(admitSocket: AdmitSocket, places: SocketPlaces): NonNullable<SocketHandlers['onConnect']> {
  return async (opened) => {
    const { socket, request } = opened.extra
    try {
      const { token } = await admitSocket(opened, true)
      places.acknowledge(request)
      if (token) closeAfter(socket, token.expiresInMs)
      return true
    } catch (error) {
      const response = errorResponseOf(error)
      if (!response) throw error
      if (response.status === 503) socket.close(tryAgainLater, 'UNAVAILABLE')
      else socket.close(unauthorized, 'UNAUTHORIZED')
      return false
    }
  }
}

/** Closes a socket when its access token expires. */
function closeAfter(socket: WebSocket, expiresInMs: number): void {
  // The client may have disconnected while its token was read.
  if (socket.readyState === socket.CLOSED) return
  const timer = setTimeout(() => socket.close(...tokenExpired), expiresInMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Returns the handlers of operations: `onSubscribe` prepares one, and the others execute what it returns. */
function operationHandlers(admitSocket: AdmitSocket, options: WebSocketOptions) {
  const { schema, executor, limiter, addressOf, metrics } = options
  return {
    onSubscribe: async (opened, id, params) => {
      const { socket, request: upgrade } = opened.extra
      try {
        const request: Request = {
          admitted: await admitSocket(opened),
          address: addressOf(upgrade),
          idempotencyKey: idempotencyKeyOf(params.extensions),
          socket,
        }
        const operation = executor.prepare(params, request.admitted)
        if ('refusal' in operation) return operation.refusal.errors ?? []
        const { document, operationName, variables: variableValues } = operation
        const args: ExecutionArgs = { schema, document, operationName, variableValues }
        const prepared: OperationArgs = { ...args, operation, request, socket, id, startedAt: performance.now() }
        return prepared
      } catch (error) {
        // The operation may arrive before the timer of the socket fires. Its error would end the operation for good.
        if (error instanceof ExpiredToken) socket.close(...tokenExpired)
        const response = errorResponseOf(error)
        if (!response) throw error
        return response.body.errors as readonly GraphQLError[]
      }
    },
    execute: async (args) => {
      const { operation, request, socket } = args as OperationArgs
      return runLimited(limiter, { request, socket }, () => executor.run(operation, request))
    },
    subscribe: async (args) => {
      const { operation, request, socket, id } = args as OperationArgs
      const subscribe = () => executor.subscribe(operation, request, 'websocket')
      const result = await runLimited(limiter, { request, socket }, subscribe)
      return Symbol.asyncIterator in result ? sendStream(socket, id, result) : result
    },
    onOperation: (_ctx, _id, _payload, args, result) => {
      const { operation, startedAt } = args as OperationArgs
      metrics.request(
        {
          ...{ transport: 'websocket', route: operation.trustedName ?? 'untrusted' },
          status: result === unsent ? 'closed' : 200,
        },
        (performance.now() - startedAt) / 1000,
      )
    },
  } satisfies SocketHandlers
}

/** The result of an operation whose socket was closed before it was executed. */
const unsent: ExecutionResult = {}

/**
 * Runs work within the concurrency limits of the account. Returns a result with UNAVAILABLE if a limit is reached, and `unsent`
 * without running it if the socket was closed meanwhile.
 */
async function runLimited<Result>(
  limiter: ConcurrencyLimiter,
  { request, socket }: Pick<OperationArgs, 'request' | 'socket'>,
  work: () => Promise<Result>,
): Promise<Result | ExecutionResult> {
  if (socket.readyState === socket.CLOSED) return unsent
  return limiter.run(request.admitted.accountId, work, socket).catch((error: unknown) => {
    if (error instanceof ClientGone) return unsent
    const response = errorResponseOf(error)
    if (!response) throw error
    return response.body
  })
}

function keyOf(connectionParams: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const key = connectionParams?.['authorization'] ?? connectionParams?.['Authorization']
  return typeof key === 'string' ? key : undefined
}

/** Reads the idempotency key from the extensions, because an operation over WebSocket has no headers. */
function idempotencyKeyOf(extensions: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const key = extensions?.['idempotencyKey']
  return typeof key === 'string' ? key : undefined
}
