import type { ExecutionResult } from 'graphql'
import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { bodyOf } from './door.ts'
import type { Asked } from './execute.ts'
import { limits } from './limits.ts'

/** What a client asked, or why that cannot be told. */
export type Read = { asked: Asked } | { status: number; refusal: ExecutionResult }

/** Reads what a GraphQL request over HTTP asks: a POST's JSON body, or a GET's query parameters. */
export async function readAsked(ctx: Context): Promise<Read> {
  return ctx.method === 'GET' ? readParameters(ctx) : readBody(ctx)
}

function readParameters(ctx: Context): Read {
  const { query, documentId, operationName, variables, extensions } = ctx.query
  try {
    return {
      asked: { query, documentId, operationName, variables: json(variables), extensions: json(extensions) },
    }
  } catch {
    return malformed('"variables" and "extensions" must be JSON.')
  }
}

async function readBody(ctx: Context): Promise<Read> {
  if (!ctx.is('application/json', 'application/graphql+json'))
    return malformed('Send the request as application/json.', 415)
  if (ctx.get('content-encoding') && ctx.get('content-encoding') !== 'identity') {
    return malformed('Send the request without a Content-Encoding.', 415)
  }
  let text: string
  try {
    text = await getRawBody(ctx.req, { length: ctx.request.length, limit: limits.bodyBytes, encoding: 'utf-8' })
  } catch (error) {
    const { type, statusCode } = error as { type?: string; statusCode?: number }
    if (statusCode === undefined) throw error
    return type === 'entity.too.large'
      ? { status: 413, refusal: bodyOf(`A request can have ${limits.bodyBytes} bytes at most.`, 'QUERY_TOO_COMPLEX') }
      : malformed('The request ended before it was complete.')
  }
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { asked: body }
    return malformed('The request must be one JSON object; batches are not taken.')
  } catch {
    return malformed('The request is not valid JSON.')
  }
}

function json(text: string | string[] | undefined): unknown {
  return typeof text === 'string' && text !== '' ? JSON.parse(text) : undefined
}

function malformed(message: string, status = 400): Read {
  return { status, refusal: bodyOf(message, 'BAD_REQUEST') }
}
