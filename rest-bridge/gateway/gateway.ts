import type { IncomingHttpHeaders } from 'node:http'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'

/** A permission of a key: to read or to write in one module, such as `contacts:read`. */
export type Scope = `${
  | 'events'
  | 'account'
  | 'contacts'
  | 'media'
  | 'mail'
  | 'sequences'
  | 'campaigns'
  | 'finance'
  | 'forms'
  | 'funnels'}:${'read' | 'write'}`

/** The request limit of the account in the current minute. */
export interface RateLimit {
  limit: number
  remaining: number
  /** Seconds until the limit is reset. */
  resetSeconds: number
}

/** The response to one GraphQL document. */
export interface GraphResponse<Data> {
  data?: Data | null
  errors?: readonly {
    message: string
    path?: readonly (string | number)[]
    extensions?: { code?: string; details?: Record<string, string[]>; scope?: string; retryAfterSeconds?: number }
  }[]
  extensions?: Record<string, unknown>
}

/** An admitted request: authenticated, and counted against the limit. All its documents count as one request. */
export interface Admission {
  /** The limit as of the last response; undefined before the first response of a remote graph. */
  rateLimit(): RateLimit | undefined
  execute<Data, Variables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    options?: { idempotencyKey?: string },
  ): Promise<GraphResponse<Data>>
  /**
   * Takes an execution slot, and waits until it is free. Throws GatewayError UNAVAILABLE if none becomes free in time, and
   * CLIENT_GONE if the client disconnects meanwhile.
   */
  start(): Promise<void>
  /** To be called when the client has disconnected: a request that waits gives its slot up. */
  leave(): void
  /** Frees the slot. Call it when the request was executed. */
  end(): void
  /**
   * Makes sure that the key is valid and has the scopes, and that the request is counted. The bridge calls it before it
   * rejects a request by itself, so that an error of the key takes precedence over any other. Throws GatewayError.
   */
  confirm(scopes: readonly Scope[]): Promise<void>
}

/** Executes GraphQL documents in this process or over HTTP. Both implementations behave the same for clients. */
export interface Gateway {
  /** Authenticates and counts a request. `address` is the IP address of the client. Throws GatewayError. */
  admit(headers: IncomingHttpHeaders, address: string): Promise<Admission>
}

/** CLIENT_GONE: the client disconnected while its request waited. Nothing is sent. */
type GatewayCode = 'UNAUTHORIZED' | 'FORBIDDEN' | 'RATE_LIMITED' | 'UNAVAILABLE' | 'CLIENT_GONE'

/** A request was not admitted: its key is invalid or lacks a scope, its limit is exceeded, or the graph is not available. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: GatewayCode
  readonly rateLimit: RateLimit | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: GatewayCode,
    message: string,
    options: { rateLimit?: RateLimit | undefined; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message)
    this.code = code
    this.rateLimit = options.rateLimit
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Returns the message for a scope that a key lacks. */
export function lackOf(scope: string): string {
  return `This key lacks the scope ${scope}.`
}

/** Throws GatewayError FORBIDDEN for the first of the scopes for which `hasScope` is false. */
export function requireScopes(scopes: readonly Scope[], hasScope: (scope: Scope) => boolean): void {
  const missing = scopes.find((scope) => !hasScope(scope))
  if (missing) throw new GatewayError('FORBIDDEN', lackOf(missing))
}
