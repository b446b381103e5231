import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { networkOf } from '../../kernel/values/address.ts'
import { newClientPool, type PoolLimits } from './client-pool.ts'

/** How long a client may take to send a request and to read the response. */
export interface ClientTimeouts {
  /** Maximum time until the body of a request has arrived, in milliseconds. A route can have its own. */
  readonly bodyMs: number
  /** Maximum time without progress while a client reads a response, in milliseconds. */
  readonly responseMs: number
  /** Time in which a file transfer that waits for its client must move `minTransferBytes`, in milliseconds. */
  readonly transferMs: number
}

export const defaultTimeouts: ClientTimeouts = { bodyMs: 30_000, responseMs: 60_000, transferMs: 30_000 }

const mebibyte = 1_048_576

/**
 * Maximum bytes of requests whose body has not arrived, as long as they may become, and of responses that clients have not read.
 */
const limits = {
  bodies: { network: 64 * mebibyte, all: 256 * mebibyte },
  unread: { network: 32 * mebibyte, all: 128 * mebibyte },
} as const satisfies Readonly<Record<string, PoolLimits>>

/** Least number of bytes that an unfinished body counts, because its connection takes memory too. */
const leastBodyBytes = mebibyte / 2

/** Maximum number of requests of a network whose body has not arrived. */
export const unfinishedPerNetwork = limits.bodies.network / leastBodyBytes

/** Least number of bytes that a file transfer moves in `transferMs`. */
const minTransferBytes = 61_440

/** Limits what clients hold that are slower than the server: none of it takes a slot of a request that can be executed. */
interface SlowClients {
  /**
   * Closes a connection whose request body takes longer than `timeoutMs`, or is the oldest of too many bytes. `maxBytes` is the
   * longest body of the route, by default a mebibyte. An upload has a slot of its own.
   */
  limitBody(http: Context, options: BodyOptions): void
  /**
   * Closes a connection whose client does not read the response for `timeoutMs`, or whose response is the oldest of too many
   * bytes, unless the operating system has taken all of it already. Responses that are written while they are read, such as
   * events, hold little.
   */
  limitResponse(http: Context, timeoutMs: number): void
  /** Closes the connection of a file transfer whose client hardly sends or reads, so that it does not keep its slot. */
  limitTransfer(http: Context, timeoutMs: number): void
}

interface BodyOptions {
  readonly timeoutMs: number
  readonly isUpload: boolean
  readonly maxBytes: number | undefined
}

/** Creates the limits of a process. */
export function newSlowClients(): SlowClients {
  const bodies = newClientPool(limits.bodies)
  const unread = newClientPool(limits.unread)
  return {
    limitBody: ({ req, ip }, { timeoutMs, isUpload, maxBytes = mebibyte }) => {
      if (!hasBody(req)) return
      // Node reports a request before it parses the rest of the packet, with which most bodies are complete: they need no timer.
      setImmediate(() => {
        if (req.complete || req.destroyed) return
        const timer = setTimeout(() => req.complete || req.destroy(), timeoutMs)
        const bytes = Math.max(Math.min(Number(req.headers['content-length'] ?? maxBytes), maxBytes), leastBodyBytes)
        const leave = isUpload ? undefined : bodies.enter(networkOf(ip), bytes, () => req.complete || req.destroy())
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
        if (!res.writableEnded || res.writableLength === 0 || res.destroyed) return
        const leave = unread.enter(networkOf(ip), res.writableLength, () => req.socket.destroy())
        res.once('finish', leave)
        res.once('close', leave)
      })
    },
    limitTransfer: ({ req, res }, timeoutMs) => {
      const { socket } = req
      let before = socket.bytesRead + socket.bytesWritten
      const timer = setInterval(() => {
        const now = socket.bytesRead + socket.bytesWritten
        // Otherwise the server is the slower one: it looks for rows, or stores what it has received.
        const waitsForClient = res.writableLength > 0 || (!req.complete && req.readableLength === 0)
        if (waitsForClient && now - before < minTransferBytes) socket.destroy()
        before = now
      }, timeoutMs)
      res.once('close', () => clearInterval(timer))
    },
  }
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
