import type { Server } from '../support/server.ts'

/** What a visitor was answered. */
export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where it stands in the end, with its query. */
  readonly path: string
  readonly json: () => Record<string, unknown>
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether to go where an answer leads; yes unless told. */
  readonly follow?: boolean
}

/** A browser without a screen: it keeps cookies by their paths, follows redirects, and fills in the form that it sees. */
export interface Browser {
  open(path: string, sent?: Sent): Promise<Seen>
  /** Posts the form of the page that it sees, with all that is hidden in it. */
  fill(fields?: Readonly<Record<string, string | readonly string[]>>, sent?: Sent): Promise<Seen>
  /** Posts JSON. */
  send(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen>
  readonly cookies: Map<string, { value: string; path: string }>
  seen(): Seen
}

/** Opens a browser that has never been anywhere. */
export function newBrowser(server: Server): Browser {
  const cookies: Browser['cookies'] = new Map()
  let last: Seen | undefined
  const seen = () => {
    if (!last) throw new Error('Nothing was opened yet.')
    return last
  }
  const open: Browser['open'] = async (path, sent = {}) => {
    const { method = 'GET', headers = {}, body, follow = true } = sent
    const url = new URL(path, server.url)
    const carried = [...cookies].filter(([, cookie]) => url.pathname.startsWith(cookie.path))
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(carried.length > 0 && { cookie: carried.map(([name, { value }]) => `${name}=${value}`).join('; ') }),
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
    fill: (fields = {}, sent = {}) => {
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
        ...sent,
        headers: { 'content-type': form, ...sent.headers },
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
