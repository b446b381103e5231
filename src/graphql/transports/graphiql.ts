import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { sendFresh } from '../../kernel/web/http-route.ts'

interface Page {
  readonly html: string
  readonly etag: string
  readonly policy: string
}

const options = {
  endpoint: '/graphql',
  title: 'Campanile',
  // The key is not written to the browser's storage.
  shouldPersistHeaders: false,
  defaultQuery: `# Add your API key under "Headers":
#   { "Authorization": "Bearer <API key>" }

{
  viewer {
    accountName
    email
  }
}
`,
}

/**
 * Script that adds the key of the fragment (`/graphql#key=…`) to the options. A browser does not send the fragment. It is
 * removed from the address before the editor starts, so that it is not copied or stored with it.
 */
const optionsWithKey = `((options) => {
  const keyOf = () => new URLSearchParams(location.hash.slice(1)).get('key')
  const key = keyOf()
  // For another fragment alone, the browser does not load the page again.
  addEventListener('hashchange', () => keyOf() && location.reload())
  if (!key) return options
  history.replaceState(null, '', location.pathname + location.search)
  const headers = JSON.stringify({ Authorization: 'Bearer ' + key }, null, 2)
  return { ...options, headers, initialHeaders: headers }
})`

let page: Promise<Page> | undefined

/**
 * Serves the GraphiQL page. It needs no key, because it executes nothing itself. Its Content-Security-Policy allows only
 * its own script, no requests to other hosts, and no frames. Returns 304 if the browser has the page already.
 */
export async function serveGraphiql(http: Context): Promise<void> {
  // Loaded on the first request, because the editor is large.
  page ??= render()
  const { html, etag, policy } = await page
  http.set({
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    Vary: 'Accept',
  })
  sendFresh(http, etag, 'text/html; charset=utf-8', html)
}

async function render(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const json = JSON.stringify(options)
  const rendered = renderGraphiQL(options as never)
  const html = rendered.replace(json, () => `${optionsWithKey}(${json})`)
  if (html === rendered) throw new Error('The page of GraphiQL does not contain its options.')
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${sha256(script)}'`,
  )
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    // The editor sets styles at runtime, and creates its workers from blobs.
    "style-src 'unsafe-inline'",
    'worker-src blob:',
    "img-src 'self' data:",
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, etag: `"${sha256(html)}"`, policy }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
