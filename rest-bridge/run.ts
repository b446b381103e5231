import type Koa from 'koa'
import { type Dialect, legacy, v1 } from './envelope.ts'
import { notFound, Refusal, refusalOf, serverError, unavailable } from './errors.ts'
import { type Admission, type Gateway, GatewayRefusal, type RateLimit, type Scope } from './gateway.ts'
import { idempotencyKey, parsed, readBody, readQuery } from './request.ts'
import type { Read, Route } from './route.ts'

/** What the bridge asks of a log. Neither queries nor bodies are ever handed to it: they hold keys and addresses. */
export interface Log {
  info(facts: object, message: string): void
  error(facts: object, message: string): void
}

export interface RunOptions {
  gateway: Gateway
  routes: readonly Route[]
  log: Log
}

type Methods = ReadonlyMap<string, Route>

/** A list that is walked by cursor ends here, however long it is. */
const longestWalk = 10_000

/**
 * Gives the middleware that answers everything under `/v1`, and each path of `routes` outside it in the manner of the
 * unversioned API. What is neither goes on to the next middleware.
 *
 * The order of checks is the same for every request: the key, the limit, the route, the method, the scopes of the key,
 * the form of the input, then whatever the operation refuses. Only OPTIONS needs no key: it tells what the reference tells anyone.
 */
export function run({ gateway, routes, log }: RunOptions): Koa.Middleware {
  const table = new Map<string, Map<string, Route>>()
  for (const route of routes) table.set(route.path, (table.get(route.path) ?? new Map()).set(route.method, route))

  return async (ctx, next) => {
    const methods = table.get(ctx.path)
    const isV1 = ctx.path === '/v1' || ctx.path.startsWith('/v1/')
    if (!methods && !isV1) return next()

    const started = performance.now()
    const route = methods?.get(ctx.method === 'HEAD' ? 'GET' : ctx.method)
    // For whoever counts requests: the route as it is written, not the path that was asked for.
    ctx.state['route'] = { door: isV1 ? 'v1' : 'legacy', path: route?.path ?? 'none' }
    if (methods && ctx.method === 'OPTIONS') {
      ctx.set('Allow', allowed(methods))
      ctx.status = 204
    } else {
      await answer(ctx, { dialect: isV1 ? v1 : legacy, methods, route, gateway, log })
    }
    const milliseconds = Math.round(performance.now() - started)
    log.info({ route: route?.id, method: ctx.method, path: ctx.path, status: ctx.status, milliseconds }, 'answered')
  }
}

interface Asked {
  dialect: Dialect
  methods: Methods | undefined
  route: Route | undefined
  gateway: Gateway
  log: Log
}

async function answer(ctx: Koa.Context, { dialect, methods, route, gateway, log }: Asked): Promise<void> {
  const search = new URLSearchParams(ctx.querystring)
  ctx.set(dialect.headers)
  let admission: Admission | undefined
  let needs: readonly Scope[] = []
  try {
    admission = await gateway.admit(dialect.credentials(ctx.headers, search))
    ctx.res.once('close', admission.end)
    // The client may have gone while its key was read.
    if (ctx.req.socket.destroyed) admission.end()
    if (!methods) throw notFound('endpoint')
    if (!route) throw wrongMethod(ctx.method, methods)
    needs = needsOf(route, {})
    const given = route.method === 'GET' ? readQuery(route.query, search) : await readBody(ctx.req)
    needs = needsOf(route, given)
    await admission.start()
    // The graph checks a scope when it resolves a field that needs it, which an empty list hides for all but the first.
    if (needs.length > 1) await admission.confirm(needs)
    const request = requestOf(ctx, route, given)
    const read = await ask(admission, route, request, log)
    showLimit(ctx, admission.rateLimit())
    send(ctx, route.status, dialect.success(read, request.query))
  } catch (error) {
    const cause = error instanceof Refusal && admission ? await keyFirst(error, admission, needs) : error
    refuse(ctx, cause, admission, dialect, log)
  }
}

interface Request {
  query: unknown
  body: unknown
  key: string | undefined
}

function needsOf({ needs }: Route, given: Readonly<Record<string, unknown>>): readonly Scope[] {
  return typeof needs === 'function' ? needs(given) : needs
}

