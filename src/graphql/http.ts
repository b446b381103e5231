import { type ExecutionResult, getOperationAST } from 'graphql'
import type { Context } from 'koa'
import type { Replicas } from '../db/replicas.ts'
import { plainAddress } from '../kernel/address.ts'
import type { ConcurrencyLimiter } from '../kernel/concurrency.ts'
import type { Log } from '../kernel/log.ts'
import { toClientError } from './errors.ts'
import type { Executor, RefusedRequest } from './execute.ts'
import { serveGraphiql } from './graphiql.ts'
import type { PublicIntrospection } from './public-introspection.ts'
import { positionHeader, readerFor } from './read-replica.ts'
import type { Request } from './request.ts'
import { readRequestParams } from './request-params.ts'
import type { Sessions } from './sessions.ts'
import { sendEvents } from './sse.ts'
import {
  type Admit,
  type AdmitStreamToken,
  type AdmittedCaller,
  errorResponseOf,
  errorResult,
  isCountedByBridge,
  limitHeaders,
  retryAfterSecondsOf,
} from './transport.ts'
import type { Yoga } from './yoga.ts'

const graphqlJson = 'application/graphql-response+json'
const eventStream = 'text/event-stream'

/** Headers for pages of other origins. All origins are allowed, because browsers do not send the key by themselves. */
const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Database-Position',
}

interface HttpOptions {
  yoga: Yoga
  executor: Executor
  admit: Admit
  admitStreamToken: AdmitStreamToken
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
  const { yoga, log } = options
  return async (ctx) => {
    let name: string | undefined
    try {
      if (ctx.method === 'OPTIONS') await handleWithYoga(ctx, yoga)
      else if (requestsGraphiql(ctx)) await serveGraphiql(ctx)
      else name = await serve(ctx, options)
    } catch (error) {
      const response = errorResponseOf(error)
      ctx.status = response?.status ?? 500
      ctx.set(response?.headers ?? {})
      writeResult(ctx, response?.body ?? { errors: [toClientError(error, log)] })
    }
    // For the request metrics.
    ctx.state['route'] = { transport: 'graphql', path: name ?? 'untrusted' }
  }
}

/** Serves one request. Returns the name of its trusted document, or undefined if the document is not trusted. */
async function serve(ctx: Context, options: HttpOptions): Promise<string | undefined> {
  const { executor, limiter } = options
  ctx.set(corsHeaders)
  if (ctx.method !== 'POST' && ctx.method !== 'GET') {
    ctx.set('Allow', 'GET, POST')
    return refuse(ctx, 405, errorResult('Send the request with POST, or a query with GET.', 'BAD_REQUEST'))
  }
  const streamToken = streamTokenOf(ctx)
  const session = options.sessions.ofRequest(ctx)
  const isAnonymous = streamToken === undefined && session === undefined && ctx.get('authorization') === ''
  if (isAnonymous && !prefersEventStream(ctx)) {
    const schema = await options.introspect(ctx)
    if (schema !== undefined) return writeJson(ctx, schema)
  }
  const caller: AdmittedCaller & { readonly expiresInMs?: number } =
    streamToken === undefined ? await admitHolder(ctx, session, options) : await options.admitStreamToken(streamToken)
  ctx.set(limitHeaders(caller.requests))
  const slot = limiter.acquire(caller.accountId)
  // The slot is taken until the response was sent, because a response that waits in memory counts too.
  ctx.res.once('close', slot.release)
  if (ctx.req.socket.destroyed) slot.release()
  const request: Request = {
    admitted: caller,
    address: plainAddress(ctx.ip),
    idempotencyKey: ctx.get('idempotency-key') || undefined,
    lastEventId: ctx.get('last-event-id') || undefined,
  }

  const read = await readRequestParams(ctx)
  if ('refusal' in read) return refuse(ctx, read.status, read.refusal)
  await slot.start()
  const prepared = executor.prepare(read.params, caller.accountId)
  if ('refusal' in prepared) return refuseDocument(ctx, prepared)
  const operation = getOperationAST(prepared.document, prepared.operationName)?.operation
  const isSubscription = operation === 'subscription'
  if (streamToken !== undefined && !isSubscription) {
    sendEvents(ctx, errorResult('A stream token executes subscriptions only.', 'FORBIDDEN'))
    return undefined
  }
  if (ctx.method === 'GET' && operation === 'mutation') {
    ctx.set('Allow', 'POST')
    return refuse(ctx, 405, errorResult('Send a mutation with POST.', 'BAD_REQUEST'))
  }
  if (prefersEventStream(ctx) || (isSubscription && acceptsEventStream(ctx))) {
    sendEvents(
      ctx,
      await (isSubscription ? executor.subscribe(prepared, request, 'sse') : executor.run(prepared, request)),
      caller.expiresInMs,
    )
    slot.release()
    return prepared.trustedName
  }
  if (isSubscription) {
    return refuse(ctx, 406, errorResult('Subscribe with Accept: text/event-stream, or over WebSocket.', 'BAD_REQUEST'))
  }
  const db = operation === 'query' ? await readerFor(ctx, prepared.text, options) : undefined
  const result = await executor.run(prepared, db ? { ...request, db } : request)
  if (operation === 'mutation') ctx.set(await positionHeader(options))
  const seconds = retryAfterSecondsOf(result)
  if (seconds !== undefined) ctx.set('Retry-After', String(seconds))
  ctx.status = seconds !== undefined ? 503 : acceptsGraphqlJson(ctx) && result.data === undefined ? 400 : 200
  writeResult(ctx, result)
  return prepared.trustedName
}

