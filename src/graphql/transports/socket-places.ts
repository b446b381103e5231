import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { networkOf } from '../../kernel/values/address.ts'

/** Maximum numbers of sockets of a process: all of them, and those that have not said who they are. */
export const socketLimits = {
  open: { network: 5_000, all: 20_000 },
  unacknowledged: { network: 200, all: 1_000 },
  /** Bytes that a client may send, and time that it has, until its `connection_init` is acknowledged. */
  initBytes: 16_384,
  initMs: 5_000,
} as const

/** The places of open sockets. Before a socket is acknowledged, it belongs to no account whose limits count it. */
export interface SocketPlaces {
  /**
   * Takes a place for the socket of an upgrade request, which it releases when the socket closes. Destroys a socket that sends
   * too much or takes too long until `acknowledge`. Returns false if there is no place.
   */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Notes that the client has proven who it is. */
  acknowledge(request: IncomingMessage): void
}

/** Creates the places of a process. `addressOf` returns the IP address of the client of a connection. */
export function newSocketPlaces(addressOf: (request: IncomingMessage) => string): SocketPlaces {
  const open = newCount(socketLimits.open)
  const unacknowledged = newCount(socketLimits.unacknowledged)
  const waiting = new WeakMap<IncomingMessage, () => void>()
  return {
    take: (request, socket, head) => {
      const network = networkOf(addressOf(request))
      if (!open.hasRoom(network) || !unacknowledged.hasRoom(network)) return false
      const [leave, endWait] = [open.add(network), unacknowledged.add(network)]
      let received = head.length
      const count = (part: Buffer) => {
        received += part.length
        if (received > socketLimits.initBytes) socket.destroy()
      }
      socket.on('data', count)
      const timer = setTimeout(() => socket.destroy(), socketLimits.initMs)
      const acknowledge = () => {
        clearTimeout(timer)
        socket.off('data', count)
        endWait()
      }
      waiting.set(request, acknowledge)
      socket.once('close', () => {
        acknowledge()
        leave()
      })
      return true
    },
    acknowledge: (request) => waiting.get(request)?.(),
  }
}

/** Counts in all and for each network, up to limits. What `add` returns takes its one back, once. */
function newCount(limits: { readonly network: number; readonly all: number }) {
  const networks = new Map<string, number>()
  let all = 0
  const change = (network: string, by: number) => {
    all += by
    const count = (networks.get(network) ?? 0) + by
    if (count === 0) networks.delete(network)
    else networks.set(network, count)
  }
  return {
    hasRoom: (network: string) => all < limits.all && (networks.get(network) ?? 0) < limits.network,
    add: (network: string) => {
      change(network, 1)
      let isCounted = true
      return () => {
        if (isCounted) change(network, -1)
        isCounted = false
      }
    },
  }
}
