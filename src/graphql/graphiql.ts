import { createHash } from 'node:crypto'
import type { Context } from 'koa'

interface Page {
  readonly html: string
  readonly etag: string
  readonly policy: string
}

const options = {
  endpoint: '/graphql',
  title: 'Campanile',
  headers: JSON.stringify({ Authorization: 'Bearer <API key>' }, null, 2),
  // The key stays in the tab: it is not written to the browser's storage.
  shouldPersistHeaders: false,
  defaultQuery: '{\n  viewer {\n    accountName\n    email\n  }\n}\n',
}

let page: Promise<Page> | undefined

/**
 * Answers with GraphiQL, which needs no key by itself, for it executes nothing. Only its own script runs, nothing is sent
 * elsewhere, and no other page can frame it. A browser that has the page already gets 304.
 */
export async function showGraphiql(http: Context): Promise<void> {
  // A whole editor: loaded when it is first asked for.
  page ??= render()
  const { html, etag, policy } = await page
  http.status = 200
  http.set({
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    Vary: 'Accept',
    ETag: etag,
  })
  if (http.fresh) {
    http.status = 304
    return
  }
  http.type = 'text/html; charset=utf-8'
  http.body = html
}

async function render(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const html = renderGraphiQL(options as never)
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${sha256(script)}'`,
  )
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    // The editor sets styles as it runs, and its workers are part of the page.
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
