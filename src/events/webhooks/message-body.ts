import type { System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { EventRecord } from '../../kernel/payloads.ts'
import { type Caller, scopesOf } from '../../kernel/scopes.ts'

/** The document and the scopes with which the body of a message is built. */
interface BodyOptions {
  readonly document: string | null
  readonly scopes: readonly string[]
}

/** Maximum size of the body of a message in bytes. */
export const maxBodyBytes = 256_000

/** Size up to which a body is stored whatever else waits, in bytes. */
export const smallBodyBytes = 8_000

/** Length from which a text can be omitted, in bytes, and maximum number of texts that are. */
const omissible = { bytes: 1_000, texts: 100 } as const

/** A message before its size is limited. */
export interface WebhookMessage {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: unknown
  /** Paths of the values that are null because the message would be too large. Absent if there are none. */
  readonly omittedFields?: readonly string[]
}

/**
 * Builds a message (Standard Webhooks 1.0, “Payload structure”). Its data is what the document of the webhook selects, or the
 * resource as `/v1` returns it, and null if that is more than one execution may load.
 */
export async function buildMessage(
  { payloads }: System,
  messageId: string,
  event: EventRecord,
  { document, scopes }: BodyOptions,
): Promise<WebhookMessage> {
  const caller: Caller = {
    accountId: event.accountId,
    scopes: scopesOf(scopes),
  }
  const envelope = { id: messageId, type: event.type, timestamp: isoMicroseconds(event.createdAt) }
  try {
    const data = await (document === null
      ? payloads.resource(caller, event)
      : payloads.selection(caller, document, event))
    return { ...envelope, data }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'QUERY_TOO_COMPLEX') return withoutData(envelope)
    throw error
  }
}

/**
 * Returns the body of a message, which is built once and sent unchanged in all attempts. If it is larger than `maxBytes`, its
 * longest texts are null, or its data if that is not enough, and `omittedFields` names them.
 */
export function bodyOf(message: WebhookMessage, maxBytes = maxBodyBytes): string {
  const body = JSON.stringify(message)
  let excess = Buffer.byteLength(body) - maxBytes
  if (excess <= 0) return body
  const copy = JSON.parse(body) as WebhookMessage
  const texts = [...longTextsIn(copy.data, 'data')].sort((one, other) => other.bytes - one.bytes)
  const omittedFields: string[] = []
  for (const { path, bytes, omit } of texts.slice(0, omissible.texts)) {
    if (excess <= 0) break
    omit()
    omittedFields.push(path)
    excess -= bytes - path.length - 16
  }
  const shorter = JSON.stringify({ ...copy, omittedFields })
  return Buffer.byteLength(shorter) <= maxBytes ? shorter : JSON.stringify(withoutData(message))
}

function withoutData({ id, type, timestamp }: Omit<WebhookMessage, 'data'>): WebhookMessage {
  return { id, type, timestamp, data: null, omittedFields: ['data'] }
}

interface LongText {
  readonly path: string
  readonly bytes: number
  omit(): void
}

function* longTextsIn(value: unknown, path: string): Generator<LongText> {
  if (typeof value !== 'object' || value === null) return
  const fields = value as Record<string, unknown>
  for (const [key, field] of Object.entries(fields)) {
    const inner = `${path}.${key}`
    if (typeof field !== 'string') yield* longTextsIn(field, inner)
    else if (field.length >= omissible.bytes) {
      const omit = () => {
        fields[key] = null
      }
      yield { path: inner, bytes: Buffer.byteLength(JSON.stringify(field)), omit }
    }
  }
}

/** Formats a time as `/v1` does. */
function isoMicroseconds(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`
}
