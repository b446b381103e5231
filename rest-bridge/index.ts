import { print } from 'graphql'
import type Koa from 'koa'
import { docs } from './docs.ts'
import { v1 } from './envelope.ts'
import { malformed } from './errors.ts'
import type { Gateway } from './gateway.ts'
import type { Route } from './route.ts'
import { legacyRoutes, v1Routes } from './routes.ts'
import { type Log, run } from './run.ts'

export { type Payload, payloads } from './events/payloads.ts'
export { type Admission, type Gateway, GatewayRefusal, mustHaveAll, type RateLimit, type Reply } from './gateway.ts'
export { openApi } from './openapi.ts'
export { type RemoteOptions, remoteGateway } from './remote.ts'
export { legacyRoutes, v1Routes } from './routes.ts'

export interface BridgeOptions {
  gateway: Gateway
  /** Whether the unversioned predecessor is served too. */
  legacy: boolean
  log: Log
  /** Other endpoints than the API's own: for tests of the engine. */
  routes?: readonly Route[] | undefined
}

/** The texts of the documents with which the REST API writes, as `remoteGateway` sends them. */
export function fixedWrites(): ReadonlySet<string> {
  const writes = [...v1Routes, ...legacyRoutes].filter(({ method }) => method !== 'GET')
  return new Set(writes.map(({ document }) => print(document)))
}

/**
 * Gives the middleware that is the REST API: everything under `/v1`, the unversioned paths where `legacy` is on, its
 * description at `/openapi.json` and the reference at `/docs`. What it does not know goes on to the next middleware.
 */
export function restBridge({ gateway, legacy, log, routes }: BridgeOptions): Koa.Middleware {
  const api = run({ gateway, routes: routes ?? [...v1Routes, ...(legacy ? legacyRoutes : [])], log })
  const reference = docs()
  return (ctx, next) => reference(ctx, () => api(ctx, next))
}

/** Returns the body for a request that cannot be read as HTTP, and for which no route can therefore be found. */
export function unreadable(status: number, message: string): unknown {
  return v1.failure(malformed(message, status))
}
