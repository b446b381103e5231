import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../kernel/values/address.ts'

/** Maximum number of connections of one network, of which each can have one request at a time or one WebSocket. */
const connectionsPerNetwork = 6_000

/**
 * Closes new connections of a network that has too many. Behind proxies all connections come from them, so this is for servers
 * that clients reach directly.
 */
export function limitConnections(server: Server, perNetwork = connectionsPerNetwork): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const count = counts.get(network) ?? 0
    if (count >= perNetwork) return void socket.destroy()
    counts.set(network, count + 1)
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1
      if (left === 0) counts.delete(network)
      else counts.set(network, left)
    })
  })
}
