import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ExecutionResult } from 'graphql'
import type { Context } from 'koa'
import { contentTypeOf, type Headers, sendJson } from './http-response.ts'

/** Size from which a result is compressed, in bytes. Below, it takes longer than sending. */
const compressedFrom = 1_024

const compress = {
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => promisify(gzip)(text),
}

/**
 * Sends the result of a query that a client asked for by GET and the hash of its document: compressed, and with an `ETag` of its
 * data, so that the client asks again with `If-None-Match` and gets 304 if they are the same. The tag is weak, because the points
 * and requests that remain differ each time. Results with errors have no tag.
 */
export async function sendCacheable(
  ctx: Context,
  headers: Headers,
  status: number,
  result: ExecutionResult,
): Promise<void> {
  headers['Vary'] = 'Authorization, Cookie, Accept, Accept-Encoding'
  const data = JSON.stringify(result.data)
  if (status === 200 && !result.errors) {
    headers['Cache-Control'] = 'private, no-cache'
    headers['ETag'] = `W/"${createHash('sha256').update(data).digest('base64url').slice(0, 22)}"`
    if (isKnown(ctx.get('if-none-match'), headers['ETag'])) {
      ctx.res.writeHead(304, headers).end()
      ctx.respond = false
      return
    }
  }
  const text = JSON.stringify(result)
  const encoding = text.length < compressedFrom ? 'identity' : ctx.acceptsEncodings('br', 'gzip', 'identity')
  if (encoding !== 'br' && encoding !== 'gzip') return sendJson(ctx, headers, status, text)
  const body = await compress[encoding](text)
  const described = { ...headers, ...contentTypeOf(ctx), 'Content-Encoding': encoding, 'Content-Length': body.length }
  ctx.res.writeHead(status, described).end(body)
  ctx.respond = false
}

/** Returns whether the header `If-None-Match` names a tag. */
function isKnown(header: string, tag: string): boolean {
  return header === '*' || header.split(',').some((each) => each.trim().replace(/^(W\/)?/, 'W/') === tag)
}
