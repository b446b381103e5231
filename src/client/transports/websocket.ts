import { createClient } from 'graphql-ws/client'
import { connectionLost, type GraphQLFormattedError, SubscriptionError, toSubscriptionError } from '../errors.ts'
import {
  type ApiKey,
  authorizationHeader,
  type Connect,
  type ExecutionResult,
  idleTimeoutMs,
  type Listener,
  newConnection,
  resolveUrl,
} from './connection.ts'

/** Error codes of WebSocket close codes. All other close codes mean CONNECTION_LOST. */
const errorCodes: Readonly<Record<number, string>> = {
  4400: 'BAD_REQUEST',
  4401: 'UNAUTHORIZED',
  4403: 'FORBIDDEN',
  4406: 'BAD_REQUEST',
  4410: 'TOO_SLOW',
  4411: 'RATE_LIMITED',
}

/** Close code of an access token that has expired since the connection was accepted. Before, the connection is refused. */
const tokenExpired = 4403

/** Time within which the server must acknowledge a connection. */
const ackTimeoutMs = 15_000

interface SocketOptions {
  readonly url: string | URL
  readonly key: ApiKey
  readonly webSocket?: unknown
}

/**
 * Returns the transport over WebSocket with the protocol graphql-transport-ws. All operations share a socket, which is open while
 * there are any.
 *
 * **Throws** NO_WEBSOCKET if the runtime has no WebSocket and none is passed.
 */
export function webSocketTransport(options: SocketOptions): Connect {
  const url = resolveUrl(options.url, 'ws')
  if (options.webSocket === undefined && typeof WebSocket === 'undefined') {
    throw new SubscriptionError(
      'NO_WEBSOCKET',
      'This runtime has no WebSocket: pass one as `webSocket`, or use the transport `sse`.',
    )
  }
  let socket: SharedSocket | undefined
  return (operation, listener) => {
    if (!socket?.isOpen()) socket = openSocket({ ...options, url })
    return socket.start(operation, listener)
  }
}

interface SharedSocket {
  isOpen(): boolean
  start: Connect
}

/** Opens a socket. If it is lost, or its key is no longer accepted, all of its operations end. */
function openSocket(options: SocketOptions & { readonly url: string }): SharedSocket {
  const unsubscribes = new Map<Listener, () => void>()
  let socket: Pick<WebSocket, 'close'> | undefined
  let isAccepted = false
  const accept = () => {
    isAccepted = true
    for (const listener of unsubscribes.keys()) listener.accept()
  }
  const end = (error?: SubscriptionError) => {
    for (const listener of unsubscribes.keys()) listener.end(error)
    unsubscribes.clear()
  }
  const connection = newConnection({ accept, result: () => undefined, end }, () => {
    // Otherwise, graphql-ws would connect again after code 1000, with the cursors of the start.
    for (const unsubscribe of unsubscribes.values()) unsubscribe()
    socket?.close(1000)
  })
  const client = createClient({
    url: options.url,
    connectionParams: async () => ({ authorization: await authorizationHeader(options.key) }),
    ...(options.webSocket !== undefined && { webSocketImpl: options.webSocket }),
    connectionAckWaitTimeout: ackTimeoutMs,
    keepAlive: idleTimeoutMs / 3,
    retryAttempts: 0,
    on: {
      opened: (opened) => {
        socket = opened as Pick<WebSocket, 'close'>
        if (!connection.isOpen()) socket.close(1000)
      },
      connected: accept,
      message: connection.keepAlive,
      closed: (event) => connection.end(toCloseError(event, isAccepted)),
    },
  })
  return {
    isOpen: connection.isOpen,
    start: ({ query, variables }, listener) => {
      const stop = () => {
        const wasOpen = unsubscribes.delete(listener)
        if (unsubscribes.size === 0) connection.close()
        return wasOpen
      }
      const unsubscribe = client.subscribe<Record<string, unknown>>(
        { query, variables: { ...variables } },
        {
          next: (next) => {
            const result = next as ExecutionResult
            // A refused key is that of all operations: with the next one, they need another socket.
            if (result.errors?.some(({ extensions }) => extensions?.code === 'UNAUTHORIZED'))
              connection.end(toSubscriptionError(result.errors))
            else if (unsubscribes.has(listener)) listener.result(result)
          },
          error: (error) => {
            if (!Array.isArray(error)) return connection.end(toCloseError(error, isAccepted))
            const cause = toSubscriptionError(error as GraphQLFormattedError[])
            if (cause.code === 'UNAUTHORIZED') connection.end(cause)
            else if (stop()) listener.end(cause)
          },
          complete: () => {
            if (stop()) listener.end()
          },
        },
      )
      unsubscribes.set(listener, unsubscribe)
      if (isAccepted) listener.accept()
      return () => {
        // graphql-ws counts an operation twice that both sides complete in the same turn, and then closes the socket of others.
        if (stop()) queueMicrotask(unsubscribe)
      }
    },
  }
}

function toCloseError(event: unknown, isAccepted: boolean): SubscriptionError {
  const { code, reason, message } = (event ?? {}) as { code?: unknown; reason?: unknown; message?: unknown }
  const text = [reason, message].find((value) => typeof value === 'string' && value !== '')
  if (typeof code !== 'number') return connectionLost(`The WebSocket failed${text ? `: ${text}` : ''}.`, event)
  const errorCode = isAccepted && code === tokenExpired ? undefined : errorCodes[code]
  const sentence = `The server closed the WebSocket with code ${code}${text ? `: ${text}` : ''}.`
  return errorCode ? new SubscriptionError(errorCode, sentence, { cause: event }) : connectionLost(sentence, event)
}
