import { createHash, createHmac, createPublicKey, createVerify, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** What a provider has posted, to the letter: signatures are over bytes. */
export interface Posted {
  readonly body: Buffer
  header(name: string): string
}

/** How old what Mailgun has signed may be: it tries for eight hours. */
const longestAge = 12 * 60 * 60

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

/** Whether Mailgun has signed it lately, with the key that it calls the HTTP webhook signing key. */
export function isByMailgun(key: string, { body }: Posted, now: Date): boolean {
  const read = z
    .object({ signature: z.object({ timestamp: z.string(), token: z.string(), signature: z.string() }) })
    .safeParse(parsed(body))
  if (!read.success) return false
  const { timestamp, token, signature } = read.data.signature
  const age = Math.abs(now.getTime() / 1000 - Number(timestamp))
  return (
    age <= longestAge &&
    isSame(
      signature,
      createHmac('sha256', key)
        .update(timestamp + token)
        .digest('hex'),
    )
  )
}

/** Whether SendGrid has signed it, by its public key (Signed Event Webhook: ECDSA over timestamp and body). */
export function isBySendgrid(key: string, { body, header }: Posted): boolean {
  const timestamp = header('x-twilio-email-event-webhook-timestamp')
  const signature = header('x-twilio-email-event-webhook-signature')
  try {
    return createVerify('sha256').update(timestamp).update(body).verify(publicKeyOf(key), signature, 'base64')
  } catch {
    return false
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
