import type { ServerOptions } from 'node:http'
import type { Context, Middleware } from 'koa'
import { type ConcurrencyLimiter, type ConcurrencyLimits, newConcurrencyLimiter } from '../kernel/concurrency.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { Parts } from './lifecycle.ts'

/** Maximum time for the body of a request, except for uploads of files, in milliseconds. */
const bodyTimeoutMs = 30_000

/** Maximum time without progress while a client reads a response, in milliseconds. */
const responseTimeoutMs = 60_000

/** Time limits of connections, in milliseconds. Uploads may take an hour. `limitDuration` limits all other requests. */
export const serverOptions: ServerOptions = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 60 * 60 * 1_000,
  connectionsCheckingInterval: 5_000,
}

/** Concurrency limiters by kind of request, so that one kind cannot use all slots of another. */
interface ConcurrencyLimiters {
  /** Requests to the GraphQL API and both generations of the REST API, by account. */
  readonly api: ConcurrencyLimiter
  /** Requests to pages and forms, by address. */
  readonly visitors: ConcurrencyLimiter
  /** Uploads and downloads of files, by address. They may take long. */
  readonly files: ConcurrencyLimiter
}

/** Limits of file transfers. They take little memory, because each page is read only after the previous one was sent. */
const fileLimits = { running: 48, runningPerHolder: 24, present: 200, presentPerHolder: 50 }

/** Creates the limiters of a process, with their metrics. `connections` is the size of the database pool. */
export function newConcurrencyLimiters(connections: number, metrics: Metrics, parts: Parts): ConcurrencyLimiters {
  // More requests than connections, because some compute while others wait for the database.
  const running = Math.max(connections * 3, 4)
  const limits: ConcurrencyLimits = {
    running,
    // One account leaves a quarter of the slots to others.
    runningPerHolder: Math.ceil(running * 0.75),
    present: running * 32,
    presentPerHolder: running * 8,
  }
  const limiters = {
    api: newConcurrencyLimiter(limits),
    visitors: newConcurrencyLimiter(limits),
    files: newConcurrencyLimiter(fileLimits),
  }
  const read =
    (values: (state: ReturnType<ConcurrencyLimiter['state']>) => Record<string, number>, label: string) => () =>
      Object.entries(limiters).flatMap(([limiter, { state }]) =>
        Object.entries(values(state())).map(([name, value]) => ({ labels: { limiter, [label]: name }, value })),
      )
  metrics.watch(
    'campanile_concurrent_requests',
    'Current requests by limiter (api, visitors, files) and state (running, waiting).',
    ['limiter', 'state'],
    read((state) => ({ running: state.running, waiting: state.waiting }), 'state'),
  )
  metrics.watch(
    'campanile_concurrent_requests_refused',
    'Requests refused since the start, by limiter and reason: full, timeout, overloaded (event loop delay).',
    ['limiter', 'reason'],
    read(({ refused }) => refused, 'reason'),
  )
  parts.add(async () => {
    for (const limiter of Object.values(limiters)) limiter.close()
  })
  return limiters
}

/** Paths that are never limited here: links in sent e-mails and reports of providers. `/v1` has its own limiter. */
const unlimitedPaths = /^\/(u|t|hooks|v1)(\/|$)/

/** Limits the concurrent requests of visitors and file transfers. Throws UNAVAILABLE if no slot becomes free. */
export function limitConcurrency(limiters: ConcurrencyLimiters): Middleware {
  return async (ctx, next) => {
    if (unlimitedPaths.test(ctx.path)) return next()
    const slot = (/^\/[di]\//.test(ctx.path) ? limiters.files : limiters.visitors).acquire(ctx.ip)
    ctx.res.once('close', slot.release)
    await slot.start()
    await next()
  }
}

/** Closes a connection whose request body or response takes too long, because either holds memory and a slot. */
export function limitDuration(): Middleware {
  return async (ctx, next) => {
    const timer = isUpload(ctx) || !hasBody(ctx) ? undefined : setTimeout(() => abort(ctx), bodyTimeoutMs)
    ctx.req.once('end', () => clearTimeout(timer))
    ctx.req.once('close', () => clearTimeout(timer))
    await next()
    ctx.req.socket.setTimeout(responseTimeoutMs)
  }
}

function isUpload({ path }: Context): boolean {
  return path.startsWith('/i/')
}

function hasBody({ req }: Context): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

function abort({ req }: Context): void {
  if (!req.complete) req.destroy()
}
