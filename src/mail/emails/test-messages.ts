import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Email } from '../../../prisma/generated/client/client.ts'
import { useToday } from '../../account/index.ts'
import { personById } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid, invalidStored, type Refusal, refuse, refuseValue, UncertainEffect } from '../../kernel/errors.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { addressKey } from '../../kernel/values/address-key.ts'
import { email as address, check } from '../../kernel/values/check.ts'
import { loadSigners } from '../domains/dkim-keys.ts'
import { listUnverified, unverifiedReason } from '../domains/sender-domains.ts'
import { exampleRef, languageHeader, unsubscribeHeaders, unsubscribeUrl } from '../messages/message-links.ts'
import { domainOf, replyTo } from '../messages/messages.ts'
import type { OutgoingMessage, SendError } from '../outgoing-message.ts'
import { isSuppressed } from '../suppressions/suppressions.ts'
import { byId, findMissingFields, markTested } from './emails.ts'
import { newRenderer } from './previews.ts'

/** Maximum number of test messages of an account per day. They are not counted in the other quotas. */
export const maxTestMessagesPerDay = 100

/** Maximum number of addresses that one request sends a test to. */
export const maxTestAddresses = 5

const NewTest = z.object({
  emails: z
    .array(address)
    .min(1, 'must contain at least one address')
    .max(maxTestAddresses, `must contain at most ${maxTestAddresses} addresses`),
})

/**
 * What the mail server did with a test message. UNKNOWN: it got the whole message and did not reply, so that the message may have
 * been delivered.
 */
export type TestState = 'SENT' | 'REFUSED' | 'FAILED' | 'UNKNOWN'

/** A test message to one address, after the attempt to send it. */
export interface TestMessage {
  readonly email: string
  readonly state: TestState
  /** Reply of the mail server, or the reason why there is none. */
  readonly reply: string
}

/**
 * Sends an e-mail to up to five addresses immediately, to each in a message of its own, as a preview shows it and with
 * `[Test]` before its subject. Test messages are not in statistics. Sends nothing unless it may send to all of the addresses.
 * Returns what the mail server did with each message, if it accepted any of them; the e-mail then counts as tested.
 *
 * **Throws** NOT_FOUND if the contact does not exist, FORBIDDEN if the key may not read contacts, VALIDATION_ERROR if the
 * e-mail is not complete, or an address is repeated or suppressed, and QUOTA_EXCEEDED after `maxTestMessagesPerDay`. If the mail
 * server accepted no message: VALIDATION_ERROR if it refused the addresses, and SERVER_ERROR for another reason, or if it does
 * not confirm that it accepted one.
 */
export async function sendTestMessages(
  ctx: Ctx,
  input: { emailId: number; emails: readonly string[]; contactId: number | null },
): Promise<TestMessage[]> {
  const { emails } = check(NewTest, { emails: input.emails })
  mustBeDistinct(emails)
  // The message shows the contact's data to its recipient.
  if (input.contactId !== null) mustBeAllowed(ctx, 'contacts:read')
  const { tested, messages } = await newTestMessages(ctx, input.emailId, emails, input.contactId)
  await mustNotBeSuppressed(ctx, emails)
  // The transaction counts attempts. It is not the change that the audit log records, because the messages may be refused.
  await inTransaction({ ...ctx, record: undefined }, (tx) =>
    useToday(tx, 'test_messages', maxTestMessagesPerDay, emails.length),
  )
  // At the same time, so that a request waits no longer for several messages than for one.
  const sent = await Promise.all(messages.map((message) => send(ctx, message)))
  if (sent.every(({ state }) => state !== 'SENT')) throw failureOf(sent)
  // The messages were sent, whatever becomes of the time: an error would make a repeat send them again.
  await markTested(ctx, tested).catch((error: unknown) => ctx.log.warn({ err: error }, 'a test could not be recorded'))
  return sent
}

async function send(ctx: Ctx, message: OutgoingMessage): Promise<TestMessage> {
  const email = message.to.address
  try {
    return { email, state: 'SENT', reply: await ctx.services.mail.send(message) }
  } catch (error) {
    ctx.log.warn({ err: error }, 'a test message could not be sent')
    const { message: reply, responseCode = 0, mayBeAccepted } = error as SendError
    if (mayBeAccepted) return { email, state: 'UNKNOWN', reply }
    return { email, state: responseCode >= 500 ? 'REFUSED' : 'FAILED', reply }
  }
}

