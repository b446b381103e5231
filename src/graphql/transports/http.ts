import { getOperationAST } from 'graphql'
import type { Context } from 'koa'
import type { Replicas } from '../../db/context.ts'
import { ClientGone } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import { namesType } from '../../kernel/web/accepted-types.ts'
import { endUnsent } from '../../kernel/web/http-route.ts'
import { isAccessToken } from '../../kernel/web/tokens.ts'
import type { ConcurrencyLimiter } from '../../kernel/work/request-slots.ts'
import type { RefusedRequest, RequestParams } from '../documents/prepare.ts'
import type { Executor } from '../execute.ts'
import {
  type Admit,
  type AdmittedCaller,
  errorResponseOf,
  errorResult,
  isCountedByBridge,
  limitHeaders,
  retryAfterSecondsOf,
} from '../execution/admission.ts'
import type { Request } from '../execution/request.ts'
import type { Yoga } from '../execution/yoga.ts'
import { toClientError } from '../schema/errors.ts'
import { sendCacheable } from './cacheable.ts'
import { serveGraphiql } from './graphiql.ts'
import {
  acceptsEventStream,
  acceptsGraphqlJson,
  commonHeaders,
  type Headers,
  prefersEventStream,
  sendJson,
  sendResult,
} from './http-response.ts'
import type { PublicIntrospection } from './public-introspection.ts'
import { positionHeader, readerFor } from './read-replica.ts'
import { readRequestParams } from './request-params.ts'
import type { Sessions } from './sessions.ts'
import { sendEvents } from './sse.ts'

interface HttpOptions {
  yoga: Yoga
  executor: Executor
  /** Sent with each response, so that a front end notices another schema. */
  schemaVersion: string
  admit: Admit
  introspect: PublicIntrospection
  sessions: Sessions
  /** Absent if there are none. */
  replicas: Replicas | undefined
  limiter: ConcurrencyLimiter
  /** Secret with which a bridge in another process signs requests that it counted. */
  secret: string
  log: Log
}

/**
 * Serves `/graphql` over HTTP (GraphQL over HTTP, draft of 2025). Executes queries and mutations without Yoga's HTTP layer,
 * which takes three times as long. Writes server-sent events itself, because each needs its cursor as event ID. Yoga
 * handles preflight requests.
 */
export function graphqlOverHttp(options: HttpOptions): (ctx: Context) => Promise<void> {
  const { yoga, schemaVersion, log } = options
  return async (ctx) => {
    let name: string | undefined
    const headers: Headers = { ...commonHeaders, 'X-Schema-Version': schemaVersion }
    try {
      if (ctx.method === 'OPTIONS') await handleWithYoga(ctx, yoga)
      else if (requestsGraphiql(ctx)) await serveGraphiql(ctx)
      else name = await serve(ctx, headers, options)
    } catch (error) {
      if (ctx.res.headersSent) throw error
      if (error instanceof ClientGone) endUnsent(ctx)
      else sendProblem(ctx, headers, error, log)
    }
    // For the request metrics.
    ctx.state['route'] = { transport: 'graphql', path: name ?? 'untrusted' }
  }
}

/** Sends the response to a request that failed outside of its execution. */
function sendProblem(ctx: Context, headers: Headers, error: unknown, log: Log): void {
  const response = errorResponseOf(error)
  Object.assign(headers, response?.headers)
  sendResult(ctx, headers, response?.status ?? 500, response?.body ?? { errors: [toClientError(error, log)] })
}

/** A request whose body has arrived, of a caller that was admitted. */
interface CompleteRequest {
  readonly caller: AdmittedCaller
  readonly params: RequestParams
}

/**
 * Serves one request. Returns the name of its trusted document, or undefined if the document is not trusted. `headers` are those
 * of the response, also if this throws.
 */
async function serve(ctx: Context, headers: Headers, options: HttpOptions): Promise<string | undefined> {
  const { limiter } = options
  const { method } = ctx.req
  if (method !== 'POST' && method !== 'GET') {
    headers['Allow'] = 'GET, POST'
    return sendResult(ctx, headers, 405, errorResult('Send the request with POST, or a query with GET.', 'BAD_REQUEST'))
  }
  const authorization = authorizationOf(ctx)
  const session = options.sessions.ofRequest(ctx)
  const isAnonymous = session === undefined && !authorization
  if (isAnonymous && !prefersEventStream(ctx)) {
    const schema = await options.introspect(ctx)
    if (schema !== undefined) return sendJson(ctx, headers, 200, schema)
  }
  const caller = await admitHolder(ctx, authorization, session, options)
  Object.assign(headers, limitHeaders(caller.requests))
  const read = await readRequestParams(ctx)
  if ('refusal' in read) return sendResult(ctx, headers, read.status, read.refusal)
  // Only now, so that a client that sends or reads slowly takes no slot from others.
  const slot = limiter.acquire(caller.accountId)
  ctx.res.once('close', slot.leave)
  if (ctx.req.socket.destroyed) slot.leave()
  try {
    await slot.start()
    return await execute(ctx, headers, { caller, params: read.params }, options)
  } finally {
    slot.release()
  }
}

