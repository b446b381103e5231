import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { unavailable } from '../../db/unavailable.ts'
import { unstorableText } from '../../db/unstorable-text.ts'
import { ClientGone, Refusal, Unavailable } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { describeSpan, inSpan, tracePosition } from '../../kernel/telemetry/tracing.ts'
import { networkOf } from '../../kernel/values/address.ts'
import { readFields } from '../../kernel/values/storable-text.ts'
import { endUnsent, HttpProblem, type HttpRoute, sendJsonProblem } from '../../kernel/web/http-route.ts'
import { withoutSessionCookie } from '../../kernel/web/session-cookie.ts'
import type { RefusalPace } from '../../kernel/work/refusal-pace.ts'
import type { Slot } from '../../kernel/work/request-slots.ts'
import type { ConsoleHosts } from '../console/console-hosts.ts'
import type { ConcurrencyLimiters } from './concurrency-limits.ts'
import { type ClientTimeouts, defaultTimeouts, hasBody, newSlowClients } from './slow-clients.ts'

/** `Retry-After` of every 503 that has no other, in seconds. */
const retryAfterSeconds = '2'

/** A route table with what its handlers need. */
export interface RouteTable<Services> {
  readonly routes: readonly HttpRoute<Services>[]
  readonly services: Services
  /** Limits the concurrent requests of visitors and file transfers. Absent in a process that serves neither. */
  readonly limiters?: ConcurrencyLimiters | undefined
  /** Delays the refusals of a network that has very many. */
  readonly pace?: RefusalPace
  /** Absent in a process that serves neither the console nor content of accounts. */
  readonly hosts?: ConsoleHosts
}

interface Match<Services> {
  readonly route: HttpRoute<Services>
  readonly params: never
  /** Whether the request had slashes at the end of the path, which the route has not. */
  readonly hadSlash?: boolean
}

/**
 * Returns the middleware that serves a route table: the first row that matches the path. It applies the limits and headers of
 * the row, keeps content of accounts away from the console, refuses other methods, records the duration, and is the only place
 * that turns errors into responses.
 */
