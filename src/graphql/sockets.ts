import type { IncomingMessage } from 'node:http'
import { CloseCode, handleProtocols, makeServer, type ServerOptions } from 'graphql-ws'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../kernel/log.ts'
import { isTooSlow, sendText, tooSlow } from './socket-sending.ts'

/** How often a socket is asked whether anyone is there, in milliseconds: who has not answered by the next time is gone. */
const pingMilliseconds = 12_000

/** What an operation can see of its socket. */
export interface Extra {
  readonly socket: WebSocket
}

/**
 * Speaks graphql-transport-ws on every socket of a server. Like the library's own entry for `ws`, but that what goes wrong
 * here is written into our log, and no client is told more of it than that: 4500.
 */
export function speakGraphql(
  sockets: WebSocketServer,
  options: ServerOptions<Record<string, unknown>, Extra>,
  log: Log,
): void {
  const protocol = makeServer(options)
  sockets.options.handleProtocols = handleProtocols
  sockets.on('connection', (socket: WebSocket, _request: IncomingMessage) => {
    // A frame that breaks the rules of WebSocket: `ws` closes it with the code for that.
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
        onMessage: (take) =>
          socket.on('message', (data) => {
            // One that we close may not have heard of it.
            if (socket.readyState !== socket.OPEN) return
            take(String(data)).catch((error: Error) => {
              // What only a server says is well formed, so that it comes this far.
              const isTheirs = error.message.startsWith('Unexpected message of type')
              if (!isTheirs) log.error({ err: error }, 'a message over WebSocket failed')
              if (isTheirs) socket.close(CloseCode.BadRequest, 'Invalid message received')
              else socket.close(CloseCode.InternalServerError, 'Internal server error')
            })
          }),
      },
      { socket },
    )
    socket.once('close', (code, reason) => {
      stop()
      closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, 'a socket did not end well'))
    })
  })
}

function keepAlive(socket: WebSocket): () => void {
  let isThere = true
  socket.on('pong', () => {
    isThere = true
  })
  const timer = setInterval(() => {
    if (!isThere) socket.terminate()
    isThere = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }, pingMilliseconds)
  return () => clearInterval(timer)
}
