import type { ExecutionResult } from 'graphql'
import type { Context } from 'koa'
import { namesType, refusesType } from '../../kernel/web/accepted-types.ts'

const json = 'application/json'
const graphqlJson = 'application/graphql-response+json'
const eventStream = 'text/event-stream'

/** Headers of all responses. Pages of all origins are allowed, because browsers do not send the key by themselves. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Database-Position, X-Schema-Version, ETag',
}

/** Headers of a response that is not sent yet. */
export type Headers = Record<string, string>

export function acceptsEventStream(ctx: Context): boolean {
  return namesType(ctx.req.headers.accept, eventStream)
}

/** Returns whether the client prefers server-sent events to JSON. Clients such as urql accept both for a query. */
export function prefersEventStream(ctx: Context): boolean {
  return acceptsEventStream(ctx) && ctx.accepts(graphqlJson, json, eventStream) === eventStream
}

/** Returns whether a result has the newer media type: the client names it, or accepts it but not JSON. */
export function acceptsGraphqlJson(ctx: Context): boolean {
  const { accept } = ctx.req.headers
  return namesType(accept, graphqlJson) || (refusesType(accept, json) && ctx.accepts(graphqlJson) !== false)
}

/** Returns the header with the media type of a result, by what the client accepts. */
export function contentTypeOf(ctx: Context): { readonly 'Content-Type': string } {
  return { 'Content-Type': `${acceptsGraphqlJson(ctx) ? graphqlJson : json}; charset=utf-8` }
}

/** Sends a result as JSON. */
export function sendResult(ctx: Context, headers: Headers, status: number, result: ExecutionResult): undefined {
  sendJson(ctx, headers, status, JSON.stringify(result))
}

/** Sends a response at once. Koa would prepare it in several steps, which take longer than the execution of a small query. */
export function sendJson(ctx: Context, headers: Headers, status: number, text: string): undefined {
  Object.assign(headers, contentTypeOf(ctx))
  headers['Content-Length'] = String(Buffer.byteLength(text))
  ctx.res.writeHead(status, headers).end(text)
  ctx.respond = false
  // Discards the rest of a body that was refused. Otherwise the connection would serve no other request.
  if (!ctx.req.complete) ctx.req.resume()
}
