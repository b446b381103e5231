import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebSocket } from 'ws'

/**
 * Close code of a socket whose client reads too slowly. The client should reconnect and resume after its last cursor. The
 * protocol gives the code no other meaning, so client libraries reconnect.
 */
export const tooSlow = [4410, 'TOO_SLOW: subscribe again after your last cursor'] as const

/** Bytes in the send buffer of a socket from which on events wait. */
const highWaterMark = 65_536

/** Bytes in the send buffer of a socket from which on it is closed instead of receiving another result. */
const maxBufferedBytes = 4_194_304

/** The last message of each socket; resolves when it was written. */
const lastSent = new WeakMap<WebSocket, Promise<void>>()

/** Sends a message. Resolves when it was written to the socket, or the socket is closed. */
export function sendText(socket: WebSocket, text: string): Promise<void> {
  const sent = new Promise<void>((resolve) => socket.send(text, () => resolve()))
  lastSent.set(socket, sent)
  return sent
}

/** Returns whether events must wait for the send buffer of a socket. */
export function isBufferFull(socket: WebSocket): boolean {
  return socket.bufferedAmount >= highWaterMark && socket.readyState === socket.OPEN
}

/** Returns whether the client sends operations but does not read the results. */
export function isTooSlow(socket: WebSocket): boolean {
  return socket.bufferedAmount >= maxBufferedBytes
}

/** Waits for the last message of a socket. Other events wait too, so callers must check `isBufferFull` again. */
export async function waitForBuffer(socket: WebSocket): Promise<void> {
  await lastSent.get(socket)
  // Pings fill the buffer too. Without a message to wait for, this keeps the caller's loop asynchronous.
  await nextTurn()
}
