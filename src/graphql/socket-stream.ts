import type { WebSocket } from 'ws'
import { isFull, sendText, someTaken, tooSlow } from './socket-sending.ts'
import { cursorExpired, type Ending, type Stream } from './streams.ts'

/** The close code for a socket whose key is missing, invalid or disabled; clients take it as final. */
export const unauthorized = 4401

/** The close code for a socket whose account has used up its cost points: come again later, after the last cursor. */
const budgetSpent = 4411

/** The close code of a server that goes away; clients come again. */
export const goingAway = 1001

/** The close code of a server that cannot serve the client at the moment; clients come again. */
export const tryAgainLater = 1013

/** How a socket hears why its stream was ended. */
const closing: Partial<Readonly<Record<Ending, readonly [code: number, reason: string]>>> = {
  spent: [budgetSpent, 'RATE_LIMITED: subscribe again after your last cursor'],
  slow: tooSlow,
  revoked: [unauthorized, 'UNAUTHORIZED'],
  stopping: [goingAway, 'Going away'],
}

/**
 * What graphql-ws goes through in place of a stream: it sends each answer itself, as the text that was made once for all
 * who get it, and yields nothing but its end. Nothing is taken from the stream while the socket does not take what was
 * sent; a stream whose events come too fast for that ends, and the socket is closed.
 */
export function sentThrough(socket: WebSocket, id: string, stream: Stream): AsyncIterableIterator<never> {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`
  const { promise: expired, reject: expire } = Promise.withResolvers<never>()
  expired.catch(() => undefined)
  stream.onEnd = (why) => {
    const close = closing[why]
    if (close) socket.close(...close)
    else expire(cursorExpired())
  }
  // It may have gone while we subscribed.
  if (socket.readyState !== socket.OPEN) stream.return()

  const send = async () => {
    for await (const { text } of stream) {
      if (socket.readyState !== socket.OPEN) break
      const message = `${head}${text}}`
      while (isFull(socket)) await someTaken(socket)
      // A socket that breaks says so itself.
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