function requestOf(ctx: Koa.Context, route: Route, given: Record<string, unknown>): Request {
  if (route.method === 'GET') return { query: parsed(route.query, given), body: {}, key: undefined }
  const key = idempotencyKey(ctx.headers['idempotency-key'])
  return { query: {}, body: parsed(route.body, given), key }
}

/** Asks the graph; for a list that is walked, page after page, all counted as the one request. */
async function ask(admission: Admission, route: Route, { query, body, key }: Request, log: Log): Promise<Read> {
  const options = key === undefined ? {} : { idempotencyKey: key }
  const rows: unknown[] = []
  let after: string | undefined
  while (true) {
    const variables = withoutUndefined(route.variables({ query, body, after }))
    const { data, errors } = await admission.execute(route.document, variables, options)
    const [error] = errors ?? []
    if (error?.extensions?.code === 'RATE_LIMITED') throw new GatewayRefusal('RATE_LIMITED', error.message)
    if (error) {
      const refusal = refusalOf(error, route.names)
      if (refusal.status === 500) log.error({ route: route.id, error }, 'the graph failed')
      throw refusal
    }
    if (!data) throw new Error('The graph answered with neither data nor errors.')
    const read = route.reply.read(data)
    if (!read) throw notFound(route.finds)
    if (read.next === undefined) return read
    rows.push(...(read.data as unknown[]))
    if (read.next === null || rows.length >= longestWalk) return { data: rows.slice(0, longestWalk) }
    after = read.next
  }
}

/** A field that was not sent is absent in the variables too: some executors take `undefined` for a value. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutUndefined(each)]))
}

function refuse(ctx: Koa.Context, cause: unknown, admission: Admission | undefined, dialect: Dialect, log: Log): void {
  showLimit(ctx, (cause instanceof GatewayRefusal && cause.rateLimit) || admission?.rateLimit())
  if (cause instanceof GatewayRefusal && cause.code === 'RATE_LIMITED') {
    ctx.set('Retry-After', String(cause.retryAfterSeconds ?? cause.rateLimit?.resetSeconds ?? 60))
    send(ctx, 429, { message: cause.message })
    return
  }
  if (cause instanceof GatewayRefusal && cause.code === 'FORBIDDEN') {
    send(ctx, 403, dialect.failure(new Refusal(403, 'FORBIDDEN', cause.message)))
    return
  }
  if (cause instanceof GatewayRefusal && cause.code === 'UNAVAILABLE') {
    const refusal = unavailable(cause.message, cause.retryAfterSeconds)
    ctx.set(refusal.headers)
    send(ctx, refusal.status, dialect.failure(refusal))
    return
  }
  if (cause instanceof GatewayRefusal) {
    ctx.set('WWW-Authenticate', 'Bearer')
    send(ctx, 401, dialect.failure(new Refusal(401, 'UNAUTHORIZED', cause.message)))
    return
  }
  if (!(cause instanceof Refusal)) log.error({ err: cause, method: ctx.method, path: ctx.path }, 'a request failed')
  const refusal = cause instanceof Refusal ? cause : serverError()
  ctx.set(refusal.headers)
  send(ctx, refusal.status, dialect.failure(refusal))
}

/** Returns what is wrong with the key (not valid, limit used up, a scope missing), or else the refusal itself. */
async function keyFirst(refusal: Refusal, admission: Admission, needs: readonly Scope[]): Promise<unknown> {
  try {
    await admission.confirm(needs)
    return refusal
  } catch (error) {
    return error
  }
}

function showLimit(ctx: Koa.Context, rateLimit: RateLimit | undefined): void {
  if (!rateLimit) return
  ctx.set({
    'X-RateLimit-Limit': String(rateLimit.limit),
    'X-RateLimit-Remaining': String(rateLimit.remaining),
    'X-RateLimit-Reset': String(rateLimit.resetSeconds),
  })
}

function send(ctx: Koa.Context, status: number, body: unknown): void {
  ctx.status = status
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
}

function allowed(methods: Methods): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

function wrongMethod(method: string, methods: Methods): Refusal {
  const Allow = allowed(methods)
  return new Refusal(405, 'BAD_REQUEST', `${method} is not possible here; ${Allow} are.`, { headers: { Allow } })
}
