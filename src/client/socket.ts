import { createClient } from 'graphql-ws/client'
import { addressOf, authorizationOf, type Connect, type Key, lifeOf, type Result, silenceMs } from './connection.ts'
import { type Fault, faultsToError, lost, SubscriptionError } from './errors.ts'

/** The close codes that say more than that the connection is gone. */
const meanings: Readonly<Record<number, string>> = {
  4400: 'BAD_REQUEST',
  4401: 'UNAUTHORIZED',
  4403: 'FORBIDDEN',
  4406: 'BAD_REQUEST',
  4410: 'TOO_SLOW',
  4411: 'RATE_LIMITED',
}

/** How long the server may take to let a socket in. */
const acknowledgeMs = 15_000

/**
 * Connections over WebSocket, by the protocol graphql-transport-ws. Each operation has a socket of its own, so that one
 * that the server closes takes no other with it.
 */
export function overWebSocket(options: { url: string | URL; key: Key; webSocket?: unknown }): Connect {
  const url = addressOf(options.url, 'ws')
  if (options.webSocket === undefined && typeof WebSocket === 'undefined') {
    throw new SubscriptionError('NO_WEBSOCKET', 'There is no WebSocket here: give one as `webSocket`, or use `sse`.')
  }
  return (operation, listener) => {
    let socket: Pick<WebSocket, 'close'> | undefined
    const life = lifeOf(listener, () => {
      unsubscribe()
      // The library leaves a socket open whose operation is completed from both sides at once.
      socket?.close(1000)
    })
    const client = createClient({
      url,
      connectionParams: async () => ({ authorization: await authorizationOf(options.key) }),
      ...(options.webSocket !== undefined && { webSocketImpl: options.webSocket }),
      connectionAckWaitTimeout: acknowledgeMs,
      keepAlive: silenceMs / 3,
      retryAttempts: 0,
      on: {
        opened: (opened) => {
          socket = opened as Pick<WebSocket, 'close'>
          if (!life.isOpen()) socket.close(1000)
        },
        message: life.heard,
        // The library would open a socket anew after a code 1000, with the cursor of long ago.
        closed: (event) => life.end(closedToError(event)),
      },
    })
    const unsubscribe = client.subscribe<Record<string, unknown>>(
      { query: operation.query, variables: { ...operation.variables } },
      {
        next: (result) => life.result(result as Result),
        error: (error) => life.end(Array.isArray(error) ? faultsToError(error as Fault[]) : closedToError(error)),
        complete: () => life.end(lost('The server ended the stream.')),
      },
    )
    return life.close
  }
}

function closedToError(event: unknown): SubscriptionError {
  const { code, reason, message } = (event ?? {}) as { code?: unknown; reason?: unknown; message?: unknown }
  const text = [reason, message].find((given) => typeof given === 'string' && given !== '')
  if (typeof code !== 'number') return lost(`The socket failed${text ? `: ${text}` : ''}.`, event)
  const meaning = meanings[code]
  const sentence = `The server closed the socket with ${code}${text ? `: ${text}` : ''}.`
  return meaning ? new SubscriptionError(meaning, sentence, { cause: event }) : lost(sentence, event)
}
