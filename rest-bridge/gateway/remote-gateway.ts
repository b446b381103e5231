import { createHmac } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, parse, print } from 'graphql'
import { type Gateway, GatewayError, type GraphResponse, type RateLimit, requireScopes, type Scope } from './gateway.ts'

interface RemoteOptions {
  /** URL of the `/graphql` to which the bridge sends its documents. */
  url: string
  /** The `SECRET` of the API: signs the proof that a further document of a request was counted with its first. */
  secret?: string | undefined
  /** Timeout of one document. Default: 30,000. */
  timeoutMilliseconds?: number
}

interface GraphRequest {
  document: DocumentNode
  variables: unknown
  authorization: string | undefined
  idempotencyKey: string | undefined
  /** IP address of the client. The graph reads it if it trusts proxies. */
  address: string
  isCounted: boolean
}

const scopesOfKey = parse('{ viewer { scopes } }')

/**
 * Returns the gateway to a graph in another process. The first document of a request authenticates and counts it.
 *
 * **Throws** GatewayError UNAVAILABLE if the graph is down or too slow, and a plain Error, which becomes SERVER_ERROR, if the
 * response is not GraphQL.
 */
export function remoteGateway({ url, secret, timeoutMilliseconds = 30_000 }: RemoteOptions): Gateway {
  const texts = new WeakMap<DocumentNode, string>()
  const textOf = (document: DocumentNode) => {
    const text = texts.get(document) ?? print(document)
    texts.set(document, text)
    return text
  }

  async function post({
    document,
    variables,
    authorization,
    idempotencyKey,
    address,
    isCounted,
  }: GraphRequest): Promise<Response> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-forwarded-for': address,
    }
    if (authorization !== undefined) headers['authorization'] = authorization
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    if (isCounted && secret !== undefined) headers['x-campanile-bridge'] = proof(secret, authorization ?? '')
    try {
      return await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: textOf(document), variables }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMilliseconds),
      })
    } catch (error) {
      throw toGatewayError(error)
    }
  }

  return {
    admit: async ({ authorization }, address) => {
      let rateLimit: RateLimit | undefined
      let isAdmitted = false

      async function executeRemotely(
        document: DocumentNode,
        variables: unknown,
        idempotencyKey?: string,
      ): Promise<GraphResponse<unknown>> {
        const response = await post({
          document,
          variables,
          authorization,
          idempotencyKey,
          address,
          isCounted: isAdmitted,
        })
        const reply = await readResponse(response)
        isAdmitted = true
        const limit = reply.extensions?.['rateLimit']
        // Only the response to the first document has a limit, because further documents are not counted.
        if (isRateLimit(limit)) rateLimit = limit
        return reply
      }

      return {
        rateLimit: () => rateLimit,
        // The remote process has its own execution slots.
        start: async () => undefined,
        leave: () => undefined,
        end: () => undefined,
        execute: async <Data, Variables>(
          document: TypedDocumentNode<Data, Variables>,
          variables: Variables,
          options: { idempotencyKey?: string } = {},
        ) => (await executeRemotely(document, variables, options.idempotencyKey)) as GraphResponse<Data>,
        confirm: async (needed) => {
          // A graph that has executed a document of this request has checked the scopes.
          if (isAdmitted) return
          const { data } = await executeRemotely(scopesOfKey, {})
          const { scopes = null } = (data as { viewer?: { scopes: readonly string[] | null } } | null)?.viewer ?? {}
          requireScopes(needed, (scope) => scopes === null || scopes.includes(toGraphScope(scope)))
        },
      }
    },
  }
}

/** Converts a scope to its GraphQL enum value: `contacts:read` becomes `CONTACTS_READ`. */
function toGraphScope(scope: Scope): string {
  return scope.replace(':', '_').toUpperCase()
}

const unreachableMessage = 'The service cannot be reached. No changes were made. Try again in a moment.'
const timeoutMessage =
  'The service did not answer in time. If the request makes changes, they may have been applied: repeat it with the same Idempotency-Key.'

/** Converts a network failure or timeout to UNAVAILABLE; returns any other error unchanged. */
function toGatewayError(error: unknown): unknown {
  const { name, cause } = error as { name?: unknown; cause?: unknown }
  const { code } = Object(cause) as { code?: unknown }
  if (name !== 'TimeoutError' && code === undefined) return error
  const isUnreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(code))
  return new GatewayError('UNAVAILABLE', isUnreachable ? unreachableMessage : timeoutMessage)
}

function proof(secret: string, authorization: string): string {
  const seconds = Math.floor(Date.now() / 1000)
  return `${seconds}.${createHmac('sha256', secret).update(`${seconds}.${authorization}`).digest('hex')}`
}

async function readResponse(response: Response): Promise<GraphResponse<unknown>> {
  const reply = (await response.json()) as GraphResponse<unknown>
  if (typeof reply !== 'object' || reply === null || (!reply.data && !reply.errors?.length)) {
    throw new Error(`The GraphQL response with status ${response.status} has neither data nor errors.`)
  }
  const [error] = reply.errors ?? []
  const code = error?.extensions?.code
  if (error && (code === 'UNAUTHORIZED' || code === 'RATE_LIMITED' || code === 'UNAVAILABLE')) {
    const limit = reply.extensions?.['rateLimit']
    throw new GatewayError(code, error.message, {
      rateLimit: isRateLimit(limit) ? limit : undefined,
      retryAfterSeconds: Number(response.headers.get('retry-after')) || undefined,
    })
  }
  return reply
}

function isRateLimit(value: unknown): value is RateLimit {
  const { limit, remaining, resetSeconds } = Object(value) as Partial<Record<keyof RateLimit, unknown>>
  return [limit, remaining, resetSeconds].every((figure) => typeof figure === 'number')
}
