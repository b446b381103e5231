import { setImmediate as nextTurn } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import { ownAccount } from '../../account/index.ts'
import { mergeValuesOf, personById } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import type { Values } from '../../kernel/merge-fields.ts'
import type { OutgoingMessage } from '../../kernel/outgoing-message.ts'
import { defaultZone } from '../../kernel/period.ts'
import { loadSigners } from '../domains/dkim-keys.ts'
import { listUnverified, unverifiedReason } from '../domains/sender-domains.ts'
import type { StopReason } from '../ports.ts'
import {
  clickToken,
  type MessageRef,
  messageToken,
  openToken,
  unsubscribeToken,
  viewToken,
} from '../tracking/tokens.ts'
import { MessageTooLongError, renderHtml } from './html-template.ts'
import { type EmailTemplate, loadTemplates, type RenderFailure } from './templates.ts'
import { renderHeader, renderText } from './text-template.ts'

/** A message to render. */
interface RenderRequest {
  readonly recipientId: bigint
  readonly contactId: number
  readonly emailId: number
}

/** How long messages are rendered before other work of the process runs. */
const maxBlockingMs = 10

/**
 * A rendered message, or why there is none. Cause EMAIL concerns all messages of the e-mail, CONTACT only this one. `isDeleted`
 * is true if the e-mail or the contact was deleted.
 */
export type RenderResult =
  | OutgoingMessage
  | (RenderFailure & {
      readonly cause: 'EMAIL' | 'CONTACT'
      readonly stopReason?: StopReason
      readonly isDeleted?: boolean
    })

/**
 * Renders messages with a fixed number of statements. A message is always rendered the same, including its Message-ID, until
 * its e-mail or contact changes. The context must be new, because it caches what it has read.
 */
export async function renderMessages(ctx: Ctx, requests: readonly RenderRequest[]): Promise<Map<bigint, RenderResult>> {
  const contactIds = [...new Set(requests.map(({ contactId }) => contactId))]
  const templates = await loadTemplates(
    ctx,
    requests.map(({ emailId }) => emailId),
  )
  const people = await personById.batch(ctx, contactIds)
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  const senders = senderDomainsOf(templates.values())
  const unverified = await listUnverified(ctx, senders)
  const signers = await loadSigners(ctx, senders)
  const now = ctx.clock.now()
  const results = new Map<bigint, RenderResult>()
  let startedAt = performance.now()
  for (const { recipientId, contactId, emailId } of requests) {
    const template = templates.get(emailId) ?? { error: 'The e-mail was deleted.', isDeleted: true }
    const person = people.get(contactId)
    const domain = 'error' in template ? '' : domainOf(template.fromEmail)
    if ('error' in template) results.set(recipientId, { ...template, cause: 'EMAIL' })
    else if (unverified.has(domain)) {
      results.set(recipientId, { error: unverifiedReason(domain), cause: 'EMAIL', stopReason: 'SENDER_REJECTED' })
    } else if (!person)
      results.set(recipientId, { error: 'The contact was deleted.', cause: 'CONTACT', isDeleted: true })
    else {
      const ref = { accountId: ctx.accountId, recipientId }
      const to = { name: oneLine(`${person.firstName} ${person.lastName}`), address: person.email }
      const dkim = signers.get(domain)
      const addressing = { to, ...envelopeOf(ctx, ref, to.address), ...(dkim && { dkim }) }
      results.set(recipientId, renderMessage(ctx, template, mergeValuesOf(person, now, zone), ref, addressing))
    }
    if (performance.now() - startedAt < maxBlockingMs) continue
    await nextTurn()
    startedAt = performance.now()
  }
  return results
}

/** Returns the distinct sender domains of templates. */
function senderDomainsOf(templates: Iterable<EmailTemplate | RenderFailure>): string[] {
  const domains = [...templates].flatMap((each) => ('error' in each ? [] : domainOf(each.fromEmail)))
  return [...new Set(domains)]
}

/** Returns the domain of an address in the form of the DNS: ASCII, lower case. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  return domainToASCII(domain) || domain
}

/** Returns the absolute URL of a path of this server. */
function publicUrl(ctx: Pick<Ctx, 'baseUrl'>, path: string): string {
  return `${ctx.baseUrl()}${path}`
}

function linkUrl(ctx: Ctx, ref: MessageRef, linkId: number): string {
  return publicUrl(ctx, `/t/c/${clickToken(ctx.signer.secret, { ...ref, linkId })}`)
}

function pixelUrl(ctx: Ctx, ref: MessageRef): string {
  return publicUrl(ctx, `/t/o/${openToken(ctx.signer.secret, ref)}`)
}

