import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import { html, trusted } from '../../kernel/web/html.ts'
import { httpRoute } from '../../kernel/web/http-route.ts'

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

interface StartPageServices {
  /** Folder of the messages that `/dev/mail` shows, if it is served. */
  readonly mailFolder: string | undefined
  /** The console, if it is served: then `/` redirects to it. */
  readonly console: { readonly index: string | undefined } | undefined
  /** Host of this server. Its subdomains serve the pages of accounts. */
  readonly ownHost: () => string
  /** Origin of the console if it has a host of its own; empty otherwise. */
  readonly consoleOrigin: string
}

export const startPageRoutes = [
  httpRoute('/', {
    area: 'server',
    summary: 'Redirects to the console. Without the console: name and version of the server, and links to its tools.',
    methods: ['GET'],
    otherMethods: 404,
    limiter: 'visitors',
    headers: {
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    },
    match: (http, { ownHost }: StartPageServices) =>
      http.path === '/' && !http.hostname.endsWith(`.${ownHost()}`) ? {} : undefined,
    handle({ http }, { mailFolder, console, consoleOrigin }) {
      if (console?.index !== undefined) return http.redirect(`${consoleOrigin}/console`)
      http.type = 'text/html; charset=utf-8'
      http.body = render(mailFolder === undefined ? links : [...links, devMailLink])
    },
  }),
]

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
