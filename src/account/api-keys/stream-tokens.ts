import { z } from 'zod'
import type { Ctx, System } from '../../db/context.ts'
import { holderOf, mustBeAllowed, type Scope, scopes } from '../../kernel/scopes.ts'
import { check } from '../../kernel/values/check.ts'
import { type KeyScope, mustNotBeRepeated } from './api-keys.ts'

/** Purpose to which the encryption of tokens is bound. */
const purpose = 'stream token'

/** Start of every token, by which people and scanners recognise it. */
const prefix = 'cms_'

/** Scopes that a token can have. Subscriptions only read. */
const readScopes = scopes.filter((scope) => scope.endsWith(':read'))

const NewToken = z.object({
  scopes: z
    .array(z.enum(readScopes, 'must be scopes to read'))
    .max(100, 'must have at most 100 scopes')
    .min(1, 'must contain at least one scope'),
  ttlSeconds: z.int('must be a whole number').min(1, 'must be at least 1').max(900, 'must be at most 900').default(300),
})

/** The content of a stream token. */
interface StreamToken {
  readonly accountId: number
  /** The key or the session (`holderOf`). */
  readonly holder: string
  readonly scopes: readonly Scope[]
  /** Time of expiry, in milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * Creates a token that opens subscriptions over server-sent events for a short time, with some of the key's scopes. The token
 * contains everything, encrypted; it is not stored.
 *
 * **Throws** FORBIDDEN if the key lacks one of the scopes. Throws VALIDATION_ERROR for scopes to write, for a time to live
 * above 15 minutes, and for an idempotency key, because the stored response would contain the token.
 */
export async function create(
  ctx: Ctx,
  input: { scopes: readonly KeyScope[]; ttlSeconds?: number | null | undefined },
): Promise<{ token: string; expiresAt: Date }> {
  mustNotBeRepeated(ctx)
  const { scopes, ttlSeconds } = check(NewToken, { ...input, ttlSeconds: input.ttlSeconds ?? undefined })
  for (const scope of scopes) mustBeAllowed(ctx, scope)
  const { accountId, signer, clock } = ctx
  const expiresAt = new Date(clock.now().getTime() + ttlSeconds * 1000)
  const content: StreamToken = { accountId, holder: holderOf(ctx), scopes, expiresAt: expiresAt.getTime() }
  return { token: `${prefix}${signer.seal(purpose, JSON.stringify(content))}`, expiresAt }
}

/** Reads a token. Returns undefined if this server did not create it, or if it has expired. */
export function read({ signer, clock }: System, token: string): StreamToken | undefined {
  const text = token.startsWith(prefix) ? signer.unseal(purpose, token.slice(prefix.length)) : undefined
  const content: StreamToken | undefined = text === undefined ? undefined : JSON.parse(text)
  return content && content.expiresAt > clock.now().getTime() ? content : undefined
}
