import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebSocket } from 'ws'

/**
 * The close code for a socket that takes what it asked for too slowly: come again, and resume after the last cursor. One
 * that the protocol has no other meaning for: its clients come again.
 */
export const tooSlow = [4410, 'TOO_SLOW: subscribe again after your last cursor'] as const

/** From so many bytes on that lie for a socket, events wait until it has taken them. */
const enoughUntaken = 65_536

/** What may lie for a socket at most when there is an answer for it, in bytes. */
const mostUntaken = 4_194_304

/** For each socket, when the last message has been taken. */
const lastTaken = new WeakMap<WebSocket, Promise<void>>()

/** Sends a message; resolves when the socket has taken it, or is gone. */
export function sendText(socket: WebSocket, text: string): Promise<void> {
  const taken = new Promise<void>((resolve) => socket.send(text, () => resolve()))
  lastTaken.set(socket, taken)
  return taken
}

/** Whether a socket has not taken what was sent, so that events wait. */
export function isFull(socket: WebSocket): boolean {
  return socket.bufferedAmount >= enoughUntaken && socket.readyState === socket.OPEN
}

/** Whether so much lies for a socket that it gets no more answers: its client sends operations and reads nothing. */
export function isTooSlow(socket: WebSocket): boolean {
  return socket.bufferedAmount >= mostUntaken
}

/** Waits until a socket may be no longer full; who waited must ask again, for others waited too. */
export async function someTaken(socket: WebSocket): Promise<void> {
  await lastTaken.get(socket)
  // What is no message of ours may fill it too, and then nothing here was waited for.
  await nextTurn()
}
