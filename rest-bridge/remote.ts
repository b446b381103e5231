import { createHmac } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, parse, print } from 'graphql'
import { type Gateway, GatewayRefusal, type RateLimit, type Reply } from './gateway.ts'

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

const nameOfRoot = parse('{ __typename }')

/**
 * Gives the gateway to a graph in another process. The first document of a request authenticates and counts it.
 *
 * Throws a plain Error, which becomes SERVER_ERROR, when the graph is down, too slow, or answers no GraphQL.
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
    return await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: textOf(document), variables }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMilliseconds),
    })
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
        execute: async <Data, Variables>(
          document: TypedDocumentNode<Data, Variables>,
          variables: Variables,
          options: { idempotencyKey?: string } = {},
        ) => (await ask(document, variables, options.idempotencyKey)) as Reply<Data>,
        confirm: async () => {
          if (!isAdmitted) await ask(nameOfRoot, {})
        },
      }
    },
  }
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
  if (error && (code === 'UNAUTHORIZED' || code === 'RATE_LIMITED')) {
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