/** Executes a request that is complete, and sends its result. */
async function execute(
  ctx: Context,
  headers: Headers,
  { caller, params }: CompleteRequest,
  options: HttpOptions,
): Promise<string | undefined> {
  const { executor } = options
  const { method, headers: sent } = ctx.req
  const request: Request = {
    admitted: caller,
    address: plainAddress(ctx.ip),
    idempotencyKey: textOf(sent['idempotency-key']),
    lastEventId: textOf(sent['last-event-id']),
  }
  const prepared = executor.prepare(params, caller)
  if ('refusal' in prepared) return refuseDocument(ctx, headers, prepared)
  const operation = getOperationAST(prepared.document, prepared.operationName)?.operation
  const isSubscription = operation === 'subscription'
  if (method === 'GET' && operation === 'mutation') {
    headers['Allow'] = 'POST'
    return sendResult(ctx, headers, 405, errorResult('Send a mutation with POST.', 'BAD_REQUEST'))
  }
  if (prefersEventStream(ctx) || (isSubscription && acceptsEventStream(ctx))) {
    sendEvents(
      ctx,
      headers,
      await (isSubscription ? executor.subscribe(prepared, request, 'sse') : executor.run(prepared, request)),
    )
    return prepared.trustedName
  }
  if (isSubscription) {
    const message = 'Subscribe with Accept: text/event-stream, or over WebSocket.'
    return sendResult(ctx, headers, 406, errorResult(message, 'BAD_REQUEST'))
  }
  const db = operation === 'query' ? await readerFor(ctx, prepared.text, options) : undefined
  const result = await executor.run(prepared, db ? { ...request, db } : request)
  if (operation === 'mutation') Object.assign(headers, await positionHeader(options))
  const seconds = retryAfterSecondsOf(result)
  if (seconds !== undefined) headers['Retry-After'] = String(seconds)
  const status = seconds !== undefined ? 503 : acceptsGraphqlJson(ctx) && result.data === undefined ? 400 : 200
  if (method === 'GET' && prepared.isByHash) await sendCacheable(ctx, headers, status, result)
  else sendResult(ctx, headers, status, result)
  return prepared.trustedName
}

async function admitHolder(
  ctx: Context,
  authorization: string | undefined,
  session: string | undefined,
  { admit, secret }: HttpOptions,
): Promise<AdmittedCaller> {
  const { 'x-campanile-bridge': proof } = ctx.req.headers
  const isCounted = typeof proof === 'string' && isCountedByBridge(secret, proof, authorization ?? '')
  // A client of the REST API cannot use a token, wherever its bridge runs.
  return admit({ authorization, session, address: plainAddress(ctx.ip), acceptsTokens: !isCounted }, isCounted)
}

/** Returns the header, or the access token in the URL, where `EventSource` sends it. A key does not belong into a URL. */
function authorizationOf(ctx: Context): string | undefined {
  const { authorization } = ctx.req.headers
  if (authorization) return authorization
  const { accessToken } = ctx.query
  const isToken = typeof accessToken === 'string' && isAccessToken(accessToken) && prefersEventStream(ctx)
  return isToken ? `Bearer ${accessToken}` : undefined
}

async function handleWithYoga(ctx: Context, yoga: Yoga): Promise<void> {
  // Yoga builds a URL from it.
  if (!URL.canParse(`http://${ctx.req.headers.host}`)) {
    return sendResult(
      ctx,
      { ...commonHeaders },
      400,
      errorResult('The Host header is not a valid host.', 'BAD_REQUEST'),
    )
  }
  const response = await yoga.handleNodeRequestAndResponse(ctx.req, ctx.res, {} as never)
  ctx.status = response.status
  for (const [name, value] of response.headers) ctx.set(name, value)
  // Yoga names the origin that asks.
  ctx.set(commonHeaders)
  ctx.body = response.body
}

/** Returns whether a browser requests the GraphiQL page. The page needs no key, because it executes nothing itself. */
function requestsGraphiql(ctx: Context): boolean {
  return ctx.method === 'GET' && namesType(ctx.req.headers.accept, 'text/html') && ctx.query['query'] === undefined
}

/**
 * Responds to a document that is not executed. As server-sent events, its errors are an event, because `EventSource` and
 * graphql-sse cannot read another response. As JSON, the status is 400 for malformed parameters and in the newer media
 * type. It is 200 for an unknown hash, as in Apollo Server, whose clients then send the document.
 */
function refuseDocument(ctx: Context, headers: Headers, { reason, refusal }: RefusedRequest): undefined {
  if (prefersEventStream(ctx)) {
    sendEvents(ctx, headers, refusal)
    return
  }
  if (reason === 'unknown hash') {
    headers['Cache-Control'] = 'private, no-cache, must-revalidate'
    return sendResult(ctx, headers, 200, refusal)
  }
  const status = reason === 'malformed parameters' || acceptsGraphqlJson(ctx) ? 400 : 200
  return sendResult(ctx, headers, status, refusal)
}

/** Returns the value of a header that is sent once. */
function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined
}
