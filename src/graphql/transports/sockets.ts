import type { IncomingMessage } from 'node:http'
import { CloseCode, type Context, handleProtocols, makeServer, type ServerOptions } from 'graphql-ws'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../../kernel/telemetry/log.ts'
import { isTooSlow, sendText, tooSlow } from './socket-sending.ts'

/** Interval of pings, in milliseconds. A socket that has not answered one by the next is closed. */
const pingIntervalMs = 12_000

/** Data of a socket that its operations can read. */
interface Extra {
  readonly socket: WebSocket
  /** The upgrade request. */
  readonly request: IncomingMessage
}

/** A socket whose client has sent `connection_init`, with its parameters. */
export type SocketContext = Context<Record<string, unknown>, Extra>

/** What the protocol calls for the messages of clients. */
export type SocketHandlers = ServerOptions<Record<string, unknown>, Extra>

/**
 * Serves graphql-transport-ws on every socket of a server. Differs from the library's adapter for `ws` in that it logs
 * unexpected errors, and sends clients only the close code 4500.
 */
export function serveGraphqlSockets(sockets: WebSocketServer, handlers: SocketHandlers, log: Log): void {
  const protocol = makeServer(handlers)
  sockets.options.handleProtocols = handleProtocols
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    // Invalid frames: `ws` closes the socket with the right code.
    socket.on('error', () => undefined)
    const stop = keepAlive(socket)
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: async (data) => {
          if (socket.readyState !== socket.OPEN) return
          if (isTooSlow(socket)) socket.close(...tooSlow)
          else await sendText(socket, data)
        },
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) =>
          socket.on('message', (data) => {
            // Messages may still arrive after the server has closed the socket.
            if (socket.readyState !== socket.OPEN) return
            handle(String(data)).catch((error: Error) => {
              // A well-formed message of a type that only servers send passes the library's parser.
              const isClientError = error.message.startsWith('Unexpected message of type')
              if (!isClientError) log.error({ err: error }, 'a WebSocket message failed')
              if (isClientError) socket.close(CloseCode.BadRequest, 'Invalid message received')
              else socket.close(CloseCode.InternalServerError, 'Internal server error')
            })
          }),
      },
      { socket, request },
    )
    socket.once('close', (code, reason) => {
      stop()
      closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, 'closing a WebSocket failed'))
    })
  })
}

function keepAlive(socket: WebSocket): () => void {
  let hasAnswered = true
  socket.on('pong', () => {
    hasAnswered = true
  })
  const timer = setInterval(() => {
    if (!hasAnswered) socket.terminate()
    hasAnswered = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }, pingIntervalMs)
  return () => clearInterval(timer)
}
