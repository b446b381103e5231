import type { System } from '../../db/context.ts'
import type { EventRecord } from '../../kernel/payloads.ts'
import { type Caller, scopesOf } from '../../kernel/scopes.ts'

/** What a webhook wants to be told, and as whom. */
export interface Listener {
  readonly document: string | null
  readonly scopes: readonly string[]
}

/**
 * The bytes of a message, which all its attempts send (Standard Webhooks 1.0, “Payload structure”): what the webhook's own
 * document selects of the event, or what `/v1` shows of it.
 */
export async function bodyOf(
  system: System,
  messageId: string,
  event: EventRecord,
  { document, scopes }: Listener,
): Promise<string> {
  const { payloads } = system
  if (!payloads) throw new Error('There is no graph to make payloads.')
  const caller: Caller = {
    accountId: event.accountId,
    scopes: scopesOf(scopes),
  }
  const data = await (document === null
    ? payloads.resource(caller, event)
    : payloads.selection(caller, document, event))
  return JSON.stringify({ id: messageId, type: event.type, timestamp: isoMicroseconds(event.createdAt), data })
}

/** A time as `/v1` prints it. */
function isoMicroseconds(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`
}
