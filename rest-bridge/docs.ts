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

/** `validatorUrl: null` prevents Swagger UI from sending the address of this server to its online validator. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

/** Allows only resources and requests of this host. Swagger UI loads its icons from data URLs. */
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

interface Asset {
  type: string
  text(): string | Promise<string>
}

const swaggerAsset = (name: string, type: string): Asset => ({
  type,
  text: () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8'),
})

const assets: Readonly<Record<string, Asset>> = {
  '/openapi.json': { type: 'application/json; charset=utf-8', text: () => JSON.stringify(openApi()) },
  '/docs': { type: 'text/html; charset=utf-8', text: () => page },
  '/docs/start.js': { type: 'text/javascript; charset=utf-8', text: () => start },
  '/docs/swagger-ui-bundle.js': swaggerAsset('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  '/docs/swagger-ui.css': swaggerAsset('swagger-ui.css', 'text/css; charset=utf-8'),
}

/** Returns the middleware that serves `/openapi.json`, and `/docs` with its assets. These paths need no key. */
export function docs(): Koa.Middleware {
  // As bytes: text would be encoded again for each response, however fast they are requested and whether or not they are read.
  const bodies = new Map<string, Promise<Buffer>>()
  return async (ctx, next) => {
    const asset = Object.hasOwn(assets, ctx.path) ? assets[ctx.path] : undefined
    if (!asset || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const body = bodies.get(ctx.path) ?? Promise.resolve(asset.text()).then((text) => Buffer.from(text))
    bodies.set(ctx.path, body)
    ctx.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    })
    ctx.set('Content-Type', asset.type)
    ctx.body = await body
  }
}