/** Returns the error of test messages of which the mail server accepted none. */
function failureOf(messages: readonly TestMessage[]): Refusal {
  const refusals = messages.map(({ reply }, place): [string, string[]] => [
    `emails.${place}`,
    [`was refused: ${reply}`],
  ])
  if (messages.every(({ state }) => state === 'REFUSED')) return invalid(Object.fromEntries(refusals))
  const reasons = messages.map(errorOf)
  const isSame = new Set(reasons).size === 1
  const problem = isSame
    ? `${reasons[0]}`
    : messages.map(({ email }, place) => `${email}: ${reasons[place]}`).join('; ')
  const isUncertain = messages.some(({ state }) => state === 'UNKNOWN')
  return isUncertain ? new UncertainEffect('SERVER_ERROR', problem) : refuse('SERVER_ERROR', problem)
}

/** Returns why a test message was not sent. Null if it was. */
export function errorOf({ state, reply }: TestMessage): string | null {
  switch (state) {
    case 'SENT':
      return null
    case 'REFUSED':
      return `The mail server refused the message: ${reply}`
    case 'FAILED':
      return `The mail server did not accept the message: ${reply}`
    case 'UNKNOWN':
      return `The mail server did not confirm the message, which may have been delivered: ${reply}`
  }
}

async function newTestMessages(
  ctx: Ctx,
  emailId: number,
  addresses: readonly string[],
  contactId: number | null,
): Promise<{ tested: Email; messages: OutgoingMessage[] }> {
  const contact = contactId === null ? null : await ctx.load(personById, contactId)
  if (contactId !== null && !contact) throw refuseValue('contactId', 'NOT_FOUND', 'There is no such contact.')
  const email = await ctx.load(byId, emailId)
  mustBeComplete(email)
  const domain = domainOf(email.fromEmail)
  const unverified = await listUnverified(ctx, [domain])
  if (unverified.has(domain)) throw invalidStored('id', { fromEmail: [unverifiedReason(domain)] })
  const refusalOf = (field: string, problem: string) => invalidStored('id', { [field]: [problem] })
  const render = await newRenderer(ctx, emailId, contactId, refusalOf)
  if (!render) throw refuse('NOT_FOUND', 'The e-mail was not found.')
  const dkim = (await loadSigners(ctx, [domain])).get(domain)
  const messages = addresses.map((to): OutgoingMessage => {
    const { subject, html, text } = render(contact ?? { email: to })
    return {
      ...{ subject: `[Test] ${subject}`, html, text },
      messageId: `<test.${randomBytes(12).toString('hex')}@${domain}>`,
      from: { name: email.fromName, address: email.fromEmail },
      to: { name: '', address: to },
      ...replyTo(email.replyTo),
      headers: {
        ...(!email.isConfirmation && unsubscribeHeaders(unsubscribeUrl(ctx, exampleRef(ctx)))),
        ...languageHeader(email.language),
      },
      ...(dkim && { dkim }),
    }
  })
  return { tested: email, messages }
}

function mustBeComplete(email: Email | null): asserts email is Email {
  if (!email) throw refuse('NOT_FOUND', 'The e-mail was not found.')
  const missing = findMissingFields(email)
  if (missing) throw invalidStored('id', missing)
}

/** Throws VALIDATION_ERROR for each address that is another spelling of one before it. */
function mustBeDistinct(emails: readonly string[]): void {
  const keys = emails.map(addressKey)
  const repeated = keys.flatMap((key, place) => (keys.indexOf(key) < place ? [place] : []))
  if (repeated.length > 0) throw invalidItems(repeated, 'must not be the same address as another one')
}

async function mustNotBeSuppressed(ctx: Ctx, emails: readonly string[]): Promise<void> {
  const rows = await ctx.sql<{ place: number }>`
    SELECT given.place::int - 1 AS place FROM unnest(${[...emails]}::text[]) WITH ORDINALITY AS given(email, place)
    WHERE ${isSuppressed(ctx.signer, sql`${ctx.sql.account}::int`, sql`given.email`)} ORDER BY 1`
  const suppressed = rows.map(({ place }) => place)
  if (suppressed.length > 0) throw invalidItems(suppressed, 'is suppressed')
}

function invalidItems(places: readonly number[], problem: string): Refusal {
  return invalid(Object.fromEntries(places.map((place) => [`emails.${place}`, [problem]])))
}