export function dispatch<Services>(
  { routes, services, limiters, pace, hosts = noConsole }: RouteTable<Services>,
  { metrics, log, timeouts = defaultTimeouts }: { metrics: Metrics; log: Log; timeouts?: ClientTimeouts | undefined },
): (http: Context) => Promise<void> {
  const slowClients = newSlowClients()
  const rows = routes.map((route) => ({ route, pattern: toPattern(route.path) }))

  function find(http: Context): Match<Services> | undefined {
    const { path, method } = http
    for (const { route, pattern } of rows) {
      // The path is compared first, because it excludes nearly all rows.
      const found = route.match ? route.match(http, services) : pattern.exec(path)
      if (!found || (route.otherMethods === 404 && !isAllowed(route, method)) || !isServedOn(http, route, hosts))
        continue
      return { route, params: (route.match ? found : { ...(found as RegExpExecArray).groups }) as never }
    }
    return undefined
  }

  /**
   * Finds the row of a path without the slashes at its end, if the path itself has only a row for the rest of all paths. The
   * request gets the path of that row, which the match of a page and its redirects read.
   */
  function findWithoutSlash(http: Context, match: Match<Services> | undefined): Match<Services> | undefined {
    const { path } = http
    const [slashes] = /(?<=[^/])\/+$/.exec(path.slice(-8)) ?? []
    if (!slashes || path.startsWith('//') || !isCatchAll(match?.route)) return match
    http.path = path.slice(0, -slashes.length)
    const found = find(http)
    if (found && !isCatchAll(found.route)) return { ...found, hadSlash: true }
    http.path = path
    return match
  }

  async function serve(http: Context, { route, params, hadSlash }: Match<Services>): Promise<void> {
    const sandbox = typeof route.area === 'object' && hosts.isConsole(hostOf(http)) ? route.area.sandbox : undefined
    if (route.area !== 'console' && !route.readsSession) removeSessionCookie(http)
    let slot: Slot | undefined
    try {
      http.set(route.headers ?? {})
      refuseForeign(http, route, hosts)
      if (!isAllowed(route, http.method)) throw methodNotAllowed(http, route)
      if (hadSlash && ['GET', 'HEAD'].includes(http.method)) return redirectToPath(http)
      if (!route.readsQueryItself) readFields(http.querystring)
      const read = () => readWhole(http, route)
      // A request that cannot be executed yet takes no slot.
      const readsFirst = route.limiter === 'visitors' && route.maxBodyBytes && hasBody(http.req)
      const body = readsFirst ? await read() : undefined
      slot = await takeSlot(http, route)
      const readBody = async () => body ?? read()
      await route.handle({ http, params, readBody, isIsolated: sandbox !== undefined }, services)
      if (hadSlash) resolveLocation(http)
    } catch (error) {
      if (error instanceof ClientGone) return endUnsent(http)
      const problem = problemOf(error, route)
      if (!problem) throw error
      // A visitor who is refused is no fault of the server, and many may be.
      if (problem.status === 429 || error instanceof Unavailable)
        log.debug({ route: route.path, status: problem.status, reason: problem.message }, 'a request was refused')
      else if (problem.status === 503) log.error({ err: error, route: route.path }, 'a request could not be served')
      const send = route.sendProblem ?? sendJsonProblem
      send(http, problem)
      if (isRefusal(problem)) {
        slot?.release()
        await pace?.wait(http.ip)
      }
      // Discards the rest of the body. Otherwise a client that still sends would see a reset instead of the response.
      if (http.response.get('Connection') !== 'close') http.req.resume()
    } finally {
      // A response that its client does not read takes no slot either. A file is still being sent.
      if (!isTransfer(route) || http.res.closed) slot?.release()
      else if (slot) http.res.once('close', slot.release)
      if (sandbox !== undefined) addPolicy(http, `sandbox ${sandbox}`.trim())
    }
  }

  async function takeSlot(http: Context, route: HttpRoute<Services>): Promise<Slot | undefined> {
    const { limiter } = route
    if (!limiters || limiter === 'none') return undefined
    const slot = limiters[limiter].acquire(networkOf(http.ip))
    http.res.once('close', slot.leave)
    // The client may have disconnected while its body was read.
    if (http.req.socket.destroyed) slot.leave()
    await slot.start()
    if (isTransfer(route)) slowClients.limitTransfer(http, timeouts.transferMs)
    return slot
  }

  const handle = async (http: Context): Promise<void> => {
    const startedAt = performance.now()
    const match = findWithoutSlash(http, find(http))
    const timeoutMs = match?.route.bodyTimeoutMs ?? timeouts.bodyMs
    const isUpload = match?.route.limiter === 'files'
    slowClients.limitBody(http, { timeoutMs, isUpload, maxBytes: match?.route.maxBodyBytes })
    if (match) await serve(http, match)
    if (http.status === 503 && !http.response.get('Retry-After')) http.set('Retry-After', retryAfterSeconds)
    slowClients.limitResponse(http, timeouts.responseMs)
    if (match?.route.transport === null) return
    // The bridge and GraphQL name the route themselves, because their paths have many.
    const { route = match?.route } = http.state as { route?: { transport: string; path: string } }
    const status: number | 'closed' = http.state['isClosed'] ? 'closed' : http.status
    const labels = { transport: route?.transport ?? 'http', route: route?.path ?? 'none', status }
    metrics.request(labels, (performance.now() - startedAt) / 1000)
    const path = labels.transport === 'graphql' ? match?.route.path : labels.route
    describeSpan(`${http.method} ${path}`, {
      'http.request.method': http.method,
      'http.route': labels.route,
      'http.response.status_code': labels.status,
    })
  }

  return (http) =>
    // A client could force the recording of its requests by this header, so it is read only behind a proxy, which removes it.
    inSpan(
      () => ({ name: http.method, kind: 'SERVER', under: tracePosition(http.app.proxy ? http.req.headers : {}) }),
      () => handle(http),
    )
}

const noConsole: ConsoleHosts = {
  isConsole: () => false,
  isSeparate: false,
  hasConsole: false,
  isOwn: () => true,
  isForeign: () => false,
}

const hostOf = (http: Context) => http.hostname.toLowerCase()

/**
 * Whether a host serves a route: the console only its own hosts, and content of accounts not a host that is only the console's. A
 * foreign name gets an error with the reason (`refuseForeign`).
 */
function isServedOn(http: Context, { area, isForOwnHosts }: HttpRoute, hosts: ConsoleHosts): boolean {
  const host = hostOf(http)
  if (isForOwnHosts && !hosts.isOwn(host) && !hosts.isForeign(host)) return false
  if (area === 'server') return true
  if (area === 'console') return hosts.isConsole(host) || (hosts.hasConsole && hosts.isForeign(host))
  return !(hosts.isSeparate && hosts.isConsole(host))
}

