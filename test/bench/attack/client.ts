import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** A client of the attacked server, whose connections come from an address of its own. */
export interface Client {
  /** Sends a request. Never rejects: an attacker does not care. */
  send(
    method: string,
    path: string,
    options?: SendOptions,
  ): Promise<{ status: number; body: string; headers: IncomingHttpHeaders }>
  /** Executes a document with the key of the attacker. */
  graphql(query: string, variables?: object): Promise<{ status: number; body: string; headers: IncomingHttpHeaders }>
  /** Opens a connection and writes bytes. */
  open(bytes: string | Buffer): Socket
  end(): void
}

interface SendOptions {
  readonly body?: string | Buffer | object
  readonly headers?: Readonly<Record<string, string>>
}

/** Creates a client. An address of 127.0.0.0/8 is a network of its own for the limits of the server. */
export function newClient(port: number, address: string, key?: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })
  const sockets = new Set<Socket>()
  const send: Client['send'] = (method, path, { body, headers = {} } = {}) =>
    new Promise((resolve) => {
      const isData = typeof body === 'object' && !Buffer.isBuffer(body)
      const bytes = isData ? JSON.stringify(body) : body
      const nothing = { status: 0, body: '', headers: {} }
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, localAddress: address, method, path, agent, timeout: 30_000 },
          headers: {
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...(isData && { 'content-type': 'application/json' }),
            ...(bytes !== undefined && { 'content-length': String(Buffer.byteLength(bytes)) }),
            ...headers,
          },
        },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('error', () => resolve(nothing))
          response.on('close', () => resolve(nothing))
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              body: Buffer.concat(parts).toString(),
              headers: response.headers,
            }),
          )
        },
      )
      sent.on('timeout', () => sent.destroy()).on('error', () => resolve(nothing))
      sent.end(bytes)
    })
  return {
    send,
    graphql: (query, variables = {}) => send('POST', '/graphql', { body: { query, variables } }),
    open: (bytes) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: address })
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
      sockets.add(socket)
      socket.write(bytes)
      return socket
    },
    end: () => {
      agent.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}
