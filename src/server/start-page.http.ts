import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Middleware } from 'koa'
import manifest from '../../package.json' with { type: 'json' }
import { html, trusted } from '../kernel/html.ts'

const style = readFileSync(new URL('./start-page.css', import.meta.url), 'utf8').replace(/\s*\n\s*/g, ' ')

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Link {
  readonly path: string
  readonly name: string
  readonly content: string
}

const links: readonly Link[] = [
  { path: '/graphql', name: 'GraphiQL', content: 'Explore the GraphQL schema and execute operations.' },
  { path: '/docs', name: 'REST reference', content: 'The endpoints of /v1.' },
  { path: '/openapi.json', name: 'OpenAPI', content: 'The description of /v1 for code generators.' },
]

const devMailLink: Link = { path: '/dev/mail', name: 'Messages', content: 'The e-mails that this server has written.' }

/**
 * Serves `/`, the start page: the name and version of the server, and links to its tools. `isOwnHost` returns whether a host is
 * that of the server, and not that of an account's pages.
 */
export function startPage(options: { devMail: boolean; isOwnHost: (host: string) => boolean }): Middleware {
  const body = render(options.devMail ? [...links, devMailLink] : links)
  return async (http, next) => {
    if (http.path !== '/' || !['GET', 'HEAD'].includes(http.method) || !options.isOwnHost(http.hostname)) return next()
    http.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    })
    http.type = 'text/html; charset=utf-8'
    http.body = body
  }
}

function render(links: readonly Link[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Campanile</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>Campanile</h1>
<p>Version ${manifest.version}</p>
<ul>
${links.map(({ path, name, content }) => html`<li><a href="${path}"><strong>${name}</strong>${content}</a></li>\n`)}
</ul>
</main>
</body>
</html>
`.text
}
