import type { IncomingHttpHeaders } from 'node:http'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'

/** What a key may do: read or write in one part of the graph, such as `contacts:read`. */
export type Scope = `${
  | 'events'
  | 'account'
  | 'contacts'
  | 'mail'
  | 'sequences'
  | 'campaigns'
  | 'finance'
  | 'forms'
  | 'funnels'}:${'read' | 'write'}`

/** Where the account stands against its requests per minute. */
export interface RateLimit {
  limit: number
  remaining: number
  /** Seconds until the full limit is there again. */
  resetSeconds: number
}

/** What the graph answers to one document. */
export interface Reply<Data> {
  data?: Data | null
  errors?: readonly {
    message: string
    path?: readonly (string | number)[]
    extensions?: { code?: string; details?: Record<string, string[]>; retryAfterSeconds?: number }
  }[]
  extensions?: Record<string, unknown>
}

/** A request that is let in: authenticated and counted. All its documents count as the one request. */
export interface Admission {
  /** As of the last answer; undefined while nothing is known, as before the first answer of a remote graph. */
  rateLimit(): RateLimit | undefined
  execute<Data, Variables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    options?: { idempotencyKey?: string },
  ): Promise<Reply<Data>>
  /** Waits for the request's turn to be executed. Throws GatewayRefusal UNAVAILABLE where that does not come. */
  start(): Promise<void>
  /** Tells that the answer has left, or nobody waits for it any more. */
  end(): void
  /**
   * Makes sure that the key is valid and has the scopes `needs`, and that the request is counted. The bridge calls it
   * before it refuses a request by itself, so that the client learns of the key first, whatever else is wrong. Throws
   * GatewayRefusal.
   */
  confirm(needs: readonly Scope[]): Promise<void>
}

/** The way to the graph: in this process, or over HTTP. Both answer every request alike. */
export interface Gateway {
  /** Throws GatewayRefusal. */
  admit(headers: IncomingHttpHeaders): Promise<Admission>
}

type GatewayCode = 'UNAUTHORIZED' | 'FORBIDDEN' | 'RATE_LIMITED' | 'UNAVAILABLE'

/** The request is not admitted: the key is not valid or lacks a scope, there are too many requests, or no graph serves it now. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal'
  readonly code: GatewayCode
  readonly rateLimit: RateLimit | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: GatewayCode,
    message: string,
    more: { rateLimit?: RateLimit | undefined; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message)
    this.code = code
    this.rateLimit = more.rateLimit
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** Throws GatewayRefusal with FORBIDDEN if `has` is false for a scope of `needs`. */
export function mustHaveAll(needs: readonly Scope[], has: (scope: Scope) => boolean): void {
  const missing = needs.find((scope) => !has(scope))
  if (missing) throw new GatewayRefusal('FORBIDDEN', `This key lacks the scope ${missing}.`)
}
