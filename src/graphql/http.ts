import { type ExecutionResult, getOperationAST } from 'graphql'
import type { Context } from 'koa'
import type { ConcurrencyLimiter } from '../kernel/concurrency.ts'
import type { Log } from '../kernel/log.ts'
import { toClientError } from './errors.ts'
import type { Executor } from './execute.ts'
import { serveGraphiql } from './graphiql.ts'
import type { Request } from './request.ts'
import { readRequestParams } from './request-params.ts'
import { sendEvents } from './sse.ts'
import {
  type Admit,
  errorResponseOf,
  errorResult,
  isCountedByBridge,
  limitHeaders,
  retryAfterSecondsOf,
} from './transport.ts'
import type { Yoga } from './yoga.ts'

const graphqlJson = 'application/graphql-response+json'

interface HttpOptions {
  yoga: Yoga
  executor: Executor
  admit: Admit
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
    ctx.state['route'] = { door: 'graphql', path: name ?? 'untrusted' }
  }
}

/** Serves one request. Returns the name of its trusted document, or undefined if the document is not trusted. */
async function serve(ctx: Context, { executor, admit, limiter, secret }: HttpOptions): Promise<string | undefined> {
  ctx.set('Access-Control-Allow-Origin', '*')
  if (ctx.method !== 'POST' && ctx.method !== 'GET') {
    ctx.set('Allow', 'GET, POST')
    return refuse(ctx, 405, errorResult('Send the request with POST, or a query with GET.', 'BAD_REQUEST'))
  }
  const authorization = ctx.get('authorization')
  const proof = ctx.get('x-campanile-bridge')
  const caller = await admit(
    authorization || undefined,
    proof !== '' && isCountedByBridge(secret, proof, authorization),
  )
  ctx.set(limitHeaders(caller.requests))
  const slot = limiter.acquire(caller.accountId)
  // The slot is taken until the response was sent, because a response that waits in memory counts too.
  ctx.res.once('close', slot.release)
  if (ctx.req.socket.destroyed) slot.release()
  const request: Request = {
    admitted: caller,
    idempotencyKey: ctx.get('idempotency-key') || undefined,
    lastEventId: ctx.get('last-event-id') || undefined,
  }

  const read = await readRequestParams(ctx)
  if ('refusal' in read) return refuse(ctx, read.status, read.refusal)
  await slot.start()
  const prepared = executor.prepare(read.params)
  // An invalid document has status 200 in application/json, and 400 in the newer media type.
  if ('refusal' in prepared) {
    return refuse(ctx, prepared.isMalformed || acceptsGraphqlJson(ctx) ? 400 : 200, prepared.refusal)
  }
  const operation = getOperationAST(prepared.document, prepared.operationName)?.operation
  if (ctx.method === 'GET' && operation === 'mutation') {
    ctx.set('Allow', 'POST')
    return refuse(ctx, 405, errorResult('Send a mutation with POST.', 'BAD_REQUEST'))
  }
  if (acceptsEventStream(ctx)) {
    const isSubscription = operation === 'subscription'
    sendEvents(
      ctx,
      await (isSubscription ? executor.subscribe(prepared, request, 'sse') : executor.run(prepared, request)),
    )
    slot.release()
    return prepared.trustedName
  }
  if (operation === 'subscription') {
    return refuse(ctx, 406, errorResult('Subscribe with Accept: text/event-stream, or over WebSocket.', 'BAD_REQUEST'))
  }
  const result = await executor.run(prepared, request)
  const seconds = retryAfterSecondsOf(result)
  if (seconds !== undefined) ctx.set('Retry-After', String(seconds))
  ctx.status = seconds !== undefined ? 503 : acceptsGraphqlJson(ctx) && result.data === undefined ? 400 : 200
  writeResult(ctx, result)
  return prepared.trustedName
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

/** Returns whether the client accepts the result as server-sent events. */
function acceptsEventStream(ctx: Context): boolean {
  return ctx.get('accept').includes('text/event-stream')
}

function acceptsGraphqlJson(ctx: Context): boolean {
  return ctx.get('accept').includes(graphqlJson)
}

function refuse(ctx: Context, status: number, refusal: ExecutionResult): undefined {
  ctx.status = status
  writeResult(ctx, refusal)
}

function writeResult(ctx: Context, result: ExecutionResult): void {
  ctx.type = acceptsGraphqlJson(ctx) ? `${graphqlJson}; charset=utf-8` : 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(result)
}
