import { zoneOf } from '../account/index.ts'
import { contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { fill, mergeParts, valuesOf } from '../kernel/merge-fields.ts'
import { loadPeople } from '../mail/index.ts'
import { Undoable } from './ports.ts'

/** How long a gateway may take, in milliseconds. */
const patience = 15_000

/**
 * Sends an SMS to a contact: a POST of {id, to, text} as JSON to the gateway. `id` is the same whenever the same message is
 * sent again, for the gateway to know it. Answers what the gateway said.
 *
 * Fails with Undoable where no gateway is configured, the contact has no number, or the gateway refuses the message
 * (4xx); with any other error where it may work later.
 */
export async function sendSms(
  ctx: Ctx,
  message: { enrolmentId: number; stageId: number; contactId: number; text: string; gatewayUrl: string | undefined },
): Promise<string> {
  const { enrolmentId, stageId, contactId, gatewayUrl } = message
  if (gatewayUrl === undefined) throw new Undoable('No SMS gateway is configured.')
  const contact = await ctx.load(contactList.byId, contactId)
  const person = (await loadPeople(ctx, [contactId])).get(contactId)
  if (!contact || !person) throw new Undoable('The contact was deleted.')
  if (contact.phone === '') throw new Undoable('The contact has no phone number.')
  const text = fill(mergeParts(message.text), valuesOf(person, ctx.clock.now(), await zoneOf(ctx)))
  const response = await fetch(gatewayUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: `${ctx.accountId}-${enrolmentId}-${stageId}`, to: contact.phone, text }),
    redirect: 'error',
    signal: AbortSignal.timeout(patience),
  })
  await response.body?.cancel()
  const answer = `${response.status} ${response.statusText}`.trim()
  if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new Undoable(answer)
  if (!response.ok) throw new Error(answer)
  return answer
}
