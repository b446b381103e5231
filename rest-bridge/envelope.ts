import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from './errors.ts'
import { metaOf, type Paging } from './paging.ts'
import type { Read } from './route.ts'

/** How an API generation wraps what it says, and where it takes the key from. */
export interface Dialect {
  /** Headers that every answer carries. */
  headers: Readonly<Record<string, string>>
  credentials(headers: IncomingHttpHeaders, query: URLSearchParams): IncomingHttpHeaders
  success(read: Read, query: unknown): unknown
  failure(refusal: Refusal): unknown
}

/** `/v1`: `{success, data, meta}` and `{success, error}`; the key is a bearer token. */
export const v1: Dialect = {
  headers: {},
  credentials: (headers) => headers,
  success({ data, total }, query) {
    if (total === undefined) return { success: true, data }
    return { success: true, data, meta: metaOf(query as Paging, total) }
  },
  failure: ({ code, message, details }) => ({ success: false, error: { code, message, ...(details && { details }) } }),
}

/**
 * The unversioned predecessor: bare JSON; the key is the query parameter `api_key`, and an `Authorization` header means
 * nothing.
 */
export const legacy: Dialect = {
  // RFC 9745 wants a time: 2026-11-21, from our first release on.
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
