import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import type { System } from '../../db/context.ts'
import { html } from '../../kernel/web/html.ts'
import { HttpProblem, httpRoute } from '../../kernel/web/http-route.ts'

/** Folders that can contain the built console: seen from `dist/`, and from the sources. */
const folders = ['../../../console/', '../../../dist/console/'].map((path) => new URL(path, import.meta.url))

/** The files of the built console. */
export interface ConsoleFiles {
  /** index.html, with `__NONCE__` in place of the nonce. Undefined if the console was not built. */
  readonly index: string | undefined
  /** Paths of the screens as patterns, with the scripts that each screen needs besides those of index.html. */
  readonly preloads: readonly (readonly [path: RegExp, scripts: readonly string[]])[]
  /** Names of the assets and of their compressed versions. */
  readonly assets: ReadonlySet<string>
  readonly folder: URL
}

/** Finds the built console. */
export function findConsole(): ConsoleFiles {
  const folder = folders.find((each) => existsSync(new URL('index.html', each)))
  if (!folder) return { index: undefined, preloads: [], assets: new Set(), folder: folders[0] as URL }
  const assets = new URL('assets/', folder)
  const preloads: Record<string, string[]> = JSON.parse(readFileSync(new URL('preloads.json', folder), 'utf8'))
  return {
    index: readFileSync(new URL('index.html', folder), 'utf8'),
    preloads: Object.entries(preloads).map(([path, scripts]) => [
      new RegExp(`^/console${path.replace(/[$]\w+/g, '[^/]+').replace(/[/]$/, '/?')}$`),
      scripts,
    ]),
    assets: new Set(readdirSync(assets)),
    folder: assets,
  }
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Encodings that assets are compressed with, and their file extensions. */
const encodings = { br: '.br', gzip: '.gz' } as const

const pageHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  // Each response has its own nonce.
  'Cache-Control': 'no-store',
}

/**
 * The policy of the console. Components add style elements, which need the nonce; sockets need the scheme in some browsers. Media
 * files are on the host of public pages, which can be another one.
 */
const policyOf = (nonce: string, host: string, baseUrl: string) => {
  const sockets = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self'${sockets}`,
    `img-src 'self' data: ${new URL(baseUrl).origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The policy of previews: e-mails, forms and pages. The frame has an origin of its own and cannot read the console; its only
 * script shows the HTML that the console sends to it. A frame with inline content would inherit the console's policy, which
 * blocks the styles of e-mails.
 */
const previewPolicyOf = (nonce: string) =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    'img-src http: https: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')

/** Replaces the whole document, because styles refer to the attributes of `<body>`. Links lead nowhere. */
const previewScript = `addEventListener('message', ({ data, source }) => {
  if (source === parent && typeof data === 'string') document.documentElement.innerHTML = data
})
addEventListener('click', (event) => {
  if (event.target.closest?.('a')) event.preventDefault()
})
parent.postMessage('preview', '*')`

const newNonce = () => randomBytes(16).toString('base64')

interface ConsoleServices {
  readonly system: Pick<System, 'baseUrl'>
  readonly console: ConsoleFiles | undefined
}

const page = { area: 'console', methods: ['GET'], otherMethods: 404, limiter: 'visitors' } as const
const ifServed = (pattern: RegExp) => (http: Context, services: ConsoleServices) => {
  const found = services.console && pattern.exec(http.path)
  return found ? { file: found[1] ?? '' } : undefined
}

export const consoleRoutes = [
  httpRoute('/console/assets/:file', {
    ...page,
    limiter: 'downloads',
    summary: 'Scripts, styles and icons of the console. Their names change with their content.',
    headers: { 'X-Content-Type-Options': 'nosniff' },
    match: ifServed(/^\/console\/assets\/([\w.-]+)$/),
    handle: ({ http, params }, services: ConsoleServices) =>
      sendAsset(http, params.file, services.console as ConsoleFiles),
  }),
  httpRoute('/console/preview', {
    ...page,
    summary: 'The frame in which the console previews e-mails, forms and pages, isolated from the console.',
    headers: { ...pageHeaders, 'Referrer-Policy': 'no-referrer' },
    match: ifServed(/^\/console\/preview$/),
    handle({ http }, _services: ConsoleServices) {
      const nonce = newNonce()
      http.set('Content-Security-Policy', previewPolicyOf(nonce))
      http.type = 'text/html; charset=utf-8'
      const start = html`<!doctype html><html lang="en"><title>Preview</title><body></body><script nonce="${nonce}">`
      http.body = `${start}${previewScript}</script></html>`
    },
  }),
  httpRoute('/console/*', {
    ...page,
    summary: 'The console: the front end for people. All its paths return the same page.',
    headers: pageHeaders,
    match: ifServed(/^\/console(?:\/.*)?$/),
    handle({ http }, services: ConsoleServices) {
      const index = services.console?.index
      const nonce = newNonce()
      http.set('Content-Security-Policy', policyOf(nonce, http.host, services.system.baseUrl()))
      http.type = 'text/html; charset=utf-8'
      if (index === undefined) http.status = 503
      const [, scripts = []] = services.console?.preloads.find(([path]) => path.test(http.path)) ?? []
      const links = scripts.map(
        (file) => `<link rel="modulepreload" crossorigin href="/console/${file}" nonce="${nonce}">`,
      )
      http.body = index?.replaceAll('__NONCE__', nonce).replace('</head>', `${links.join('\n')}\n</head>`) ?? notBuilt
    },
  }),
]

const notBuilt = html`<!doctype html>
<html lang="en"><title>Console</title>
<h1>The console was not built</h1>
<p>Run <code>npm run build:console</code>, and start the server again.</p>
<p><a href="/graphql">GraphiQL</a> and the <a href="/docs">REST reference</a> work without it.</p>
</html>
`.text

/** Sends an asset in the best encoding that the client accepts. Throws 404 for a file that the build did not create. */
async function sendAsset(http: Context, file: string, { assets, folder }: ConsoleFiles): Promise<void> {
  const type = types[file.split('.').at(-1) ?? '']
  if (!type || !assets.has(file)) throw new HttpProblem(404, 'Not found', 'There is no such file.')
  const encoding = http.acceptsEncodings('br', 'gzip', 'identity')
  const extension = encoding === 'br' || encoding === 'gzip' ? encodings[encoding] : ''
  http.body = await readFile(new URL(`${file}${extension}`, folder))
  http.set({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
  if (extension !== '') http.set('Content-Encoding', encoding as string)
  http.type = type
}
