import { setImmediate as nextTurn } from 'node:timers/promises'
import { ownAccount } from '../../account/index.ts'
import { mergeValuesOf, type Person, personById } from '../../contacts/index.ts'
import type { Values } from '../../contacts/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { asciiDomain } from '../../kernel/values/address-key.ts'
import { TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { defaultZone } from '../../kernel/values/period.ts'
import { renderHtml } from '../bodies/html-template.ts'
import { renderMessageText } from '../bodies/message-text.ts'
import { loadSigners } from '../domains/dkim-keys.ts'
import { listUnverified, unverifiedReason } from '../domains/sender-domains.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import type { StopReason } from '../ports.ts'
import { outcomeFor, outcomesOf, packOutcome, type Shows, unpackOutcome } from './conditions.ts'
import { type EmailRow, type EmailTemplate, findEmails, loadTemplates, type RenderFailure } from './email-templates.ts'
import { contextOf, languageHeader, unsubscribeHeaders } from './message-links.ts'
import { type MessageRef, messageToken } from './message-tokens.ts'
import { textPage } from './text-page.ts'

/** A message to render. */
export interface RenderRequest {
  readonly recipientId: bigint
  readonly contactId: number
  readonly emailId: number
}

/** How long messages are rendered before other work of the process runs. */
const maxBlockingMs = 10

/** Size of the bodies that are in memory at the same time, in bytes. One body may be larger. */
const maxBodyBytes = 2_000_000

/** Observes which e-mails are rendered. */
export interface RenderWatch {
  /** Called before the bodies of e-mails are loaded. Resolves to the IDs of those that must not be rendered now. */
  begin(emails: readonly EmailRow[]): Promise<ReadonlySet<number>>
  /** Called after the messages of these e-mails were rendered, or if no more of them will be. */
  end(): void
}

const unwatched: RenderWatch = { begin: async () => new Set(), end: () => undefined }

/**
 * A rendered message, or why there is none. Cause EMAIL concerns all messages of the e-mail, CONTACT only this one. `isDeleted`
 * is true if the e-mail or the contact was deleted.
 */
export type RenderResult =
  | (OutgoingMessage & { readonly shownConditions: number | null })
  | (RenderFailure & {
      readonly cause: 'EMAIL' | 'CONTACT'
      readonly stopReason?: StopReason
      readonly isDeleted?: boolean
      /** Whether the database took too long. Another attempt may succeed. */
      readonly isSlow?: boolean
    })

/**
 * Renders messages, one when the caller asks for it, so that only one is in memory. Messages of the same e-mail follow each
 * other. The number of statements depends on the number of large bodies only; one evaluates the conditions of blocks. A message
 * is always rendered the same, including its Message-ID, until its e-mail or contact changes. The context must be new, because it
 * caches what it has read.
 */
export async function* renderMessages(
  ctx: Ctx,
  requests: readonly RenderRequest[],
  watch: RenderWatch = unwatched,
): AsyncGenerator<readonly [bigint, RenderResult]> {
  const emails = await findEmails(
    ctx,
    requests.map(({ emailId }) => emailId),
  )
  const present = new Set(emails.map(({ id }) => id))
  for (const { recipientId, emailId } of requests) {
    if (!present.has(emailId))
      yield [recipientId, { error: 'The e-mail was deleted.', cause: 'EMAIL', isDeleted: true }]
  }
  const people = await personById.batch(ctx, [...new Set(requests.map(({ contactId }) => contactId))])
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  const now = ctx.clock.now()
  let startedAt = performance.now()
  for (const some of inPortions(emails)) {
    try {
      const postponed = await watch.begin(some)
      const templates = await loadTemplates(
        ctx,
        some.filter(({ id }) => !postponed.has(id)),
      )
      for (const id of postponed)
        templates.set(id, {
          error: 'The process that rendered the e-mail ended. It is rendered again later.',
          isTemporary: true,
        })
      const senders = await checkSenders(ctx, templates.values())
      const outcomes = await outcomesOf(ctx, conditionsIn(templates), requests)
      for (const { recipientId, contactId, emailId } of requests) {
        const template = templates.get(emailId)
        if (!template) continue
        const ref = { accountId: ctx.accountId, recipientId }
        const holding = outcomes({ emailId, contactId })
        yield [
          recipientId,
          renderFor(ctx, template, ref, { person: people.get(contactId), senders, now, zone, holding }),
        ]
        if (performance.now() - startedAt < maxBlockingMs) continue
        await nextTurn()
        startedAt = performance.now()
      }
    } finally {
      watch.end()
    }
  }
}

function conditionsIn(templates: ReadonlyMap<number, EmailTemplate | RenderFailure>) {
  return new Map(
    [...templates].flatMap(([id, template]) =>
      'error' in template || !template.conditions ? [] : [[id, template.conditions] as const],
    ),
  )
}

/** Divides e-mails so that the bodies of each portion are small enough to be in memory. */
function inPortions(emails: readonly EmailRow[]): EmailRow[][] {
  const portions: EmailRow[][] = []
  let bytes = 0
  for (const email of emails) {
    bytes += email.bytes
    const last = portions.at(-1)
    if (last && bytes <= maxBodyBytes) last.push(email)
    else {
      portions.push([email])
      bytes = email.bytes
    }
  }
  return portions
}

/** The domains of senders: those that are not verified, and the keys of the others. */
interface Senders {
  readonly unverified: Awaited<ReturnType<typeof listUnverified>>
  readonly signers: Awaited<ReturnType<typeof loadSigners>>
}

async function checkSenders(ctx: Ctx, templates: Iterable<EmailTemplate | RenderFailure>): Promise<Senders> {
  const domains = senderDomainsOf(templates)
  return { unverified: await listUnverified(ctx, domains), signers: await loadSigners(ctx, domains) }
}

/** What a message depends on besides its e-mail. */
interface MessageFacts {
  readonly person: Person | undefined
  readonly senders: Senders
  readonly now: Date
  readonly zone: string
  readonly holding: ReturnType<Awaited<ReturnType<typeof outcomesOf>>>
}

function renderFor(
  ctx: Ctx,
  template: EmailTemplate | RenderFailure,
  ref: MessageRef,
  { person, senders, now, zone, holding }: MessageFacts,
): RenderResult {
  if ('error' in template) return { ...template, cause: 'EMAIL' }
  const domain = domainOf(template.fromEmail)
  const { unverified, signers } = senders
  if (unverified.has(domain)) return { error: unverifiedReason(domain), cause: 'EMAIL', stopReason: 'SENDER_REJECTED' }
  if (!person) return { error: 'The contact was deleted.', cause: 'CONTACT', isDeleted: true }
  if ('error' in holding) return { ...holding, cause: 'EMAIL' }
  const to = { name: oneLine(`${person.firstName} ${person.lastName}`), address: person.email }
  const dkim = signers.get(domain)
  const addressing = { to, ...envelopeOf(ctx, ref, to.address), ...(dkim && { dkim }) }
  const { conditions } = template
  const shows = conditions && ((condition: number) => holding.includes(condition))
  const result = renderMessage(
    ctx,
    template,
    { values: mergeValuesOf(person, now, { zone, language: template.language }), shows },
    ref,
    addressing,
  )
  return 'error' in result
    ? result
    : { ...result, shownConditions: conditions ? packOutcome(conditions, holding) : null }
}

/** Returns where answers to a message go, if that is not the sender. */
export function replyTo(address: string): Pick<OutgoingMessage, 'replyTo'> {
  return address === '' ? {} : { replyTo: { name: '', address } }
}

/** Returns the distinct sender domains of templates. */
function senderDomainsOf(templates: Iterable<EmailTemplate | RenderFailure>): string[] {
  const domains = [...templates].flatMap((each) => ('error' in each ? [] : domainOf(each.fromEmail)))
  return [...new Set(domains)]
}

/** Returns the domain of an address in the form of the DNS: ASCII, lower case. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return asciiDomain(domain) ?? domain.toLowerCase()
}

/**
 * Renders only the HTML of a message, or its text as a page if it has none, from the current e-mail and contact. A block with a
 * condition is shown if it was when the message was sent, unless its e-mail has other conditions now. Undefined if the e-mail or
 * the contact was deleted, or if the message cannot be rendered.
 */
export async function renderMessagePage(ctx: Ctx, recipientId: bigint): Promise<string | undefined> {
  const [row] = await ctx.sql<{ contactId: number; emailId: number | null; shownConditions: number | null }>`
    SELECT contact_id AS "contactId", email_id AS "emailId", shown_conditions AS "shownConditions" FROM mail_recipient
    WHERE account_id = ${ctx.sql.account} AND id = ${String(recipientId)}::bigint`
  if (!row || row.emailId === null) return undefined
  const person = await ctx.load(personById, row.contactId)
  const template = (await loadTemplates(ctx, await findEmails(ctx, [row.emailId]))).get(row.emailId)
  if (!person || !template || 'error' in template) return undefined
  const domain = domainOf(template.fromEmail)
  if ((await listUnverified(ctx, [domain])).has(domain)) return undefined
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  const contactValues = mergeValuesOf(person, ctx.clock.now(), { zone, language: template.language })
  const { conditions } = template
  const { contactId, shownConditions } = row
  const stored = conditions && shownConditions !== null ? unpackOutcome(conditions, shownConditions) : undefined
  try {
    const shows = stored ?? (conditions && (await outcomeFor(ctx, conditions.filters, contactId)))
    const context = contextOf(ctx, template, contactValues, { accountId: ctx.accountId, recipientId })
    if (template.html.parts.length > 0) return renderHtml(template.html, { ...context, shows })
    const { subject, text } = renderMessageText(template, context)
    return textPage(subject, text)
  } catch (error) {
    if (error instanceof TextTooLongError || error instanceof Refusal) return undefined
    throw error
  }
}

/** The values of a contact, and the conditions that hold for it. */
interface ContactFacts {
  readonly values: Values
  readonly shows: Shows | undefined
}

function renderMessage(
  ctx: Ctx,
  template: EmailTemplate,
  contact: ContactFacts,
  ref: MessageRef,
  addressing: Pick<OutgoingMessage, 'to' | 'envelope' | 'dkim'>,
): OutgoingMessage | Exclude<RenderResult, OutgoingMessage> {
  try {
    return { ...fillTemplate(ctx, template, contact, ref), ...addressing }
  } catch (error) {
    // One message that cannot be rendered must not delay the others, and must not be tried again without end.
    if (!(error instanceof TextTooLongError)) ctx.log.error({ err: error, ...ref }, 'a message could not be rendered')
    return { error: (error as Error).message, cause: 'CONTACT' }
  }
}

function fillTemplate(
  ctx: Ctx,
  template: EmailTemplate,
  { values, shows }: ContactFacts,
  ref: MessageRef,
): Omit<OutgoingMessage, 'to'> {
  const context = { ...contextOf(ctx, template, values, ref), shows }
  const token = messageToken(ctx.signer.secret, ref)
  return {
    messageId: `<${token}@${domainOf(template.fromEmail)}>`,
    from: { name: template.fromName, address: template.fromEmail },
    ...replyTo(template.replyTo),
    ...renderMessageText(template, context),
    headers: {
      ...unsubscribeHeaders(context.values('UNSUBSCRIBE_URL')),
      ...languageHeader(template.language),
      // Providers that replace the Message-ID return one of these with a bounce.
      'X-Campanile-Message': { prepared: true, value: token },
      'X-PM-Metadata-message': { prepared: true, value: token },
    },
  }
}

/** Returns an envelope with a return address for this message only, which identifies it in bounce reports. */
function envelopeOf(ctx: Ctx, ref: MessageRef, to: string): Pick<OutgoingMessage, 'envelope'> {
  const { returnPath } = ctx.services.mail
  if (returnPath === undefined) return {}
  const [local, domain] = returnPath.split('@')
  return { envelope: { from: `${local}+${messageToken(ctx.signer.secret, ref)}@${domain}`, to } }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
