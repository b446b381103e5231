import { print } from 'graphql'
import type Koa from 'koa'
import { docs } from './docs.ts'
import { v1 } from './envelope/envelope.ts'
import type { Route } from './envelope/route.ts'
import { malformedRequest } from './errors/errors.ts'
import type { Gateway } from './gateway/gateway.ts'
import { legacyRoutes, v1Routes } from './routes.ts'
import { type Log, run } from './run.ts'

export { payloadOf } from './events/payloads.ts'
export {
  type Admission,
  type Gateway,
  GatewayError,
  type GraphResponse,
  type RateLimit,
  requireScopes,
} from './gateway/gateway.ts'
export { remoteGateway } from './gateway/remote-gateway.ts'
export { openApi } from './openapi.ts'
export { legacyRoutes, v1Routes } from './routes.ts'

export interface BridgeOptions {
  gateway: Gateway
  /** Whether to serve the legacy, unversioned endpoints too. */
  legacy: boolean
  log: Log
  /** Replaces the API's own endpoints, for tests of the engine. */
  routes?: readonly Route[] | undefined
}

/** Returns the text of every document of the REST API, exactly as `remoteGateway` sends it. */
export function fixedDocuments(): ReadonlySet<string> {
  return new Set([...v1Routes, ...legacyRoutes].map(({ document }) => print(document)))
}

/**
 * Returns the middleware of the REST API. It serves everything under `/v1`, the unversioned paths if `legacy` is true, the
 * OpenAPI document at `/openapi.json` and the reference at `/docs`. Other requests go to the next middleware.
 */
export function restBridge({ gateway, legacy, log, routes }: BridgeOptions): Koa.Middleware {
  const api = run({ gateway, routes: routes ?? [...v1Routes, ...(legacy ? legacyRoutes : [])], log })
  const reference = docs()
  return (ctx, next) => reference(ctx, () => api(ctx, next))
}

/** Returns the body of the response to a request that is not valid HTTP, so that no route can be found for it. */
export function unreadable(status: number, message: string): unknown {
  return v1.failure(malformedRequest(message, status))
}
