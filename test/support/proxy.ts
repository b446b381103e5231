import { connect, createServer, type Socket } from 'node:net'
import { atEnd } from './ends.ts'

/** A way to a server that can be blocked, as a network or a stopped process blocks it. */
export interface TcpProxy {
  readonly port: number
  /** Lets nothing through in either direction, but accepts connections, as the system does for a process that is stopped. */
  freeze(): void
  /** Ends all connections and refuses new ones, as when the server is gone. */
  cut(): Promise<void>
  /** Lets everything through again, what was held up first. */
  heal(): Promise<void>
  /** Connections that are open. */
  connections(): number
}

/** Opens a way to a server of this machine, on a free port; gone when the test file is done. */
export async function newProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false
  const server = createServer({ allowHalfOpen: false }, (near) => {
    const far = connect(target.port, target.host)
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => near.write(bytes))
    if (isFrozen) for (const socket of pair) socket.pause()
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const port = (server.address() as { port: number }).port
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
    if (server.listening) await closed
  }
  atEnd(cut)
  return {
    port,
    freeze: () => {
      isFrozen = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    cut,
    heal: async () => {
      isFrozen = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
      if (!server.listening) await listen(port)
    },
    connections: () => pairs.size,
  }
}
