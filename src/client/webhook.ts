import type { WebhookEvents, WebhookMessage } from './webhook-events.ts'

/** Reason why a message could not be verified or parsed. */
export type WebhookErrorCode =
  | 'MISSING_HEADER'
  | 'BAD_TIMESTAMP'
  | 'TOO_OLD'
  | 'TOO_NEW'
  | 'NO_MATCHING_SIGNATURE'
  | 'BAD_SECRET'
  | 'BAD_BODY'

/**
 * A message could not be verified. Respond with 400 and do not process it. `BAD_SECRET`, and `BAD_BODY` for a parsed body,
 * are errors of the caller.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Headers of a `Request` or of a Node request. Names are case-insensitive. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Maximum difference in seconds between the message's timestamp and the current time. Defaults to 300. */
  toleranceSeconds?: number
  /** Returns the current time. Defaults to the system time. */
  now?: () => Date
}

/**
 * Verifies the signature and timestamp of a webhook message, and returns the message. Pass the raw body as text or bytes:
 * the signature does not match a body that was parsed and serialized again.
 *
 * Pass the old and the new secret while a secret is rotated. `id` is the same for all delivery attempts and replays of an
 * event. Acknowledge a message whose id was already processed, and ignore it.
 *
 * The signature scheme is that of Standard Webhooks (HMAC-SHA256, `v1,…`). **Throws** `WebhookVerificationError`.
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
  const signed = concatBytes(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const received = signatures.split(' ').flatMap(parseSignature)
  const secrets = typeof secret === 'string' ? [secret] : secret
  const expected = await Promise.all(secrets.map((each) => sign(parseSecret(each), signed)))
  if (!expected.some((mac) => received.some((other) => isEqual(mac, other)))) {
    fail('NO_MATCHING_SIGNATURE', 'No signature of the message matches the secret.')
  }
  return { ...parseMessage(bytes), id } as WebhookMessage<Events>
}

function fail(code: WebhookErrorCode, message: string): never {
  throw new WebhookVerificationError(code, message)
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isGetter(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = typeof value === 'object' ? value?.join(' ') : value
  return text || fail('MISSING_HEADER', `The header ${name} is missing.`)
}

function isGetter(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

function mustBeRecent(timestamp: string, toleranceSeconds: number, now: Date) {
  if (!/^[1-9]\d{0,11}$/.test(timestamp))
    fail('BAD_TIMESTAMP', 'The header webhook-timestamp must be a Unix time in seconds.')
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  if (age > toleranceSeconds)
    fail('TOO_OLD', `The message was sent ${age} seconds ago; the maximum is ${toleranceSeconds}.`)
  if (age < -toleranceSeconds)
    fail('TOO_NEW', `The timestamp is ${-age} seconds in the future; the maximum is ${toleranceSeconds}.`)
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  return fail('BAD_BODY', 'The body must be the raw text or bytes of the request, not parsed.')
}

function concatBytes(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + rest.length)
  all.set(head)
  all.set(rest, head.length)
  return all
}

/** Returns the 32 bytes of a `v1,…` signature. Returns nothing for another version or a non-canonical encoding. */
function parseSignature(text: string): Uint8Array[] {
  const [, base64] = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(text) ?? []
  return base64 === undefined ? [] : [fromBase64(base64)]
}

function parseSecret(secret: string): Uint8Array<ArrayBuffer> {
  const base64 = secret.replace(/^whsec_/, '')
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
  if (base64 === '' || !isBase64) fail('BAD_SECRET', 'The secret must be `whsec_` followed by base64.')
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

/** Compares two signatures in constant time. */
function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}

function parseMessage(bytes: Uint8Array): object {
  try {
    const message: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const { type, timestamp, data } = message as Record<string, unknown>
    if (typeof type === 'string' && typeof timestamp === 'string' && data !== undefined)
      return { type, timestamp, data }
  } catch {
    // Reported below, together with JSON of another shape.
  }
  return fail('BAD_BODY', 'The body must be a JSON object with type, timestamp and data.')
}
