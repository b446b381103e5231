import { randomBytes } from 'node:crypto'
import { Webhook as Signer } from 'standardwebhooks'

/** How long the old secret signs beside the new one, so that a receiver can change over. */
export const overlapMilliseconds = 24 * 60 * 60 * 1000

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
