import { createClient } from 'graphql-ws/client'
import {
  type ApiKey,
  authorizationHeader,
  type Connect,
  type ExecutionResult,
  idleTimeoutMs,
  newConnection,
  resolveUrl,
} from './connection.ts'
import { connectionLost, type GraphQLFormattedError, SubscriptionError, toSubscriptionError } from './errors.ts'

/** Error codes of WebSocket close codes. All other close codes mean CONNECTION_LOST. */
const errorCodes: Readonly<Record<number, string>> = {
  4400: 'BAD_REQUEST',
  4401: 'UNAUTHORIZED',
  4403: 'FORBIDDEN',
  4406: 'BAD_REQUEST',
  4410: 'TOO_SLOW',
  4411: 'RATE_LIMITED',
}

/** Time within which the server must acknowledge a connection. */
const ackTimeoutMs = 15_000

/**
 * Returns the transport over WebSocket with the protocol graphql-transport-ws. Each operation has its own socket, so that
 * the server cannot end several operations by closing one.
 *
 * **Throws** NO_WEBSOCKET if the runtime has no WebSocket and none is passed.
 */
export function webSocketTransport(options: { url: string | URL; key: ApiKey; webSocket?: unknown }): Connect {
  const url = resolveUrl(options.url, 'ws')
  if (options.webSocket === undefined && typeof WebSocket === 'undefined') {
    throw new SubscriptionError(
      'NO_WEBSOCKET',
      'This runtime has no WebSocket: pass one as `webSocket`, or use the transport `sse`.',
    )
  }
  return (operation, listener) => {
    let socket: Pick<WebSocket, 'close'> | undefined
    const connection = newConnection(listener, () => {
      unsubscribe()
      // graphql-ws leaves a socket open if both sides complete the operation at the same time.
      socket?.close(1000)
    })
    const client = createClient({
      url,
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
        message: connection.keepAlive,
        // After code 1000, graphql-ws would reconnect with the outdated cursor. Ending the connection prevents that.
        closed: (event) => connection.end(toCloseError(event)),
      },
    })
    const unsubscribe = client.subscribe<Record<string, unknown>>(
      { query: operation.query, variables: { ...operation.variables } },
      {
        next: (result) => connection.result(result as ExecutionResult),
        error: (error) =>
          connection.end(
            Array.isArray(error) ? toSubscriptionError(error as GraphQLFormattedError[]) : toCloseError(error),
          ),
        complete: () => connection.end(),
      },
    )
    return connection.close
  }
}

function toCloseError(event: unknown): SubscriptionError {
  const { code, reason, message } = (event ?? {}) as { code?: unknown; reason?: unknown; message?: unknown }
  const text = [reason, message].find((value) => typeof value === 'string' && value !== '')
  if (typeof code !== 'number') return connectionLost(`The WebSocket failed${text ? `: ${text}` : ''}.`, event)
  const errorCode = errorCodes[code]
  const sentence = `The server closed the WebSocket with code ${code}${text ? `: ${text}` : ''}.`
  return errorCode ? new SubscriptionError(errorCode, sentence, { cause: event }) : connectionLost(sentence, event)
}
