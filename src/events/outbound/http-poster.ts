import type { LookupAddress } from 'node:dns'
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Outbound } from '../../kernel/web/outbound.ts'

/** A response, with the start of its body. */
export interface HttpResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

interface PostRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Aborts the request. */
  readonly signal: AbortSignal
}

export interface HttpPoster {
  /**
   * Sends one POST and returns the response, whatever its status. Rejects if there is no response, with ForbiddenAddress if the
   * address is not allowed.
   */
  post(request: PostRequest): Promise<HttpResponse>
  /** Closes idle connections. */
  close(): void
}

/** The maximum size of a stored response body. The rest is not read: the connection is closed. */
const maxResponseBytes = 16 * 1024

/** Limits of the connections that are kept for further messages. */
const agentOptions = {
  keepAlive: true,
  maxFreeSockets: 2,
  maxTotalSockets: 500,
  timeout: 20_000,
  scheduling: 'lifo',
} as const

/**
 * Returns a client that sends POST requests to URLs of accounts. It does not follow redirects. A name is resolved once and its
 * addresses are checked; the connection uses these addresses, so a changed DNS record cannot bypass the check.
 */
export function newHttpPoster(outbound: Outbound): HttpPoster {
  const agents = { 'http:': new PlainAgent(agentOptions), 'https:': new TlsAgent(agentOptions) }
  const send = (
    post: PostRequest,
    addresses: readonly LookupAddress[],
    isNewConnection = false,
  ): Promise<HttpResponse> =>
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
        // Without an agent, the connection is new and is not kept.
        agent: isNewConnection ? (false as const) : agents[isTls ? 'https:' : 'http:'],
      }
      const request = (isTls ? tlsRequest : plainRequest)(url, options, (response) => {
        readResponse(response).then(resolve, reject)
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed an idle connection just as it was reused, so the message was not processed.
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        if (isStale && !signal.aborted) send(post, addresses, true).then(resolve, reject)
        else reject(error)
      })
      request.end(body)
    })
  return {
    post: async (request) => send(request, await withAbort(outbound.reach(request.url), request.signal)),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxResponseBytes) break
  }
  // Leaving the loop early destroys the response and closes its connection.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxResponseBytes))
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: text.replaceAll('\0', ''),
  }
}

/** Rejects when the signal aborts. The work itself continues, because DNS resolution cannot be cancelled. */
function withAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(signal.reason)
    if (signal.aborted) expire()
    signal.addEventListener('abort', expire, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
  })
}
