import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Database } from '../../db/client.ts'
import type { Parts } from '../processes/parts.ts'
import { limitConnections } from './connection-limits.ts'

/** A running server. */
export interface App {
  readonly address: { host: string; port: number; url: string }
  readonly database: Database
  /** Finishes the current requests, then stops. Closes what does not finish in time. */
  close(): Promise<void>
}

/** Maximum time for current requests to finish when the server stops, in milliseconds. */
const drainTimeoutMs = 5_000

/** Where to listen. */
interface ListenSettings {
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  /** Number of proxies in front of this server. */
  readonly trustProxy: number
}

/** The state of a server that stops, and the work that must end before its HTTP connections do. */
export interface Shutdown {
  isStopping: boolean
  beforeDrain: () => Promise<void>
}

/** Listens, and returns the running app. When the app closes, current requests have 5 seconds to finish. */
export async function listen(
  server: Server,
  settings: ListenSettings,
  database: Database,
  parts: Parts,
  shutdown: Shutdown,
): Promise<App> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const stopKeepingAlive = watchResponses(server)
  if (settings.trustProxy === 0) limitConnections(server)
  const { port } = server.address() as AddressInfo
  const { host } = settings
  const url = settings.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  parts.add(async () => {
    shutdown.isStopping = true
    const closed = new Promise((resolve) => server.close(resolve))
    stopKeepingAlive()
    await shutdown.beforeDrain()
    const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs)
    await closed
    clearTimeout(deadline)
  })
  return { address: { host, port, url }, database, close: () => parts.close() }
}

/**
 * Returns a function after which each connection ends with its current response. Otherwise a client with many requests would keep
 * its connection until it is cut during one of them.
 */
function watchResponses(server: Server): () => void {
  const open = new Set<ServerResponse>()
  let isStopping = false
  const announceEnd = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (isStopping) announceEnd(response)
    // Limits, slots, watches and the stream of a body each wait for the end of a response, which is no leak.
    response.setMaxListeners(20)
    open.add(response)
    response.once('close', () => {
      open.delete(response)
      // The headers may have been sent before the stop.
      if (isStopping) server.closeIdleConnections()
    })
  })
  return () => {
    isStopping = true
    for (const response of open) announceEnd(response)
  }
}
