import { createHmac } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, parse, print } from 'graphql'
import { type Gateway, GatewayRefusal, mustHaveAll, type RateLimit, type Reply, type Scope } from './gateway.ts'

export interface RemoteOptions {
  /** The `/graphql` the bridge stands in front of. */
  url: string
  /** Shared with the API: proves that a request which takes several documents was counted with the first. */
  secret?: string | undefined
  /** How long one document may take. */
  timeoutMilliseconds?: number
}

interface Post {
  document: DocumentNode
  variables: unknown
  authorization: string | undefined
  idempotencyKey: string | undefined
  counted: boolean
}

const scopesOfKey = parse('{ viewer { scopes } }')

/**
 * Gives the gateway to a graph in another process. The first document of a request authenticates and counts it.
 *
 * Throws GatewayRefusal UNAVAILABLE when the graph is down or too slow, and a plain Error, which becomes SERVER_ERROR, when
 * it answers no GraphQL.
 */
export function remoteGateway({ url, secret, timeoutMilliseconds = 30_000 }: RemoteOptions): Gateway {
  const texts = new WeakMap<DocumentNode, string>()
  const textOf = (document: DocumentNode) => {
    const text = texts.get(document) ?? print(document)
    texts.set(document, text)
    return text
  }

  async function post({ document, variables, authorization, idempotencyKey, counted }: Post): Promise<Response> {
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
    if (authorization !== undefined) headers['authorization'] = authorization
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    if (counted && secret !== undefined) headers['x-campanile-bridge'] = proof(secret, authorization ?? '')
    try {
      return await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: textOf(document), variables }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMilliseconds),
      })
    } catch (error) {
      throw refusalOf(error)
    }
  }

  return {
    admit: async ({ authorization }) => {
      let rateLimit: RateLimit | undefined
      let isAdmitted = false

      async function ask(document: DocumentNode, variables: unknown, idempotencyKey?: string): Promise<Reply<unknown>> {
        const response = await post({ document, variables, authorization, idempotencyKey, counted: isAdmitted })
        const reply = await replyIn(response)
        isAdmitted = true
        const seen = reply.extensions?.['rateLimit']
        // Further documents of the request are not counted, so the first one's figures stay the true ones.
        if (isRateLimit(seen)) rateLimit = seen
        return reply
      }

      return {
        rateLimit: () => rateLimit,
        // The graph has its own turns.
        start: async () => undefined,
        end: () => undefined,
        execute: async <Data, Variables>(
          document: TypedDocumentNode<Data, Variables>,
          variables: Variables,
          options: { idempotencyKey?: string } = {},
        ) => (await ask(document, variables, options.idempotencyKey)) as Reply<Data>,
        confirm: async (needs) => {
          // If the graph has executed a document of this request, it has checked the scopes as well.
          if (isAdmitted) return
          const { data } = await ask(scopesOfKey, {})
          const { scopes = null } = (data as { viewer?: { scopes: readonly string[] | null } } | null)?.viewer ?? {}
          mustHaveAll(needs, (scope) => scopes === null || scopes.includes(scopeInGraph(scope)))
        },
      }
    },
  }
}

/** A scope as the graph's enum spells it: `contacts:read` is `CONTACTS_READ`. */
function scopeInGraph(scope: Scope): string {
  return scope.replace(':', '_').toUpperCase()
}

const unreached = 'The service cannot be reached at the moment. No changes were made. Try again in a moment.'
const lost =
  'The service did not answer in time. If the request makes changes, they may have been applied: repeat it with the same Idempotency-Key.'

/** What a client is told whose request got no answer; an error of another kind is thrown as it is. */
function refusalOf(error: unknown): unknown {
  const { name, cause } = error as { name?: unknown; cause?: unknown }
  const { code } = Object(cause) as { code?: unknown }
  if (name !== 'TimeoutError' && code === undefined) return error
  const isUnreached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(code))
  return new GatewayRefusal('UNAVAILABLE', isUnreached ? unreached : lost)
}

function proof(secret: string, authorization: string): string {
  const seconds = Math.floor(Date.now() / 1000)
  return `${seconds}.${createHmac('sha256', secret).update(`${seconds}.${authorization}`).digest('hex')}`
}

async function replyIn(response: Response): Promise<Reply<unknown>> {
  const reply = (await response.json()) as Reply<unknown>
  if (typeof reply !== 'object' || reply === null || (!reply.data && !reply.errors?.length)) {
    throw new Error(`The graph answered ${response.status} without data or errors.`)
  }
  const [error] = reply.errors ?? []
  const code = error?.extensions?.code
  if (error && (code === 'UNAUTHORIZED' || code === 'RATE_LIMITED' || code === 'UNAVAILABLE')) {
    const seen = reply.extensions?.['rateLimit']
    throw new GatewayRefusal(code, error.message, {
      rateLimit: isRateLimit(seen) ? seen : undefined,
      retryAfterSeconds: Number(response.headers.get('retry-after')) || undefined,
    })
  }
  return reply
}

function isRateLimit(value: unknown): value is RateLimit {
  const { limit, remaining, resetSeconds } = Object(value) as Partial<Record<keyof RateLimit, unknown>>
  return [limit, remaining, resetSeconds].every((figure) => typeof figure === 'number')
}
