import type { System } from '../../db/context.ts'
import type { EventRecord } from '../../kernel/payloads.ts'
import { type Caller, scopesOf } from '../../kernel/scopes.ts'

/** The document and the scopes with which the body of a message is built. */
interface BodyOptions {
  readonly document: string | null
  readonly scopes: readonly string[]
}

/**
 * Builds the body of a message (Standard Webhooks 1.0, “Payload structure”). Its data is what the document of the webhook
 * selects, or the resource as `/v1` returns it. The body is built once and sent unchanged in all attempts.
 */
export async function buildBody(
  { payloads }: System,
  messageId: string,
  event: EventRecord,
  { document, scopes }: BodyOptions,
): Promise<string> {
  const caller: Caller = {
    accountId: event.accountId,
    scopes: scopesOf(scopes),
  }
  const data = await (document === null
    ? payloads.resource(caller, event)
    : payloads.selection(caller, document, event))
  return JSON.stringify({ id: messageId, type: event.type, timestamp: isoMicroseconds(event.createdAt), data })
}

/** Formats a time as `/v1` does. */
function isoMicroseconds(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`
}
