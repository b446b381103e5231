import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type Koa from 'koa'
import { openApi } from './openapi.ts'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Campanile REST API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/** `validatorUrl: null` keeps the page from showing the address of this server to a validator elsewhere. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

/** Only what comes from this host runs, and nothing is sent anywhere else. Swagger UI draws its icons from data URLs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Part {
  type: string
  text(): string | Promise<string>
}

const asset = (name: string, type: string): Part => ({
  type,
  text: () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8'),
})

const parts: Readonly<Record<string, Part>> = {
  '/openapi.json': { type: 'application/json; charset=utf-8', text: () => JSON.stringify(openApi()) },
  '/docs': { type: 'text/html; charset=utf-8', text: () => page },
  '/docs/start.js': { type: 'text/javascript; charset=utf-8', text: () => start },
  '/docs/swagger-ui-bundle.js': asset('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  '/docs/swagger-ui.css': asset('swagger-ui.css', 'text/css; charset=utf-8'),
}

/** Gives the middleware that shows what the API is: `/openapi.json`, and `/docs` with its own assets. No key is needed. */
export function docs(): Koa.Middleware {
  const texts = new Map<string, Promise<string>>()
  return async (ctx, next) => {
    const part = Object.hasOwn(parts, ctx.path) ? parts[ctx.path] : undefined
    if (!part || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const text = texts.get(ctx.path) ?? Promise.resolve(part.text())
    texts.set(ctx.path, text)
    ctx.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    })
    ctx.set('Content-Type', part.type)
    ctx.body = await text
  }
}
