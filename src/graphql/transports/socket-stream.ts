import type { WebSocket } from 'ws'
import { cursorExpired, type EndReason, type Stream } from '../streams/stream.ts'
import { isBufferFull, sendText, tooSlow, waitForBuffer } from './socket-sending.ts'

/** Close code for a missing, invalid or disabled key. Clients do not reconnect. */
export const unauthorized = 4401

/**
 * Close code and reason for an access token that has expired since the socket was acknowledged. Clients reconnect: graphql-ws
 * takes 4401 as final, but tries again after 4403.
 */
export const tokenExpired = [4403, 'TOKEN_EXPIRED: connect with a new access token'] as const

/** Close code for an account whose cost points are used up. Clients reconnect later and resume after their last cursor. */
const budgetExhausted = 4411

/** Close code of a server that stops: Service Restart (IANA's registry of close codes). Clients reconnect. */
export const serviceRestart = 1012

/** Close code of a server that is unavailable at the moment. Clients reconnect. */
export const tryAgainLater = 1013

/** Close codes and reasons, by the reason for which a stream ended. */
const closeReasons: Partial<Readonly<Record<EndReason, readonly [code: number, reason: string]>>> = {
  spent: [budgetExhausted, 'RATE_LIMITED: subscribe again after your last cursor'],
  slow: tooSlow,
  revoked: [unauthorized, 'UNAUTHORIZED'],
  lapsed: tokenExpired,
  stopping: [serviceRestart, 'Service restart'],
}

/**
 * Sends the messages of a stream over a socket. Returns an iterator for graphql-ws that yields no values, because the
 * messages are sent directly as the text that all subscribers share. Reads the next message only when the send buffer has
 * space. If events arrive faster than the client reads, the stream ends and the socket is closed.
 */
export function sendStream(socket: WebSocket, id: string, stream: Stream): AsyncIterableIterator<never> {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`
  const { promise: expired, reject: expire } = Promise.withResolvers<never>()
  expired.catch(() => undefined)
  stream.onEnd = (reason) => {
    const close = closeReasons[reason]
    if (close) socket.close(...close)
    else if (reason === 'expired') expire(cursorExpired())
  }
  // The client may have disconnected while the subscription started.
  if (socket.readyState !== socket.OPEN) stream.return()

  const send = async () => {
    for await (const { text } of stream) {
      if (socket.readyState !== socket.OPEN) break
      const message = `${head}${text}}`
      while (isBufferFull(socket)) await waitForBuffer(socket)
      // The client may have disconnected meanwhile.
      if (socket.readyState === socket.OPEN) sendText(socket, message)
    }
  }
  const done = { done: true, value: undefined } as const
  const iterator: AsyncIterableIterator<never> = {
    [Symbol.asyncIterator]: () => iterator,
    next: async () => {
      await Promise.race([send(), expired])
      return done
    },
    return: async () => {
      await stream.return()
      return done
    },
  }
  return iterator
}
