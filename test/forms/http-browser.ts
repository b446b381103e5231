import type { Server } from '../support/server.ts'

/** A response, after redirects. */
export interface PageResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Path and query of the last request. */
  readonly path: string
  readonly json: () => Record<string, unknown>
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether to follow redirects. Defaults to true. */
  readonly follow?: boolean
}

/** A simple HTTP browser that stores cookies by path, follows redirects and submits the form of the page. */
export interface Browser {
  open(path: string, options?: RequestOptions): Promise<PageResponse>
  /** Posts the form of the page, including its hidden inputs. */
  fill(fields?: Readonly<Record<string, string | readonly string[]>>, options?: RequestOptions): Promise<PageResponse>
  /** Posts JSON. */
  send(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<PageResponse>
  readonly cookies: Map<string, { value: string; path: string }>
  seen(): PageResponse
}

/** Returns a browser without cookies. */
export function newBrowser(server: Server): Browser {
  const cookies: Browser['cookies'] = new Map()
  let last: PageResponse | undefined
  const seen = () => {
    if (!last) throw new Error('No page is open.')
    return last
  }
  const open: Browser['open'] = async (path, options = {}) => {
    const { method = 'GET', headers = {}, body, follow = true } = options
    const url = new URL(path, server.url)
    const sentCookies = [...cookies].filter(([, cookie]) => url.pathname.startsWith(cookie.path))
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(sentCookies.length > 0 && {
          cookie: sentCookies.map(([name, { value }]) => `${name}=${value}`).join('; '),
        }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, { value, path: /path=([^;]+)/i.exec(line)?.[1] ?? '/' })
    }
    const text = await response.text()
    const location = response.headers.get('location')
    if (location !== null && follow) {
      const to = new URL(location, url)
      return open(to.pathname + to.search)
    }
    last = {
      status: response.status,
      headers: response.headers,
      text,
      path: url.pathname + url.search,
      json: () => JSON.parse(text),
    }
    return last
  }
  const form = 'application/x-www-form-urlencoded'
  return {
    open,
    cookies,
    seen,
    fill: (fields = {}, options = {}) => {
      const all = new URLSearchParams()
      for (const [, name = '', value = ''] of seen().text.matchAll(
        /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
      ))
        all.append(name, value)
      for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) all.append(name, each)
      const action = /<form[^>]* action="([^"]*)"/.exec(seen().text)?.[1] ?? ''
      const { pathname } = new URL(action, new URL(seen().path, server.url))
      return open(pathname, {
        method: 'POST',
        body: String(all),
        ...options,
        headers: { 'content-type': form, ...options.headers },
      })
    },
    send: (path, body, headers = {}) =>
      open(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      }),
  }
}
