import type { System } from '../../db/context.ts'
import type { Told } from '../../kernel/payloads.ts'
import { type Caller, scopesOf } from '../../kernel/scopes.ts'

/** The document and the scopes with which the body of a message is built. */
export interface BodyOptions {
  readonly document: string | null
  readonly scopes: readonly string[]
}

/**
 * Builds the body of a message (Standard Webhooks 1.0, “Payload structure”). Its data is what the document of the webhook
 * selects, or the resource as `/v1` returns it. The body is built once and sent unchanged in all attempts.
 */
export async function buildBody(
  system: System,
  messageId: string,
  event: Told,
  { document, scopes }: BodyOptions,
): Promise<string> {
  const { payloads } = system
  if (!payloads) throw new Error('This process has no GraphQL schema to build payloads.')
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
