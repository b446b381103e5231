import { createHash, createHmac, createPublicKey, createVerify, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** A request of a provider. The body is bytes, because signatures cover bytes. */
export interface WebhookRequest {
  readonly body: Buffer
  header(name: string): string
}

/** Maximum age of Mailgun's signatures. Mailgun retries for 8 hours. */
const maxMailgunAgeSeconds = 12 * 60 * 60

/** Maximum age of the signatures of SendGrid and Amazon SNS, which retry for up to a day. No signature is valid longer. */
export const maxSignatureAgeSeconds = 25 * 60 * 60

/** How far the clock of a provider may be ahead. */
const maxSkewSeconds = 5 * 60

/** Returns whether a Unix time in seconds is at most `maxAge` seconds ago. False for NaN. */
export function isFresh(timestamp: number, now: Date, maxAge = maxSignatureAgeSeconds): boolean {
  const age = now.getTime() / 1000 - timestamp
  return age <= maxAge && age >= -maxSkewSeconds
}

/** Returns whether a request has the key as `Authorization: Bearer …`. */
export function hasBearerToken(key: string, { header }: Pick<WebhookRequest, 'header'>): boolean {
  const [, credential = ''] = /^Bearer +(.+)$/i.exec(header('authorization')) ?? []
  return isSame(credential, key)
}

/** Returns whether a request has `user:password` as Basic credentials. Postmark takes them in the URL of the webhook. */
export function hasBasicCredentials(login: string, { header }: Pick<WebhookRequest, 'header'>): boolean {
  const [, credential = ''] = /^Basic +(.+)$/i.exec(header('authorization')) ?? []
  return isSame(Buffer.from(credential, 'base64').toString('utf8'), login)
}

/**
 * Verifies a report that Mailgun signed in the last 12 hours with the HTTP webhook signing key. Returns its token, which is
 * unique to the report. Undefined if the signature is not valid.
 */
export function verifyMailgun(key: string, { body }: WebhookRequest, now: Date): string | undefined {
  const signed = z
    .object({ signature: z.object({ timestamp: z.string(), token: z.string(), signature: z.string() }) })
    .safeParse(parseJson(body))
  if (!signed.success) return undefined
  const { timestamp, token, signature } = signed.data.signature
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex')
  return isFresh(Number(timestamp), now, maxMailgunAgeSeconds) && isSame(signature, expected) ? token : undefined
}

/**
 * Verifies a report that SendGrid signed in the last 25 hours (Signed Event Webhook: ECDSA over timestamp and body). Returns
 * timestamp and body, which are unique to the report. Undefined if the signature is not valid.
 */
export function verifySendgrid(key: string, { body, header }: WebhookRequest, now: Date): string | undefined {
  const timestamp = header('x-twilio-email-event-webhook-timestamp')
  const signature = header('x-twilio-email-event-webhook-signature')
  try {
    const isSigned = createVerify('sha256')
      .update(timestamp)
      .update(body)
      .verify(readPublicKey(key), signature, 'base64')
    // Not the signature: a valid ECDSA signature can be changed into another valid one.
    return isSigned && isFresh(Number(timestamp), now) ? timestamp + body.toString('latin1') : undefined
  } catch {
    return undefined
  }
}

/** Reads a public key as SendGrid shows it: base64 of DER. **Throws** an Error for anything else. */
function readPublicKey(key: string) {
  return createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
}

/** Parses the JSON of a body. Undefined if it is not JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Compares in constant time. */
function isSame(credential: string, key: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(credential), hash(key))
}
