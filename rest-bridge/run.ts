import type Koa from 'koa'
import { type Dialect, legacy, v1 } from './envelope/envelope.ts'
import type { Route, RouteResult } from './envelope/route.ts'
import { notFound, RestError, serverError, toRestError, unavailable } from './errors/errors.ts'
import { type Admission, type Gateway, GatewayError, type RateLimit, type Scope } from './gateway/gateway.ts'
import { parseInput, readBody, readIdempotencyKey, readQuery } from './input/request.ts'

/** The log of the bridge. Queries and bodies are never logged, because they contain keys and e-mail addresses. */
export interface Log {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface RunOptions {
  gateway: Gateway
  routes: readonly Route[]
  log: Log
}

type Methods = ReadonlyMap<string, Route>

/** Paths whose errors have the format of `/v1`, also if a client wrote it in capitals or put slashes before it. */
const underV1 = /^\/+v1(?:\/|$)/i

/** The maximum number of rows of a list that is not paginated. */
const maxListRows = 10_000

/**
 * Returns the middleware that serves everything under `/v1`, and the paths of `routes` outside it in the format of the legacy
 * API. Other requests go to the next middleware.
 *
 * The order of checks is the same for every request: the key, the request limit, the route, the method, the scopes of the
 * key, the input, then the checks of the operation. OPTIONS needs no key, because the reference is public.
 */
export function run({ gateway, routes, log }: RunOptions): Koa.Middleware {
  const table = new Map<string, Map<string, Route>>()
  for (const route of routes) table.set(route.path, (table.get(route.path) ?? new Map()).set(route.method, route))

  return async (ctx, next) => {
    const methods = table.get(ctx.path)
    const isV1 = underV1.test(ctx.path)
    if (!methods && !isV1) return next()

    const started = performance.now()
    const route = methods?.get(ctx.method === 'HEAD' ? 'GET' : ctx.method)
    // For the request metrics: the path of the route, because the requested path has no bounded set of values.
    ctx.state['route'] = { transport: isV1 ? 'v1' : 'legacy', path: route?.path ?? 'none' }
    if (methods && ctx.method === 'OPTIONS') {
      ctx.set('Allow', allowedMethods(methods))
      ctx.status = 204
    } else {
      await respond(ctx, { dialect: isV1 ? v1 : legacy, methods, route, gateway, log })
    }
    const milliseconds = Math.round(performance.now() - started)
    log.info(
      {
        ...{ route: route?.id, method: ctx.method, path: ctx.path },
        ...{ status: ctx.state['isClosed'] ? 'closed' : ctx.status, milliseconds },
      },
      'request completed',
    )
  }
}

interface RequestContext {
  dialect: Dialect
  methods: Methods | undefined
  route: Route | undefined
  gateway: Gateway
  log: Log
}

async function respond(ctx: Koa.Context, { dialect, methods, route, gateway, log }: RequestContext): Promise<void> {
  const search = new URLSearchParams(ctx.querystring)
  ctx.set(dialect.headers)
  let admission: Admission | undefined
  let scopes: readonly Scope[] = []
  try {
    admission = await gateway.admit(dialect.credentials(ctx.headers, search), ctx.ip)
    ctx.res.once('close', admission.leave)
    // The client may have disconnected while its key was checked.
    if (ctx.req.socket.destroyed) admission.leave()
    if (!methods) throw notFound('endpoint')
    if (!route) throw methodNotAllowed(ctx.method, methods)
    scopes = requiredScopes(route, {})
    const input = route.method === 'GET' ? readQuery(route.query, search) : await readBody(ctx.req)
    scopes = requiredScopes(route, input)
    await admission.start()
    // GraphQL checks a scope when it resolves a field that needs it, so below an empty list only the first is checked.
    if (scopes.length > 1) await admission.confirm(scopes)
    const request = parseRequest(ctx, route, input)
    const result = await execute(admission, route, request, log)
    setRateLimitHeaders(ctx, admission.rateLimit())
    send(ctx, route.status, dialect.success(result, request.query))
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'CLIENT_GONE') {
      ctx.respond = false
      ctx.state['isClosed'] = true
      return
    }
    const cause = error instanceof RestError && admission ? await keyErrorOr(error, admission, scopes) : error
    sendError(ctx, cause, admission, dialect, log)
  } finally {
    admission?.end()
  }
}

