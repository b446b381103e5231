import type { IncomingHttpHeaders } from 'node:http'
import type { RestError } from '../errors/errors.ts'
import { type Paging, toMeta } from '../input/paging.ts'
import type { RouteResult } from './route.ts'

/** How one generation of the API wraps its responses, and where it reads the key. */
export interface Dialect {
  /** Headers of every response. */
  headers: Readonly<Record<string, string>>
  credentials(headers: IncomingHttpHeaders, query: URLSearchParams): IncomingHttpHeaders
  success(result: RouteResult, query: unknown): unknown
  failure(error: RestError): unknown
}

/** `/v1`: the envelopes `{success, data, meta}` and `{success, error}`. The key is a bearer token. */
export const v1: Dialect = {
  headers: {},
  credentials: (headers) => headers,
  success({ data, total }, query) {
    if (total === undefined) return { success: true, data }
    return { success: true, data, meta: toMeta(query as Paging, total) }
  },
  failure: ({ code, message, details }) => ({ success: false, error: { code, message, ...(details && { details }) } }),
}

/**
 * The legacy, unversioned API: bare JSON without an envelope. The key is the query parameter `api_key`; an `Authorization`
 * header is ignored.
 */
export const legacy: Dialect = {
  // RFC 9745 requires a time: 2026-11-21, the day of the first release.
  headers: { Deprecation: '@1795219200', Link: '</docs>; rel="deprecation"' },
  credentials({ authorization: _ignored, ...headers }, query) {
    const [key, ...more] = query.getAll('api_key')
    return key && more.length === 0 && /^[\x21-\x7e]+$/.test(key)
      ? { ...headers, authorization: `Bearer ${key}` }
      : headers
  },
  success: ({ data }) => data,
  failure: ({ code, message }) => ({ message: code === 'UNAUTHORIZED' ? 'Send a valid API key as api_key.' : message }),
}
