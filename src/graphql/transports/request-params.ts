import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { ExecutionResult } from 'graphql'
import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { limits } from '../documents/limits.ts'
import type { RequestParams } from '../documents/prepare.ts'
import { errorResult } from '../execution/admission.ts'

/** The parameters of a request, or the status and the error of a request that is malformed. */
type ReadParams = { params: RequestParams } | { status: number; refusal: ExecutionResult }

/** Reads the parameters of a GraphQL request over HTTP: the JSON body of a POST, or the query parameters of a GET. */
export async function readRequestParams(ctx: Context, maxBytes: number = limits.bodyBytes): Promise<ReadParams> {
  return ctx.method === 'GET' ? readQuery(ctx) : readBody(ctx, maxBytes)
}

function readQuery(ctx: Context): ReadParams {
  const { query, documentId, operationName, variables, extensions } = ctx.query
  try {
    return {
      params: { query, documentId, operationName, variables: parseJson(variables), extensions: parseJson(extensions) },
    }
  } catch {
    return malformed('"variables" and "extensions" must be JSON.')
  }
}

async function readBody(ctx: Context, maxBytes: number): Promise<ReadParams> {
  const { headers } = ctx.req
  if (!isPlainJson(headers) && !ctx.is('application/json', 'application/graphql+json')) {
    return malformed('Send the request as application/json.', 415)
  }
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') {
    return malformed('Send the request without a Content-Encoding.', 415)
  }
  let text: string
  try {
    text = await readText(ctx.req, maxBytes)
  } catch (error) {
    const { type, statusCode } = error as { type?: string; statusCode?: number }
    if (statusCode === undefined) throw error
    return type === 'entity.too.large'
      ? {
          status: 413,
          refusal: errorResult(`A request can have ${maxBytes} bytes at most.`, 'QUERY_TOO_COMPLEX'),
        }
      : malformed('The request ended before it was complete.')
  }
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { params: body }
    return malformed('The request must be one JSON object. Batches are not supported.')
  } catch {
    return malformed('The request is not valid JSON.')
  }
}

/** Returns whether a body has the usual type, which needs not be parsed. */
function isPlainJson(headers: IncomingHttpHeaders): boolean {
  return headers['content-type'] === 'application/json' && headers['content-length'] !== undefined
}

/**
 * Reads a body as text. A body whose length is known and allowed is read without raw-body, which takes as long as the rest of
 * a small request.
 */
async function readText(req: IncomingMessage, maxBytes: number): Promise<string> {
  const length = Number(req.headers['content-length'])
  if (!(length <= maxBytes)) {
    return getRawBody(req, { length: req.headers['content-length'] ?? null, limit: maxBytes, encoding: 'utf-8' })
  }
  // Node reports a request before it parses the rest of the packet, with which most bodies are complete.
  if (!req.complete) await new Promise((resolve) => setImmediate(resolve))
  if (req.complete) return ((req.read() as Buffer | null) ?? '').toString()
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const fail = () => {
      // Every request closes after its end. Its error, whose stack takes longer than reading a small body, is not needed.
      if (!req.complete) reject(Object.assign(new Error('The request was aborted.'), { statusCode: 400 }))
    }
    req.on('data', (part: Buffer) => parts.push(part))
    req.once('end', () => resolve(Buffer.concat(parts).toString('utf8')))
    req.once('error', fail)
    req.once('close', fail)
    if (req.destroyed) fail()
  })
}

function parseJson(text: string | string[] | undefined): unknown {
  return typeof text === 'string' && text !== '' ? JSON.parse(text) : undefined
}

function malformed(message: string, status = 400): ReadParams {
  return { status, refusal: errorResult(message, 'BAD_REQUEST') }
}