/** **Throws** 421 if a page that is only for the hosts of this server is asked for by another name. */
function refuseForeign(http: Context, { area, isForOwnHosts }: HttpRoute, hosts: ConsoleHosts): void {
  if ((area !== 'console' && !isForOwnHosts) || !hosts.isForeign(hostOf(http))) return
  throw new HttpProblem(
    421,
    'Unknown host',
    `This page is not served as ${hostOf(http).slice(0, 100)}. Set BASE_URL or CONSOLE_URL to the address by which it is opened.`,
  )
}

/** Adds a policy to that of the handler. Browsers apply each of several, so a handler cannot loosen this one. */
function addPolicy(http: Context, policy: string): void {
  if (http.response.get('Content-Security-Policy') !== policy) http.append('Content-Security-Policy', policy)
}

/** Other handlers do not even see the cookie of a session. */
function removeSessionCookie({ req: { headers } }: Context): void {
  const rest = withoutSessionCookie(headers.cookie)
  if (rest === '') delete headers.cookie
  else headers.cookie = rest
}

/** Returns the regular expression of a path. Its groups are the parameters. */
function toPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '[.]')
    .replace(/\/:(\w+)\?$/, '(?:/(?<$1>[^/]*))?')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace(/\*$/, '.*')
  return new RegExp(`^${source}$`)
}

/** Whether a row serves every path that no other row serves. */
function isCatchAll(route: HttpRoute | undefined): boolean {
  return route === undefined || route.path.endsWith('*')
}

/** Redirects to the path that the request has now. It begins with one slash, so it is on the same host. */
function redirectToPath(http: Context): void {
  http.set({ Location: `${http.path}${http.search}`, 'Cache-Control': 'no-cache' })
  http.status = 308
  http.body = ''
}

/**
 * Makes a redirect that is relative to the path without the slash independent of the path: the client resolves it against the
 * path that it sent.
 */
function resolveLocation(http: Context): void {
  const location = http.response.get('Location')
  if (location === '') return
  const base = new URL(http.path, 'http://path.invalid')
  const target = URL.parse(location, base)
  // A path that begins with two slashes would name another host.
  if (target?.origin !== base.origin || target.pathname.startsWith('//')) return
  http.set('Location', `${target.pathname}${target.search}${target.hash}`)
}

/** Whether a request moves a file, which keeps its slot until the client has read it. */
function isTransfer({ limiter }: HttpRoute): boolean {
  return limiter === 'files' || limiter === 'downloads'
}

function isAllowed({ methods }: HttpRoute, method: string): boolean {
  return !methods || methods.some((each) => each === (method === 'HEAD' ? 'GET' : method))
}

function methodNotAllowed(http: Context, { methods = [] }: HttpRoute): HttpProblem {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', ')
  http.set('Allow', allowed)
  return new HttpProblem(405, 'Method not allowed', `The method must be one of ${allowed}.`)
}

/** Reads a body. A client that disconnects before its body is read is no fault of the server. */
async function readWhole({ req }: Context, { maxBodyBytes = 0 }: HttpRoute): Promise<Buffer> {
  if (!req.readable)
    throw new HttpProblem(400, 'Invalid request', 'The connection was closed before the body was read.')
  // A body that is known to be too large is not read.
  return getRawBody(req, { length: req.headers['content-length'] ?? null, limit: maxBodyBytes })
}

/** Whether a request was refused for what it is, not for the values that a person entered or the state of an object. */
function isRefusal({ status }: HttpProblem): boolean {
  return status >= 400 && status < 500 && status !== 409 && status !== 422
}

/** Returns the response to an error. Undefined for an unexpected error of a route that has no format of its own. */
function problemOf(error: unknown, { notFound, maxBodyBytes = 0, sendProblem }: HttpRoute): HttpProblem | undefined {
  if (error instanceof HttpProblem) return error
  const outage = unavailable(error)
  if (outage && !sendProblem) return new HttpProblem(503, '', outage.message)
  const refusal = outage ? undefined : error instanceof Refusal ? error : unstorableText(error)
  if (refusal) {
    const { code, message, details } = refusal
    if (code === 'VALIDATION_ERROR') return new HttpProblem(422, 'Invalid values', message, details)
    return notFound ? HttpProblem.ofPage(404, notFound) : new HttpProblem(404, 'Not found', message)
  }
  const { status } = Object(error) as { status?: unknown }
  if (status === 413) {
    return new HttpProblem(413, 'Request too large', `The body must have at most ${maxBodyBytes / 1024} kB.`)
  }
  if (status === 400) return new HttpProblem(400, 'Invalid request', 'The request body is incomplete.')
  return sendProblem && new HttpProblem(503, 'Something went wrong', 'Please try again in a moment.')
}
