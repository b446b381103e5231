import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import Koa from 'koa'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { dispatch, type RouteTable } from './dispatch.ts'
import type { ClientTimeouts } from './slow-clients.ts'

/** Maximum numbers of requests that wait for the response to an earlier one of their connection. Each takes memory. */
const maxWaiting = { connection: 1_000, all: 10_000 } as const

/**
 * Creates the listener that serves a route table with Koa. A POST to a route that sends its responses itself has a context of
 * Koa, but does not pass through its middleware: that and its observation of the socket take as long as the execution of a small
 * query.
 */
export function newRequestListener<Services>(
  table: RouteTable<Services>,
  options: {
    baseUrl?: string | undefined
    /** Number of proxies in front whose `X-Forwarded-For` is trusted. */
    trustProxy: number
    metrics: Metrics
    log: Log
    timeouts?: ClientTimeouts | undefined
  },
): RequestListener {
  const { baseUrl, trustProxy, metrics, log, timeouts } = options
  const koa = new Koa({ proxy: trustProxy > 0, maxIpsCount: trustProxy })
  // A proxy in front uses HTTPS with clients, but may use HTTP with this server.
  if (baseUrl?.startsWith('https:')) Object.defineProperty(koa.request, 'secure', { value: true })
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  const serve = dispatch(table, { metrics, log, timeouts })
  const serveWithKoa = koa.use(serve).callback()
  const direct = new Set<string | undefined>()
  for (const { path, sendsItself } of table.routes) if (sendsItself) direct.add(path)
  const handle: RequestListener = (req, res) => {
    if (req.method !== 'POST' || !direct.has(req.url)) return void serveWithKoa(req, res)
    const http = koa.createContext(req, res)
    serve(http)
      .then(() => {
        if (http.respond !== false) throw new Error(`The route ${req.url} sent no response.`)
      })
      .catch((error: Error) => http.onerror(error))
  }
  const waiting = new WeakMap<Socket, number>()
  let all = 0
  return (req, res) => {
    // A response has no socket while an earlier one is being sent. A client that sends requests and reads no response would have
    // all of them executed at once.
    if (res.socket) return handle(req, res)
    const own = waiting.get(req.socket) ?? 0
    if (own >= maxWaiting.connection || all >= maxWaiting.all) return void req.socket.destroy()
    const count = (change: 1 | -1) => {
      all += change
      waiting.set(req.socket, (waiting.get(req.socket) ?? 0) + change)
    }
    count(1)
    const leave = () => count(-1)
    res.once('close', leave)
    res.once('socket', () => {
      res.off('close', leave)
      leave()
      handle(req, res)
    })
  }
}
