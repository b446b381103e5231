import type { ServerOptions } from 'node:http'
import type { Context, Middleware } from 'koa'
import { type ConcurrencyLimiter, type ConcurrencyLimits, newConcurrencyLimiter } from '../kernel/concurrency.ts'
import type { Metrics } from '../kernel/metrics.ts'

/** How long the body of a request may take to come in that is no file, in milliseconds. */
const bodyMilliseconds = 30_000

/** How long a client may take nothing of an answer, in milliseconds. */
const unreadMilliseconds = 60_000

/** Time limits of connections. A file may come in over a slow line for an hour; everything else has `bodiesInTime`. */
export const serverOptions: ServerOptions = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 60 * 60 * 1_000,
  connectionsCheckingInterval: 5_000,
}

/** Bounds for what is served at a time, by kind: no kind takes the room of another. */
export interface Gates {
  /** The graph and both generations of the REST API, by account. */
  readonly api: ConcurrencyLimiter
  /** Pages and forms, by address. */
  readonly visitors: ConcurrencyLimiter
  /** Files that come and go, by address: they may take long. */
  readonly files: ConcurrencyLimiter
  close(): void
}

/** A file takes long and little: it is read page by page, and each page waits until the client has taken the one before. */
const fileLimits = { running: 48, runningPerHolder: 24, present: 200, presentPerHolder: 50 }

/** Opens the gates of a process, and shows them among its metrics. `connections` are those to the database. */
export function newGates(connections: number, metrics: Metrics): Gates {
  // More than connections, for some requests reckon while others wait for the database.
  const running = Math.max(connections * 3, 4)
  const limits: ConcurrencyLimits = {
    running,
    // A quarter stays free for other accounts.
    runningPerHolder: Math.ceil(running * 0.75),
    present: running * 32,
    presentPerHolder: running * 8,
  }
  const gates = {
    api: newConcurrencyLimiter(limits),
    visitors: newConcurrencyLimiter(limits),
    files: newConcurrencyLimiter(fileLimits),
  }
  const read =
    (value: (state: ReturnType<ConcurrencyLimiter['state']>) => Record<string, number>, label: string) => () =>
      Object.entries(gates).flatMap(([gate, limiter]) =>
        Object.entries(value(limiter.state())).map(([name, count]) => ({
          labels: { gate, [label]: name },
          value: count,
        })),
      )
  metrics.watch(
    'campanile_gate_requests',
    'Requests by gate (api, visitors, files) and state (running, waiting for their turn).',
    ['gate', 'state'],
    read(({ running: busy, waiting }) => ({ running: busy, waiting }), 'state'),
  )
  metrics.watch(
    'campanile_gate_refused',
    'Requests that were refused so far, by gate and reason: full, waited (too long), late (event loop).',
    ['gate', 'reason'],
    read(({ refused }) => refused, 'reason'),
  )
  return {
    ...gates,
    close: () => {
      for (const limiter of Object.values(gates)) limiter.close()
    },
  }
}

/** What is never refused: the answers to mail that was sent, and what providers report of it. `/v1` has its own turns. */
const always = /^\/(u|t|hooks|v1)(\/|$)/

/** Lets visitors and files wait for their turn. Fails with UNAVAILABLE where there is no room. */
export function inTurn(gates: Gates): Middleware {
  return async (ctx, next) => {
    if (always.test(ctx.path)) return next()
    const place = (/^\/[di]\//.test(ctx.path) ? gates.files : gates.visitors).arrive(ctx.ip)
    ctx.res.once('close', place.end)
    await place.start()
    await next()
  }
}

/**
 * Ends a connection whose request does not come whole in time, or whose answer is not taken: either would hold memory, and a
 * turn.
 */
export function bodiesInTime(): Middleware {
  return async (ctx, next) => {
    const timer = isFile(ctx) || !hasBody(ctx) ? undefined : setTimeout(() => giveUp(ctx), bodyMilliseconds)
    ctx.req.once('end', () => clearTimeout(timer))
    ctx.req.once('close', () => clearTimeout(timer))
    await next()
    ctx.req.socket.setTimeout(unreadMilliseconds)
  }
}

function isFile({ path }: Context): boolean {
  return path.startsWith('/i/')
}

function hasBody({ req }: Context): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

function giveUp({ req }: Context): void {
  if (!req.complete) req.destroy()
}
