import { randomBytes } from 'node:crypto'
import { Webhook as Signer } from 'standardwebhooks'
import type { Ctx } from '../../db/context.ts'

/** How long the old secret signs beside the new one, so that a receiver can change over. */
export const overlapMilliseconds = 24 * 60 * 60 * 1000

/** What a sealed secret is stored with in front, so that it is told from one that version 0.1 stored as it is. */
const sealedPrefix = 'sealed:'

/** Returns a webhook's secret as it is stored: encrypted with the server's SECRET, for this account. */
export function sealSecret({ signer, accountId }: Pick<Ctx, 'signer' | 'accountId'>, secret: string): string {
  if (!signer) throw new Error('Webhook secrets are sealed with the SECRET of a server.')
  return sealedPrefix + signer.seal(aboutOf(accountId), secret)
}

/** Returns the secret that is stored. Throws if it was sealed with another SECRET. */
export function unsealSecret({ signer, accountId }: Pick<Ctx, 'signer' | 'accountId'>, stored: string): string {
  if (!stored.startsWith(sealedPrefix)) return stored
  const secret = signer?.unseal(aboutOf(accountId), stored.slice(sealedPrefix.length))
  if (secret === undefined) throw new Error('The webhook secret was sealed with another SECRET: give it a new one.')
  return secret
}

function aboutOf(accountId: number): string {
  return `webhook ${accountId}`
}

/** A new secret, in the notation of Standard Webhooks: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The headers by which a receiver tells that a message is ours, whole and fresh (Standard Webhooks 1.0). */
export function signatureHeaders(
  { messageId, body, at }: { messageId: string; body: string; at: Date },
  secrets: readonly string[],
): Record<string, string> {
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(messageId, at, body)).join(' '),
  }
}
