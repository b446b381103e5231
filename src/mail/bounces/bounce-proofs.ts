import { createHash, createHmac, createPublicKey, createVerify, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** What a provider has posted, to the letter: signatures are over bytes. */
export interface Posted {
  readonly body: Buffer
  header(name: string): string
}

/** Maximum age of what Mailgun has signed, in seconds: it tries for eight hours. */
const mailgunAge = 12 * 60 * 60

/** The same for SendGrid and Amazon SNS, which try for up to a day. No signature is good for longer than this. */
export const maxProofAge = 25 * 60 * 60

/** How far the clock of a provider may be ahead of ours, in seconds. */
const maxSkew = 5 * 60

/** Whether a time, in seconds since 1970, is at most `maxAge` seconds ago. False for what is no number. */
export function isFresh(timestamp: number, now: Date, maxAge = maxProofAge): boolean {
  const age = now.getTime() / 1000 - timestamp
  return age <= maxAge && age >= -maxSkew
}

/** Whether a request holds a key, as `Authorization: Bearer …`. */
export function hasBearer(key: string, { header }: Posted): boolean {
  const [, given = ''] = /^Bearer +(.+)$/i.exec(header('authorization')) ?? []
  return isSame(given, key)
}

/** Whether a request holds `user:password` (Postmark takes them in the address of the webhook). */
export function hasLogin(login: string, { header }: Posted): boolean {
  const [, given = ''] = /^Basic +(.+)$/i.exec(header('authorization')) ?? []
  return isSame(Buffer.from(given, 'base64').toString('utf8'), login)
}

/**
 * Returns what is unique to a report that Mailgun has signed in the last 12 hours, with the key that it calls the HTTP
 * webhook signing key: its token. Undefined if it has not.
 */
export function mailgunProof(key: string, { body }: Posted, now: Date): string | undefined {
  const read = z
    .object({ signature: z.object({ timestamp: z.string(), token: z.string(), signature: z.string() }) })
    .safeParse(parsed(body))
  if (!read.success) return undefined
  const { timestamp, token, signature } = read.data.signature
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex')
  return isFresh(Number(timestamp), now, mailgunAge) && isSame(signature, expected) ? token : undefined
}

/**
 * Returns what is unique to a report that SendGrid has signed with its private key in the last 25 hours (Signed Event
 * Webhook: ECDSA over timestamp and body): timestamp and body. Undefined if it has not.
 */
export function sendgridProof(key: string, { body, header }: Posted, now: Date): string | undefined {
  const timestamp = header('x-twilio-email-event-webhook-timestamp')
  const signature = header('x-twilio-email-event-webhook-signature')
  try {
    const isSigned = createVerify('sha256').update(timestamp).update(body).verify(publicKeyOf(key), signature, 'base64')
    // A valid ECDSA signature can be changed into another valid one: what was signed is unique, the signature is not.
    return isSigned && isFresh(Number(timestamp), now) ? timestamp + body.toString('latin1') : undefined
  } catch {
    return undefined
  }
}

/** A public key as SendGrid shows it: the base64 of its DER form. Throws where it is none. */
export function publicKeyOf(key: string) {
  return createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
}

/** The JSON of a body; undefined where it is none. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Compares without telling by the time it takes how much was right. */
function isSame(given: string, key: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(key))
}
