import type { WebhookEvents, WebhookMessage } from './webhook-events.ts'

/** Why a message is not to be believed, or cannot be read. */
export type WebhookRefusal =
  | 'MISSING_HEADER'
  | 'BAD_TIMESTAMP'
  | 'TOO_OLD'
  | 'TOO_NEW'
  | 'NO_MATCHING_SIGNATURE'
  | 'BAD_SECRET'
  | 'BAD_BODY'

/** A message that is refused: answer 400 and do nothing else. `BAD_SECRET` and most of `BAD_BODY` are the caller's own. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal, message: string) {
    super(message)
    this.code = code
  }
}

/** The headers as a `Request` or Node gives them; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How far the message's time may be from ours, in seconds. Five minutes where absent. */
  toleranceSeconds?: number
  /** Our time. */
  now?: () => Date
}

/**
 * Proves that a message is from the server that knows the secret, was sent just now and was changed by nobody on the way,
 * and answers what it says. Give the body as it came, as text or bytes: parsed and printed again it is another one.
 *
 * While a secret is being rotated, give the old one and the new one. `id` is the same for all attempts and replays of an
 * event: a message whose id was dealt with before can be acknowledged and left alone.
 *
 * Fails with a `WebhookVerificationError`. The scheme is that of Standard Webhooks (HMAC-SHA256, `v1,…`).
 */
export async function verifyWebhook<Events = WebhookEvents>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = () => new Date() }: VerifyOptions = {},
): Promise<WebhookMessage<Events>> {
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature')
  mustBeRecent(timestamp, toleranceSeconds, now())

  const bytes = bytesOf(body)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const given = signatures.split(' ').flatMap(signatureOf)
  const secrets = typeof secret === 'string' ? [secret] : secret
  const expected = await Promise.all(secrets.map((one) => sign(keyOf(one), signed)))
  if (!expected.some((mac) => given.some((other) => isSame(mac, other)))) {
    refuse('NO_MATCHING_SIGNATURE', 'No signature of the message was made with the secret.')
  }
  return { ...messageIn(bytes), id } as WebhookMessage<Events>
}

function refuse(code: WebhookRefusal, message: string): never {
  throw new WebhookVerificationError(code, message)
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isGetter(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  const text = typeof value === 'object' ? value?.join(' ') : value
  return text || refuse('MISSING_HEADER', `The message has no header ${name}.`)
}

function isGetter(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

function mustBeRecent(timestamp: string, toleranceSeconds: number, now: Date) {
  if (!/^[1-9]\d{0,11}$/.test(timestamp))
    refuse('BAD_TIMESTAMP', 'The header webhook-timestamp is no Unix time in seconds.')
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  if (age > toleranceSeconds) refuse('TOO_OLD', `The message was sent ${age} seconds ago.`)
  if (age < -toleranceSeconds) refuse('TOO_NEW', `The message is ${-age} seconds ahead of our time.`)
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  return refuse('BAD_BODY', 'Give the body as it came, as text or bytes, not parsed.')
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + rest.length)
  whole.set(head)
  whole.set(rest, head.length)
  return whole
}

/** The 32 bytes of one `v1,…`; nothing for another version, or for what has not the one form that it can have. */
function signatureOf(text: string): Uint8Array[] {
  const [, base64] = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(text) ?? []
  return base64 === undefined ? [] : [fromBase64(base64)]
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const base64 = secret.replace(/^whsec_/, '')
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
  if (base64 === '' || !isBase64) refuse('BAD_SECRET', 'The secret must be `whsec_` and base64.')
  return fromBase64(base64)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

async function sign(key: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const hmac = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign(algorithm, hmac, data))
}

/** Compares two signatures in a time that does not depend on where they differ. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (const [place, byte] of one.entries()) difference |= byte ^ (other[place] ?? 0)
  return difference === 0
}

function messageIn(bytes: Uint8Array): object {
  try {
    const message: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const { type, timestamp, data } = message as Record<string, unknown>
    if (typeof type === 'string' && typeof timestamp === 'string' && data !== undefined)
      return { type, timestamp, data }
  } catch {
    // Told below: what is signed and yet unreadable was not made by the server that this is for.
  }
  return refuse('BAD_BODY', 'The body is not { type, timestamp, data } in JSON.')
}
