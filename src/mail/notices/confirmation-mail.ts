import { personById } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import { checkConfirmation, isConfirmationError } from '../checks/confirmation-check.ts'
import { loadSigners } from '../domains/dkim-keys.ts'
import { byId } from '../emails/emails.ts'
import { newRenderer } from '../emails/previews.ts'
import { languageHeader } from '../messages/message-links.ts'
import { domainOf, replyTo } from '../messages/messages.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { automatic, type Notice, newMessageId } from './notice.ts'

/** What a confirmation e-mail of an account contains besides its own content. */
interface OwnConfirmation {
  readonly emailId: number
  readonly contactId: number
  readonly confirmUrl: string
  readonly id: Notice['id']
}

/**
 * Builds the message of a confirmation from the content that an account set. It is neither tracked nor does it have an
 * unsubscribe link, because it is no marketing e-mail. Returns undefined if the content cannot be sent (`checkConfirmation`), or
 * if the contact was deleted. **Throws** RATE_LIMITED if too many tasks wait.
 */
export async function buildConfirmation(
  ctx: Ctx,
  { emailId, contactId, confirmUrl, id }: OwnConfirmation,
): Promise<OutgoingMessage | undefined> {
  if ((await checkConfirmation(ctx, emailId)).some(isConfirmationError)) return undefined
  const [email, person] = await Promise.all([ctx.load(byId, emailId), ctx.load(personById, contactId)])
  if (!email || !person) return undefined
  const content = await renderFor(ctx, { emailId, contactId, confirmUrl })
  if (!content) return undefined
  const domain = domainOf(email.fromEmail)
  const dkim = (await loadSigners(ctx, [domain])).get(domain)
  const { subject, html, text } = content(person)
  return {
    messageId: newMessageId(ctx, id, domain),
    from: { name: email.fromName, address: email.fromEmail },
    to: { name: '', address: person.email },
    ...replyTo(email.replyTo),
    ...{ subject, html, text },
    headers: { ...automatic, ...languageHeader(email.language) },
    ...(dkim && { dkim }),
  }
}

/** Returns what renders the content. Undefined if it cannot be rendered. */
async function renderFor(ctx: Ctx, { emailId, contactId, confirmUrl }: Omit<OwnConfirmation, 'id'>) {
  const refusalOf = (field: string, problem: string) => refuse('VALIDATION_ERROR', `${field} ${problem}.`)
  try {
    return await newRenderer(ctx, emailId, contactId, refusalOf, { confirmUrl })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
    ctx.log.warn({ err: error, accountId: ctx.accountId }, 'a confirmation e-mail could not be rendered')
    return undefined
  }
}
