import type { IncomingHttpHeaders } from 'node:http'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'

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
  /**
   * Makes sure that the key is good and the request counted, before the bridge answers by itself: so a bad key or a
   * used-up limit is told first, whatever else is wrong. Throws GatewayRefusal.
   */
  confirm(): Promise<void>
}

/** The way to the graph: in this process, or over HTTP. Both answer every request alike. */
export interface Gateway {
  /** Throws GatewayRefusal. */
  admit(headers: IncomingHttpHeaders): Promise<Admission>
}

/** The request is not let in: no good key, or too many requests. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal'
  readonly code: 'UNAUTHORIZED' | 'RATE_LIMITED'
  readonly rateLimit: RateLimit | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: 'UNAUTHORIZED' | 'RATE_LIMITED',
    message: string,
    more: { rateLimit?: RateLimit | undefined; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message)
    this.code = code
    this.rateLimit = more.rateLimit
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}
