import { randomBytes } from 'node:crypto'
import { Webhook as Signer } from 'standardwebhooks'
import type { Ctx } from '../../db/context.ts'

/** Messages are signed with the old secret too for this time after a rotation. */
export const rotationOverlapMs = 24 * 60 * 60 * 1000

/** Encrypts a webhook secret for storage, with the SECRET of the server and the account ID as context. */
export function sealSecret({ signer, accountId }: Pick<Ctx, 'signer' | 'accountId'>, secret: string): string {
  return signer.seal(sealContext(accountId), secret)
}

/** Decrypts a stored secret. Throws if it was encrypted with another SECRET. */
export function unsealSecret({ signer, accountId }: Pick<Ctx, 'signer' | 'accountId'>, stored: string): string {
  const secret = signer.unseal(sealContext(accountId), stored)
  if (secret === undefined) throw new Error('The webhook secret was encrypted with another SECRET. Rotate it.')
  return secret
}

function sealContext(accountId: number): string {
  return `webhook ${accountId}`
}

/** Returns a new secret in the format of Standard Webhooks: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** Returns the headers with which a receiver verifies origin, integrity and age of a message (Standard Webhooks 1.0). */
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
