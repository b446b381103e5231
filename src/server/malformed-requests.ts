import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What a client gets whose request cannot be read as HTTP: a body in the form of the API that it meant. */
export type Unreadable = (status: number, message: string) => unknown

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

/** How long a client that was refused may stay silent before its connection is destroyed. */
const lingerMilliseconds = 1_000

/**
 * Answers what Node's HTTP parser refuses before there is a request (characters that a URL cannot have, headers over the
 * limit) with a JSON body, and closes the connection. `/graphql` gets an error in GraphQL's form, everything else what
 * `unreadable` returns.
 */
export function answerUnread(server: Server, unreadable: Unreadable): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // Node keeps here the answer that is being written; two answers in one would be neither.
    const { _httpMessage: current } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
    if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) return void socket.destroy()
    const [status, reason, message] = statuses[error.code ?? ''] ?? badRequest
    const body = JSON.stringify(
      isForGraphql(error.rawPacket)
        ? { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] }
        : unreadable(status, message),
    )
    // What the client still sends is discarded: closing at once could reset the connection before it reads the answer.
    socket.resume()
    socket.setTimeout(lingerMilliseconds, () => socket.destroy())
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
}

function isForGraphql(packet: Buffer | undefined): boolean {
  return /^[A-Z]+ \/graphql[? ]/.test(packet?.subarray(0, 100).toString('latin1') ?? '')
}
