import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Email } from '../../../prisma/generated/client/client.ts'
import { ownAccount, useToday } from '../../account/index.ts'
import { examplePerson, mergeValuesOf, type Person, personById } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid, invalidStored, type Refusal, refuse, refuseValue, UncertainEffect } from '../../kernel/errors.ts'
import type { OutgoingMessage, SendError } from '../../kernel/outgoing-message.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { email as address, check } from '../../kernel/values/check.ts'
import { defaultZone } from '../../kernel/values/period.ts'
import { TaskError } from '../../kernel/work/thread-pool.ts'
import { parseBody } from '../bodies/body-parser.ts'
import { renderMessageText } from '../bodies/message-text.ts'
import { parseHeaderTemplate } from '../bodies/text-template.ts'
import { loadSigners } from '../domains/dkim-keys.ts'
import { listUnverified, unverifiedReason } from '../domains/sender-domains.ts'
import { exampleRef, unsubscribeHeaders, unsubscribeUrl, withMessageLinks } from '../messages/message-links.ts'
import { domainOf } from '../messages/messages.ts'
import { isSuppressed } from '../suppressions/suppressions.ts'
import { byId, contentById, findMissingFields } from './emails.ts'

/** Maximum number of test messages of an account per day. They are not counted in the other quotas. */
export const maxTestMessagesPerDay = 100

/** An e-mail as one contact would see it. */
export interface Preview {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/**
 * Renders an e-mail for a contact, or for an example contact if `contactId` is null. Links are not tracked, and the
 * unsubscribe link has no effect. Fields that are not set are empty. Returns null if the e-mail or the contact does not exist.
 *
 * **Throws** VALIDATION_ERROR if the body cannot be rendered.
 */
export async function renderPreview(ctx: Ctx, emailId: number, contactId: number | null): Promise<Preview | null> {
  const person = contactId === null ? examplePerson : await ctx.load(personById, contactId)
  if (!person) return null
  ctx.rows?.mustNotBeExceeded()
  // No argument of the request is the e-mail, so the error names none.
  const refusalOf = (field: string, problem: string) => refuse('VALIDATION_ERROR', `${field} ${problem}.`)
  const preview = await render(ctx, emailId, person, refusalOf)
  if (preview) ctx.rows?.read(Buffer.byteLength(preview.html) + Buffer.byteLength(preview.text), 'previews of e-mails')
  return preview
}

/**
 * Sends an e-mail to one address immediately, as `renderPreview` renders it and with `[Test]` before its subject. Test
 * messages are not in statistics. Returns the reply of the mail server.
 *
 * **Throws** NOT_FOUND if the contact does not exist, FORBIDDEN if the key may not read contacts, VALIDATION_ERROR if the
 * e-mail is not complete or the address is refused or suppressed, QUOTA_EXCEEDED after `maxTestMessagesPerDay`, and
 * SERVER_ERROR if the mail server does not accept the message for another reason, or does not confirm that it did.
 */
export async function sendTestMessage(
  ctx: Ctx,
  input: { emailId: number; email: string; contactId: number | null },
): Promise<string> {
  const { email } = check(z.object({ email: address }), { email: input.email })
  // The message shows the contact's data to its recipient.
  if (input.contactId !== null) mustBeAllowed(ctx, 'contacts:read')
  const message = await newTestMessage(ctx, input.emailId, email, input.contactId)
  await mustNotBeSuppressed(ctx, email)
  // The transaction counts an attempt. It is not the change that the audit log records, because the message may be refused.
  await inTransaction({ ...ctx, record: undefined }, (tx) => useToday(tx, 'test_messages', maxTestMessagesPerDay))
  try {
    return await ctx.sendMessage(message)
  } catch (error) {
    const { message: reply, responseCode, mayBeAccepted } = error as SendError
    ctx.log.warn({ err: error }, 'a test message could not be sent')
    if (mayBeAccepted)
      throw new UncertainEffect(
        'SERVER_ERROR',
        `The mail server did not confirm the message, which may have been delivered: ${reply}`,
      )
    if (responseCode !== undefined && responseCode >= 500) throw invalid({ email: [`was refused: ${reply}`] })
    throw refuse('SERVER_ERROR', `The mail server did not accept the message: ${reply}`)
  }
}

async function newTestMessage(
  ctx: Ctx,
  emailId: number,
  to: string,
  contactId: number | null,
): Promise<OutgoingMessage> {
  const person = contactId === null ? { ...examplePerson, email: to } : await ctx.load(personById, contactId)
  if (!person) throw refuseValue('contactId', 'NOT_FOUND', 'There is no such contact.')
  const email = await ctx.load(byId, emailId)
  mustBeComplete(email)
  const domain = domainOf(email.fromEmail)
  const unverified = await listUnverified(ctx, [domain])
  if (unverified.has(domain)) throw invalidStored('id', { fromEmail: [unverifiedReason(domain)] })
  const preview = await render(ctx, emailId, person, (field, problem) => invalidStored('id', { [field]: [problem] }))
  if (!preview) throw refuse('NOT_FOUND', 'The e-mail was not found.')
  const dkim = (await loadSigners(ctx, [domain])).get(domain)
  return {
    ...preview,
    subject: `[Test] ${preview.subject}`,
    messageId: `<test.${randomBytes(12).toString('hex')}@${domain}>`,
    from: { name: email.fromName, address: email.fromEmail },
    to: { name: '', address: to },
    headers: unsubscribeHeaders(unsubscribeUrl(ctx, exampleRef(ctx))),
    ...(dkim && { dkim }),
  }
}

function mustBeComplete(email: Email | null): asserts email is Email {
  if (!email) throw refuse('NOT_FOUND', 'The e-mail was not found.')
  const missing = findMissingFields(email)
  if (missing) throw invalidStored('id', missing)
}

async function mustNotBeSuppressed(ctx: Ctx, email: string): Promise<void> {
  const [row] = await ctx.sql<{ isListed: boolean }>`
    SELECT ${isSuppressed(ctx.signer, sql`a.id`, sql`${email}::text`)} AS "isListed" FROM account a WHERE a.id = ${ctx.sql.account}`
  if (row?.isListed) throw invalid({ email: ['is suppressed'] })
}

/** Renders an e-mail. `refusalOf` returns the error for a field of the stored e-mail that cannot be rendered. */
async function render(
  ctx: Ctx,
  emailId: number,
  person: Person,
  refusalOf: (field: 'html' | 'text', problem: string) => Refusal,
): Promise<Preview | null> {
  const [email, content] = await Promise.all([ctx.load(byId, emailId), ctx.load(contentById, emailId)])
  if (!email) return null
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  const contactValues = mergeValuesOf(person, ctx.clock.now(), zone)
  const values = withMessageLinks(ctx, exampleRef(ctx), contactValues)
  try {
    // It may break limits that are lower now than when it was stored.
    const body = await parseBody(ctx, { html: content?.html ?? '', text: content?.text })
    if ('problem' in body) throw refusalOf(body.field, body.problem)
    return renderMessageText({ ...body, subject: parseHeaderTemplate(email.subject) }, { values })
  } catch (error) {
    if (error instanceof TaskError || error instanceof TextTooLongError) throw refusalOf('html', error.message)
    throw error
  }
}
