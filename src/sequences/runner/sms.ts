import { mergeValuesOf, personById } from '../../contacts/index.ts'
import { fill, mergeParts, type Values } from '../../contacts/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { zoneOf } from '../../db/zone.ts'
import { TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { PermanentError } from '../ports.ts'

/** Maximum size of a text with its merge fields filled in, in bytes. Gateways split it into at most some 40 messages. */
const maxTextBytes = 6_000

/** Timeout of a request to the gateway. */
const gatewayTimeoutMs = 15_000

/**
 * Sends an SMS to a contact: a POST of {id, to, text} as JSON to the gateway. `id` is equal for repeated attempts of one
 * message, so that the gateway can detect duplicates. Returns the HTTP status of the gateway's response.
 *
 * Throws PermanentError if no gateway is configured, the contact was deleted or has no phone number, the text would have more
 * than `maxTextBytes`, or the gateway rejects the message (4xx other than 429). Throws another error if a later attempt may
 * succeed.
 */
export async function sendSms(
  ctx: Ctx,
  message: { enrolmentId: number; stageId: number; contactId: number; text: string; gatewayUrl: string | undefined },
): Promise<string> {
  const { enrolmentId, stageId, contactId, gatewayUrl } = message
  if (gatewayUrl === undefined) throw new PermanentError('No SMS gateway is configured.')
  const person = await ctx.load(personById, contactId)
  if (!person) throw new PermanentError('The contact was deleted.')
  if (person.phone === '') throw new PermanentError('The contact has no phone number.')
  const text = textOf(message.text, mergeValuesOf(person, ctx.clock.now(), { zone: await zoneOf(ctx), language: '' }))
  const response = await fetch(gatewayUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: `${ctx.accountId}-${enrolmentId}-${stageId}`, to: person.phone, text }),
    redirect: 'error',
    signal: AbortSignal.timeout(gatewayTimeoutMs),
  })
  await response.body?.cancel()
  const status = `${response.status} ${response.statusText}`.trim()
  if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new PermanentError(status)
  if (!response.ok) throw new Error(status)
  return status
}

function textOf(template: string, values: Values): string {
  try {
    return fill(mergeParts(template), values, { what: 'The text message', maxBytes: maxTextBytes })
  } catch (error) {
    throw error instanceof TextTooLongError ? new PermanentError(error.message) : error
  }
}
