import type { WebSocket } from 'ws'
import { cursorExpired, type Ending, type Stream } from './streams.ts'

/** The close code for a socket whose key is missing, invalid or disabled; clients take it as final. */
export const unauthorized = 4401

/**
 * The close code for a socket that takes its events too slowly: come again, and resume after the last cursor. One that the
 * protocol has no other meaning for: its clients come again.
 */
const tooSlow = 4410

/** The close code of a server that goes away; clients come again. */
export const goingAway = 1001

/** How a socket hears why its stream was ended. */
const closing: Partial<Readonly<Record<Ending, readonly [code: number, reason: string]>>> = {
  slow: [tooSlow, 'TOO_SLOW: subscribe again after your last cursor'],
  revoked: [unauthorized, 'UNAUTHORIZED'],
  stopping: [goingAway, 'Going away'],
}

/** From so many bytes on that lie for a socket, a stream waits before it takes its next event. */
const enoughUntaken = 65_536

/** What may lie for a socket at most, all its streams together, in bytes. */
const mostUntaken = 4_194_304

/**
 * What graphql-ws goes through in place of a stream: it sends each answer itself, as the text that was made once for all
 * who get it, and yields nothing but its end. Nothing is taken from the stream while the socket does not take what was
 * sent; what comes too fast for that ends the stream, and closes the socket.
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
      // A socket that breaks says so itself.
      if (socket.bufferedAmount < enoughUntaken) socket.send(message, () => undefined)
      else await new Promise((resolve) => socket.send(message, resolve))
      if (socket.bufferedAmount > mostUntaken) stream.end('slow')
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
