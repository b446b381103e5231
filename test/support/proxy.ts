import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { atEnd } from './ends.ts'
import { unusedPort } from './unused-port.ts'

/** A TCP proxy that can simulate network failures and stopped processes. */
export interface TcpProxy {
  readonly port: number
  /** Stops the data in both directions but accepts connections, as the kernel does for a stopped process. */
  freeze(): void
  /** Ends all connections and refuses new ones, as if the server had exited. */
  cut(): Promise<void>
  /** Forwards all data again, starting with the data that was held back. */
  heal(): Promise<void>
  /** Returns the number of open connections. */
  connections(): number
}

/** Starts a proxy to a local server on an unused port, which it keeps, and stops it at the end of the test file. */
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
  const port = await unusedPort()
  const listen = () => once(server.listen(port, '127.0.0.1'), 'listening')
  await listen()
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
      if (!server.listening) await listen()
    },
    connections: () => pairs.size,
  }
}

/** Starts such a proxy to a database. Returns the URL of the database through it, too. */
export async function newProxyOf(databaseUrl: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(databaseUrl)
  const proxy = await newProxy({ host: url.hostname, port: Number(url.port) })
  url.host = `127.0.0.1:${proxy.port}`
  return { proxy, url: url.href }
}
