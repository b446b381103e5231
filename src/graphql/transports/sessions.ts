import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { isOwnOrigin, isSameOrigin, readSessionCookie } from '../../kernel/web/session-cookie.ts'

/** Reads the session cookie of requests that a page of this server sent. */
export interface Sessions {
  /** Returns the token of the session of an HTTP request. */
  ofRequest(http: Context): string | undefined
  /** Returns the token of the session of the request that opened a WebSocket. */
  ofUpgrade(request: IncomingMessage): string | undefined
}

/**
 * Creates the reader of session cookies. Browsers send the cookie with requests of other sites too, so the request must prove its
 * origin. Over HTTP by the header `X-Campanile-Console: 1`, which another origin cannot send without a preflight that fails with
 * credentials, and by `Sec-Fetch-Site` and `Origin` if the browser sends them. A WebSocket has no preflight and no own headers,
 * so its `Origin` is required. Only hosts of the console accept sessions. With an Authorization header, the cookie is ignored.
 */
export function newSessions(consoleUrl: () => string, isConsole: (host: string) => boolean): Sessions {
  return {
    ofRequest: (http) => {
      const isProven =
        http.get('authorization') === '' &&
        http.get('x-campanile-console') === '1' &&
        isConsole(http.hostname.toLowerCase()) &&
        isSameOrigin((name) => http.get(name), { host: http.host, consoleUrl: consoleUrl() })
      return isProven ? readSessionCookie(http.get('cookie'), consoleUrl()) : undefined
    },
    ofUpgrade: ({ headers }) => {
      const { authorization, origin = '', host = '', cookie } = headers
      const isProven =
        authorization === undefined &&
        isOwnOrigin(origin, { host, consoleUrl: consoleUrl() }) &&
        isConsole(new URL(origin).hostname)
      return isProven ? readSessionCookie(cookie, consoleUrl()) : undefined
    },
  }
}
