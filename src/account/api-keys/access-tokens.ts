import { z } from 'zod'
import type { Ctx, System } from '../../db/context.ts'
import { ExpiredToken } from '../../kernel/errors.ts'
import { holderOf, type KeyScope, mustBeAllowed, type Scope, scopes } from '../../kernel/scopes.ts'
import { check } from '../../kernel/values/check.ts'
import { accessTokenPrefix, isAccessToken, shortHash } from '../../kernel/web/tokens.ts'
import { mustNotBeRepeated } from './api-keys.ts'

/** Purpose to which the encryption of tokens is bound. */
const purpose = 'access token'

/** Scopes that a token can have. It only reads. */
const readScopes = scopes.filter((scope) => scope.endsWith(':read'))

const NewToken = z.object({
  scopes: z
    .array(z.enum(readScopes, 'must be scopes to read'))
    .max(100, 'must have at most 100 scopes')
    .min(1, 'must contain at least one scope'),
  documents: z
    .array(z.string().regex(/^(sha256:)?[0-9a-f]{64}$/i, 'must be the SHA-256 of a document, in hexadecimal'))
    .min(1, 'must contain at least one document')
    .max(50, 'must have at most 50 documents')
    .optional(),
  ttlSeconds: z.int('must be a whole number').min(1, 'must be at least 1').max(900, 'must be at most 900').default(300),
})

/** The content of an access token. */
interface AccessToken {
  readonly accountId: number
  /** The key or the session (`holderOf`). */
  readonly holder: string
  readonly scopes: readonly Scope[]
  /** The documents that it executes (`shortHash`). Without them, it executes all subscriptions and no queries. */
  readonly documents?: readonly string[] | undefined
  /** Time of expiry, in milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * Creates a token with which a browser reads for a short time, with some of the key's scopes: subscriptions, or the trusted
 * documents of these hashes. The token contains everything, encrypted; it is not stored.
 *
 * **Throws** FORBIDDEN if the key lacks one of the scopes. Throws VALIDATION_ERROR for scopes to write, for more than 50
 * documents, for a time to live above 15 minutes, and for an idempotency key, because the stored response would
 * contain the token.
 */
export async function create(
  ctx: Ctx,
  input: {
    scopes: readonly KeyScope[]
    documents?: readonly string[] | null | undefined
    ttlSeconds?: number | null | undefined
  },
): Promise<{ token: string; expiresAt: Date }> {
  mustNotBeRepeated(ctx)
  const { scopes, documents, ttlSeconds } = check(NewToken, {
    scopes: input.scopes,
    documents: input.documents ?? undefined,
    ttlSeconds: input.ttlSeconds ?? undefined,
  })
  for (const scope of scopes) mustBeAllowed(ctx, scope)
  const { accountId, signer, clock } = ctx
  const expiresAt = new Date(clock.now().getTime() + ttlSeconds * 1000)
  const content: AccessToken = {
    ...{ accountId, holder: holderOf(ctx), scopes, documents: documents?.map(shortHash) },
    expiresAt: expiresAt.getTime(),
  }
  return { token: `${accessTokenPrefix}${signer.seal(purpose, JSON.stringify(content))}`, expiresAt }
}

/** Reads a token. Returns undefined if this server did not create it. **Throws** `ExpiredToken`. */
export function read({ signer, clock }: System, token: string): AccessToken | undefined {
  const text = isAccessToken(token) ? signer.unseal(purpose, token.slice(accessTokenPrefix.length)) : undefined
  const content: AccessToken | undefined = text === undefined ? undefined : JSON.parse(text)
  if (content && content.expiresAt <= clock.now().getTime()) throw new ExpiredToken()
  return content
}
