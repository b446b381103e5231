import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Email } from '../../../prisma/generated/client/client.ts'
import { ownAccount, useToday } from '../../account/index.ts'
import { contactFields, contactList } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { email as address, check } from '../../kernel/check.ts'
import { invalid, refuse } from '../../kernel/errors.ts'
import { type Person, valuesOf } from '../../kernel/merge-fields.ts'
import type { OutgoingMessage } from '../../kernel/outgoing-message.ts'
import { defaultZone } from '../../kernel/period.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { TaskError } from '../../kernel/thread-pool.ts'
import { isSuppressed } from '../bounces/suppression.ts'
import { takeApart } from '../content/bodies.ts'
import type { Body } from '../content/email-body.ts'
import { byId, contentOf, missingIn } from '../content/emails.ts'
import { renderHtml, TooLong } from '../content/html-template.ts'
import { domainOf, listHeaders, unsubscribeUrl, withLinks } from '../content/letters.ts'
import { lineTemplate, renderLine, renderText } from '../content/text-template.ts'
import { signersOf } from '../domains/dkim-keys.ts'
import { unverified, unverifiedReason } from '../domains/sender-domains.ts'
import type { Mark } from '../tracking/tokens.ts'

/** How many test messages an account can send a day: they are for looking at, not for sending mail past every limit. */
export const mostTestsADay = 100

/** A mail server may take as long as that over a test message, in milliseconds. */
export const longestTest = 90_000

/** An e-mail as one reader would see it. */
export interface Preview {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Who reads a preview where nobody else is named. */
const reader: Person = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0000',
  companyName: 'Example Ltd',
  city: 'London',
  country: 'United Kingdom',
  createdAt: new Date('2026-01-01T12:00:00Z'),
  fields: {},
}

/**
 * Shows an e-mail as a contact would see it, or, where none is named, someone made up: nothing in it is counted, and its
 * unsubscribe link unsubscribes nobody. Null where there is no such e-mail or contact. What it lacks is empty. Throws
 * VALIDATION_ERROR naming `html` or `text` if the body cannot be rendered.
 */
export async function previewOf(ctx: Ctx, emailId: number, contactId: number | null): Promise<Preview | null> {
  const person = contactId === null ? reader : await personOf(ctx, contactId)
  return person && (await rendered(ctx, emailId, person))
}

/**
 * Sends an e-mail to one address at once, to be looked at: as `previewOf` shows it, with `[Test]` before its subject. It is
 * in no figures. Answers what the mail server said.
 *
 * Fails with NOT_FOUND for a contact that is not there, with FORBIDDEN where the key may not read contacts, with VALIDATION_ERROR where the e-mail is not complete or the
 * address is refused or suppressed, with QUOTA_EXCEEDED, and with SERVER_ERROR where the mail server does not answer.
 */
export async function sendTest(
  ctx: Ctx,
  input: { emailId: number; email: string; contactId: number | null },
): Promise<string> {
  const { email } = check(z.object({ email: address }), { email: input.email })
  // What is sent shows what is known of the contact to whoever gets it.
  if (input.contactId !== null) mustBeAllowed(ctx, 'contacts:read')
  const letter = await testLetter(ctx, input.emailId, email, input.contactId)
  await mustBeWritable(ctx, email)
  await inTransaction(ctx, (tx) => useToday(tx, 'test_messages', mostTestsADay))
  if (!ctx.sendMessage) throw refuse('SERVER_ERROR', 'This server sends no mail.')
  try {
    return await ctx.sendMessage(letter)
  } catch (error) {
    const { message, responseCode } = error as Error & { responseCode?: number }
    ctx.log.warn({ err: error }, 'a test message could not be sent')
    if (responseCode !== undefined && responseCode >= 500) throw invalid({ email: [`was refused: ${message}`] })
    throw refuse('SERVER_ERROR', `The mail server has not taken it: ${message}`)
  }
}

async function testLetter(ctx: Ctx, emailId: number, to: string, contactId: number | null): Promise<OutgoingMessage> {
  const person = contactId === null ? { ...reader, email: to } : await personOf(ctx, contactId)
  if (!person) throw refuse('NOT_FOUND', 'There is no such contact.')
  const email = await ctx.load(byId, emailId)
  mustBeComplete(email)
  const domain = domainOf(email.fromEmail)
  const refused = await unverified(ctx, [domain])
  if (refused.has(domain)) throw invalid({ fromEmail: [unverifiedReason(domain)] })
  const preview = await rendered(ctx, emailId, person)
  if (!preview) throw refuse('NOT_FOUND', 'There is no such e-mail.')
  const dkim = (await signersOf(ctx, [domain])).get(domain)
  return {
    ...preview,
    subject: `[Test] ${preview.subject}`,
    messageId: `<test.${randomBytes(12).toString('hex')}@${domain}>`,
    from: { name: email.fromName, address: email.fromEmail },
    to: { name: '', address: to },
    headers: listHeaders(unsubscribeUrl(ctx, nobody(ctx))),
    ...(dkim && { dkim }),
  }
}

function mustBeComplete(email: Email | null): asserts email is Email {
  if (!email) throw refuse('NOT_FOUND', 'There is no such e-mail.')
  const missing = missingIn(email)
  if (missing) throw invalid(missing)
}

async function mustBeWritable(ctx: Ctx, email: string): Promise<void> {
  const [row] = await ctx.sql<{ isOut: boolean }>`
    SELECT ${isSuppressed(sql`a.id`, sql`${email}`)} AS "isOut" FROM account a WHERE a.id = ${ctx.sql.account}`
  if (row?.isOut) throw invalid({ email: ['is suppressed: nothing is sent to it'] })
}

async function rendered(ctx: Ctx, emailId: number, person: Person): Promise<Preview | null> {
  const [email, content] = await Promise.all([ctx.load(byId, emailId), ctx.load(contentOf, emailId)])
  if (!email) return null
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  const ofPerson = valuesOf(person, ctx.clock.now(), zone)
  const values = withLinks(ctx, nobody(ctx), ofPerson)
  const subject = renderLine(lineTemplate(email.subject), values)
  try {
    const body = await usable(ctx, { html: content?.html ?? '', text: content?.text })
    return { subject, html: renderHtml(body.html, { values }), text: renderText(body.text, values) }
  } catch (error) {
    if (error instanceof TaskError || error instanceof TooLong) throw invalid({ html: [error.message] })
    throw error
  }
}

/** A body that was stored before there were limits may break them. */
async function usable(ctx: Ctx, source: { html: string; text: string | null | undefined }): Promise<Body> {
  const body = await takeApart(ctx, source)
  if ('fault' in body) throw invalid({ [body.field]: [body.fault] })
  return body
}

async function personOf(ctx: Ctx, contactId: number): Promise<Person | null> {
  const [contact, values] = await Promise.all([
    ctx.load(contactList.byId, contactId),
    ctx.load(contactFields.ofContact, contactId),
  ])
  return contact && { ...contact, fields: Object.fromEntries(values.map(({ label, value }) => [label, value])) }
}

/** Whose links lead to pages which say that they are those of a test. */
function nobody({ accountId }: Ctx): Mark {
  return { accountId, recipientId: 0n }
}
