import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { networkOf } from '../kernel/address.ts'
import { newClientPool, type PoolLimits } from './client-pool.ts'

/** How long a client may take to send a request and to read the response. */
export interface ClientTimeouts {
  /** Maximum time until the body of a request has arrived, in milliseconds. A route can have its own. */
  readonly bodyMs: number
  /** Maximum time without progress while a client reads a response, in milliseconds. */
  readonly responseMs: number
}

export const defaultTimeouts: ClientTimeouts = { bodyMs: 30_000, responseMs: 60_000 }

/** Maximum number of requests whose body has not arrived, and maximum bytes of responses that clients have not read. */
export const slowClientLimits = {
  bodies: { network: 128, all: 512 },
  unreadBytes: { network: 33_554_432, all: 134_217_728 },
} as const satisfies Readonly<Record<string, PoolLimits>>

/** Time between two looks at a file transfer in milliseconds, and how many bytes it must have moved meanwhile. */
const [transferLookMs, minTransferBytes] = [30_000, 61_440]

/** Limits what clients hold that are slower than the server: none of it takes a slot of a request that can be executed. */
interface SlowClients {
  /**
   * Closes a connection whose request body takes longer than `timeoutMs`, or is the oldest of too many. An upload has a slot of its own.
   */
  limitBody(http: Context, options: { readonly timeoutMs: number; readonly isUpload: boolean }): void
  /**
   * Closes a connection whose client does not read the response for `timeoutMs`, or whose response is the oldest of too many bytes, unless the
   * operating system has taken all of it already.
   */
  limitResponse(http: Context, timeoutMs: number): void
  /** Closes the connection of a file transfer that hardly moves, so that it does not keep its slot. */
  limitTransfer(http: Context): void
}

/** Creates the limits of a process. */
export function newSlowClients(): SlowClients {
  const bodies = newClientPool(slowClientLimits.bodies)
  const unread = newClientPool(slowClientLimits.unreadBytes)
  return {
    limitBody: ({ req, ip }, { timeoutMs, isUpload }) => {
      if (!hasBody(req)) return
      // Node reports a request before it parses the rest of the packet, with which most bodies are complete: they need no timer.
      setImmediate(() => {
        if (req.complete || req.destroyed) return
        const timer = setTimeout(() => req.complete || req.destroy(), timeoutMs)
        const leave = isUpload ? undefined : bodies.enter(networkOf(ip), 1, () => req.complete || req.destroy())
        const stop = () => {
          clearTimeout(timer)
          leave?.()
        }
        req.once('end', stop)
        req.once('close', stop)
      })
    },
    limitResponse: ({ req, res, ip }, timeoutMs) => {
      if (res.writableEnded && res.writableLength === 0) return
      req.socket.setTimeout(timeoutMs)
      // Koa sends the response after its middleware.
      setImmediate(() => {
        const { writableLength } = res
        if (writableLength === 0 || res.destroyed) return
        const leave = unread.enter(networkOf(ip), writableLength, () => req.socket.destroy())
        res.once('finish', leave)
        res.once('close', leave)
      })
    },
    limitTransfer: ({ req: { socket }, res }) => {
      let before = socket.bytesRead + socket.bytesWritten
      const timer = setInterval(() => {
        const now = socket.bytesRead + socket.bytesWritten
        if (now - before < minTransferBytes) socket.destroy()
        before = now
      }, transferLookMs)
      res.once('close', () => clearInterval(timer))
    },
  }
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