interface ParsedRequest {
  query: unknown
  body: unknown
  key: string | undefined
}

function requiredScopes({ scopes }: Route, input: Readonly<Record<string, unknown>>): readonly Scope[] {
  return typeof scopes === 'function' ? scopes(input) : scopes
}

function parseRequest(ctx: Koa.Context, route: Route, input: Record<string, unknown>): ParsedRequest {
  if (route.method === 'GET') return { query: parseInput(route.query, input), body: {}, key: undefined }
  const key = readIdempotencyKey(ctx.headers['idempotency-key'])
  return { query: {}, body: parseInput(route.body, input), key }
}

/** Executes the route's document; for a list that is not paginated, once for each page. All count as one request. */
async function execute(
  admission: Admission,
  route: Route,
  { query, body, key }: ParsedRequest,
  log: Log,
): Promise<RouteResult> {
  const options = key === undefined ? {} : { idempotencyKey: key }
  const rows: unknown[] = []
  let after: string | undefined
  while (true) {
    const variables = withoutUndefined(route.variables({ query, body, after }))
    const { data, errors } = await admission.execute(route.document, variables, options)
    const [error] = errors ?? []
    if (error?.extensions?.code === 'RATE_LIMITED') throw new GatewayError('RATE_LIMITED', error.message)
    if (error) {
      const restError = toRestError(error, route.fieldNames)
      if (restError.status === 500) log.error({ route: route.id, error }, 'GraphQL execution failed')
      throw restError
    }
    if (!data) throw new Error('The GraphQL response has neither data nor errors.')
    // A root field that did not fail is null only if there is no such object.
    const result = Object.values(data).includes(null)
      ? null
      : route.reply.read(data, query as Readonly<Record<string, unknown>>)
    if (!result) throw notFound(route.resource)
    if (result.next === undefined) return result
    rows.push(...(result.data as unknown[]))
    if (result.next === null || rows.length >= maxListRows) return { data: rows.slice(0, maxListRows) }
    after = result.next
  }
}

/** Removes undefined fields, because some executors treat `undefined` as a value. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutUndefined(each)]))
}

function sendError(
  ctx: Koa.Context,
  cause: unknown,
  admission: Admission | undefined,
  dialect: Dialect,
  log: Log,
): void {
  setRateLimitHeaders(ctx, (cause instanceof GatewayError && cause.rateLimit) || admission?.rateLimit())
  if (cause instanceof GatewayError && cause.code === 'RATE_LIMITED') {
    ctx.set('Retry-After', String(cause.retryAfterSeconds ?? cause.rateLimit?.resetSeconds ?? 60))
    send(ctx, 429, { message: cause.message })
    return
  }
  if (!(cause instanceof RestError || cause instanceof GatewayError)) {
    log.error({ err: cause, method: ctx.method, path: ctx.path }, 'request failed')
  }
  const error = restErrorOf(cause)
  ctx.set(error.headers)
  send(ctx, error.status, dialect.failure(error))
}

function restErrorOf(cause: unknown): RestError {
  if (cause instanceof RestError) return cause
  if (!(cause instanceof GatewayError)) return serverError()
  if (cause.code === 'FORBIDDEN') return new RestError(403, 'FORBIDDEN', cause.message)
  if (cause.code === 'UNAVAILABLE') return unavailable(cause.message, cause.retryAfterSeconds)
  return new RestError(401, 'UNAUTHORIZED', cause.message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** Returns the error of the key (invalid, over its limit, without a scope), or `error` if the key has none. */
async function keyErrorOr(error: RestError, admission: Admission, scopes: readonly Scope[]): Promise<unknown> {
  try {
    await admission.confirm(scopes)
    return error
  } catch (keyError) {
    return keyError
  }
}

function setRateLimitHeaders(ctx: Koa.Context, rateLimit: RateLimit | undefined): void {
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

function allowedMethods(methods: Methods): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

function methodNotAllowed(method: string, methods: Methods): RestError {
  const Allow = allowedMethods(methods)
  const message = `The method ${method} is not allowed. Allowed methods: ${Allow}.`
  return new RestError(405, 'BAD_REQUEST', message, { headers: { Allow } })
}