async function admitHolder(
  ctx: Context,
  session: string | undefined,
  { admit, secret }: HttpOptions,
): Promise<AdmittedCaller> {
  const authorization = ctx.get('authorization')
  const proof = ctx.get('x-campanile-bridge')
  const isCounted = proof !== '' && isCountedByBridge(secret, proof, authorization)
  return admit({ authorization: authorization || undefined, session }, isCounted)
}

/** Returns the stream token in the URL of a request for server-sent events that has no key. */
function streamTokenOf(ctx: Context): string | undefined {
  if (ctx.get('authorization') !== '') return undefined
  const { streamToken } = ctx.query
  return typeof streamToken === 'string' && prefersEventStream(ctx) ? streamToken : undefined
}

async function handleWithYoga(ctx: Context, yoga: Yoga): Promise<void> {
  const response = await yoga.handleNodeRequestAndResponse(ctx.req, ctx.res, {} as never)
  ctx.status = response.status
  for (const [name, value] of response.headers) ctx.set(name, value)
  ctx.body = response.body
}

/** Returns whether a browser requests the GraphiQL page. The page needs no key, because it executes nothing itself. */
function requestsGraphiql(ctx: Context): boolean {
  return ctx.method === 'GET' && ctx.get('accept').includes('text/html') && ctx.query['query'] === undefined
}

function acceptsEventStream(ctx: Context): boolean {
  return ctx.get('accept').includes(eventStream)
}

/** Returns whether the client prefers server-sent events to JSON. Clients such as urql accept both for a query. */
function prefersEventStream(ctx: Context): boolean {
  return acceptsEventStream(ctx) && ctx.accepts(graphqlJson, 'application/json', eventStream) === eventStream
}

function acceptsGraphqlJson(ctx: Context): boolean {
  return ctx.get('accept').includes(graphqlJson)
}

/**
 * Responds to a document that is not executed. As server-sent events, its errors are an event, because `EventSource` and
 * graphql-sse cannot read another response. As JSON, the status is 400 for malformed parameters and in the newer media
 * type. It is 200 for an unknown hash, as in Apollo Server, whose clients then send the document.
 */
function refuseDocument(ctx: Context, { reason, refusal }: RefusedRequest): undefined {
  if (prefersEventStream(ctx)) {
    sendEvents(ctx, refusal)
    return
  }
  if (reason === 'unknown hash') {
    ctx.set('Cache-Control', 'private, no-cache, must-revalidate')
    return refuse(ctx, 200, refusal)
  }
  return refuse(ctx, reason === 'malformed parameters' || acceptsGraphqlJson(ctx) ? 400 : 200, refusal)
}

function refuse(ctx: Context, status: number, refusal: ExecutionResult): undefined {
  ctx.status = status
  writeResult(ctx, refusal)
}

function writeResult(ctx: Context, result: ExecutionResult): void {
  writeJson(ctx, JSON.stringify(result))
}

function writeJson(ctx: Context, text: string): undefined {
  ctx.type = acceptsGraphqlJson(ctx) ? `${graphqlJson}; charset=utf-8` : 'application/json; charset=utf-8'
  ctx.body = text
}
