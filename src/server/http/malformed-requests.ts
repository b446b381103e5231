import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Returns the response body for a request that is not valid HTTP. */
type MalformedRequestBody = (status: number, message: string) => unknown

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that could not be parsed. */
  readonly rawPacket?: Buffer
}

const statuses: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', 'The chunk extensions of the body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
}
const badRequest = [400, 'Bad Request', 'The request is not valid HTTP.'] as const

/** Idle time after which the connection of a refused client is destroyed, in milliseconds. */
const lingerTimeoutMs = 1_000

/**
 * Responds with a JSON body to requests that Node's HTTP parser refuses (invalid characters in the URL, headers over the
 * limit), and closes the connection. `/graphql` responds with a GraphQL error, other paths with the result of `bodyOf`.
 */
export function handleMalformedRequests(server: Server, bodyOf: MalformedRequestBody): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // `_httpMessage` is the response that Node is writing. A second one on the same connection would corrupt it.
    const { _httpMessage: current } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
    if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) return void socket.destroy()
    const [status, reason, message] = statuses[error.code ?? ''] ?? badRequest
    const body = JSON.stringify(
      isForGraphql(error.rawPacket)
        ? { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] }
        : bodyOf(status, message),
    )
    // Discards further input: closing immediately could reset the connection before the client reads the response.
    socket.resume()
    socket.setTimeout(lingerTimeoutMs, () => socket.destroy())
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
}

function isForGraphql(packet: Buffer | undefined): boolean {
  return /^[A-Z]+ \/graphql[? ]/.test(packet?.subarray(0, 100).toString('latin1') ?? '')
}