/** Returns the message of an example: recipient 0, whose links lead to pages which say that they belong to a test message. */
export function exampleRef({ accountId }: Ctx): MessageRef {
  return { accountId, recipientId: 0n }
}

/** Returns URLs as long as those of tracked links and of the pixel. */
export function exampleAddresses(ctx: Ctx, ref: MessageRef): { link: string; pixel: string } {
  return { link: linkUrl(ctx, ref, 0), pixel: pixelUrl(ctx, ref) }
}

/** Returns the unsubscribe URL of a message. */
export function unsubscribeUrl(ctx: Ctx, ref: MessageRef): string {
  return publicUrl(ctx, `/u/${unsubscribeToken(ctx.signer.secret, ref)}`)
}

/** Adds the links of a message to the values of its merge fields. */
export function withMessageLinks(ctx: Ctx, ref: MessageRef, contactValues: Values): Values {
  // Signed once, however often the message contains them.
  let unsubscribe: string | undefined
  let view: string | undefined
  return (name) => {
    if (name === 'UNSUBSCRIBE_URL') {
      unsubscribe ??= unsubscribeUrl(ctx, ref)
      return unsubscribe
    }
    if (name === 'VIEW_URL') {
      view ??= publicUrl(ctx, `/t/v/${viewToken(ctx.signer.secret, ref)}`)
      return view
    }
    return contactValues(name)
  }
}

/** Returns the headers of one-click unsubscription in e-mail clients (RFC 8058). */
export function unsubscribeHeaders(url: string): OutgoingMessage['headers'] {
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
  }
}

/** Renders the HTML of a message from the current e-mail and contact. Undefined if one of them was deleted. */
export async function renderMessagePage(ctx: Ctx, recipientId: bigint): Promise<string | undefined> {
  const [row] = await ctx.sql<{ contactId: number; emailId: number | null }>`
    SELECT contact_id AS "contactId", email_id AS "emailId" FROM mail_recipient
    WHERE account_id = ${ctx.sql.account} AND id = ${String(recipientId)}::bigint`
  if (!row || row.emailId === null) return undefined
  const { contactId, emailId } = row
  const result = (await renderMessages(ctx, [{ recipientId, contactId, emailId }])).get(recipientId)
  return result && 'html' in result ? result.html : undefined
}

function renderMessage(
  ctx: Ctx,
  template: EmailTemplate,
  contactValues: Values,
  ref: MessageRef,
  addressing: Pick<OutgoingMessage, 'to' | 'envelope' | 'dkim'>,
): RenderResult {
  try {
    return { ...fillTemplate(ctx, template, contactValues, ref), ...addressing }
  } catch (error) {
    // One message that cannot be rendered must not delay the others, and must not be tried again without end.
    if (!(error instanceof MessageTooLongError))
      ctx.log.error({ err: error, ...ref }, 'a message could not be rendered')
    return { error: (error as Error).message, cause: 'CONTACT' }
  }
}

function fillTemplate(
  ctx: Ctx,
  template: EmailTemplate,
  contactValues: Values,
  ref: MessageRef,
): Omit<OutgoingMessage, 'to'> {
  const secret = ctx.signer.secret
  const values = withMessageLinks(ctx, ref, contactValues)
  const unsubscribe = values('UNSUBSCRIBE_URL')
  const links: string[] = []
  const addresses = {
    link: (index: number) => {
      const linkId = template.linkIds[index] as number
      links[index] ??= linkUrl(ctx, ref, linkId)
      return links[index]
    },
    pixel: pixelUrl(ctx, ref),
  }
  const token = messageToken(secret, ref)
  return {
    messageId: `<${token}@${domainOf(template.fromEmail)}>`,
    from: { name: template.fromName, address: template.fromEmail },
    subject: renderHeader(template.subject, values),
    html: renderHtml(template.html, { values, addresses }),
    text: renderText(template.text, values),
    headers: {
      ...unsubscribeHeaders(unsubscribe),
      // Providers that replace the Message-ID return one of these with a bounce.
      'X-Campanile-Message': { prepared: true, value: token },
      'X-PM-Metadata-message': { prepared: true, value: token },
    },
  }
}

/** Returns an envelope with a return address for this message only, which identifies it in bounce reports. */
function envelopeOf(ctx: Ctx, ref: MessageRef, to: string): Pick<OutgoingMessage, 'envelope'> {
  if (ctx.returnPath === undefined) return {}
  const [local, domain] = ctx.returnPath.split('@')
  return { envelope: { from: `${local}+${messageToken(ctx.signer.secret, ref)}@${domain}`, to } }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
