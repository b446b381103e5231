import type { LookupAddress } from 'node:dns'
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Outbound } from '../../kernel/outbound.ts'

/** What came back: no more of the body than is worth keeping. */
export interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/** What is sent, and where. */
export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Ends it, however far it has come. */
  readonly signal: AbortSignal
}

export interface Poster {
  /**
   * Sends one POST and answers what came back, also where that says no. Rejects where nothing did, and with Forbidden where
   * the address may not be called.
   */
  post(post: Post): Promise<Answer>
  /** Lets go of connections that are kept for the next message. */
  close(): void
}

/** A receiver's answer is read so far; then the connection is cut, so that a long one costs nothing. */
export const mostKept = 16 * 1024

/** Connections are kept for the next message: so many in all, and none for long. */
const kept = { keepAlive: true, maxFreeSockets: 2, maxTotalSockets: 500, timeout: 20_000, scheduling: 'lifo' } as const

/**
 * Sends messages to addresses that accounts name. Redirects are answers like others. A name is resolved once, and looked at:
 * the connection goes to what was found, or is one that went there before.
 */
export function newPoster(outbound: Outbound | undefined): Poster {
  const agents = { 'http:': new PlainAgent(kept), 'https:': new TlsAgent(kept) }
  const once = (post: Post, addresses: readonly LookupAddress[], isFresh = false): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { url, headers, body, signal } = post
      const isTls = url.protocol === 'https:'
      const lookup: LookupFunction = (_hostname, options, callback) => {
        const [first] = addresses
        if (options.all) callback(null, [...addresses])
        else callback(null, first?.address ?? '', first?.family)
      }
      const options = {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup,
        signal,
        // A connection of its own, without an agent that would keep it.
        agent: isFresh ? (false as const) : agents[isTls ? 'https:' : 'http:'],
      }
      const request = (isTls ? tlsRequest : plainRequest)(url, options, (response) => {
        read(response).then(resolve, reject)
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed a kept connection at the moment we took it up: that says nothing of this message.
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        if (isStale && !signal.aborted) once(post, addresses, true).then(resolve, reject)
        else reject(error)
      })
      request.end(body)
    })
  return {
    post: async (post) => {
      if (!outbound) throw new Error('Nothing is called here.')
      return once(post, await inTime(outbound.reach(post.url), post.signal))
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostKept) break
  }
  // Leaving the loop early has destroyed the response, and its connection with it.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, mostKept))
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: text.replaceAll('\0', ''),
  }
}

/** Resolving a name cannot be broken off: it is left alone when the time is up. */
function inTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(signal.reason)
    if (signal.aborted) expire()
    signal.addEventListener('abort', expire, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
  })
}
