import { setImmediate as nextTurn } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import { ownAccount } from '../../account/index.ts'
import { contactFields, contactList } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Person, type Values, valuesOf } from '../../kernel/merge-fields.ts'
import type { OutgoingMessage } from '../../kernel/outgoing-message.ts'
import { defaultZone } from '../../kernel/period.ts'
import { signersOf } from '../domains/dkim-keys.ts'
import { unverified, unverifiedReason } from '../domains/sender-domains.ts'
import type { StopReason } from '../ports.ts'
import { clickToken, type Mark, messageToken, openToken, unsubscribeToken, viewToken } from '../tracking/tokens.ts'
import { renderHtml, TooLong } from './html-template.ts'
import { type Template, templatesOf, type Unfit } from './templates.ts'
import { renderLine, renderText } from './text-template.ts'

/** A message that is to be made. */
export interface Draft {
  readonly recipientId: bigint
  readonly contactId: number
  readonly emailId: number
}

/** How long letters are put together before others have a turn, in milliseconds. */
const turnMilliseconds = 10

/** What becomes of it: a letter, or why there is none. An e-mail's fault is that of all its messages, a contact's only its own. */
export type Made = OutgoingMessage | (Unfit & { readonly of: 'EMAIL' | 'CONTACT'; readonly stopReason?: StopReason })

/**
 * Makes the messages of a batch, with a fixed number of statements. The same message comes out the same, Message-ID and
 * all, while e-mail and contact stay as they are. The context must be new: what it has read before is not read again.
 */
export async function lettersFor(ctx: Ctx, drafts: readonly Draft[]): Promise<Map<bigint, Made>> {
  const contactIds = [...new Set(drafts.map(({ contactId }) => contactId))]
  const templates = await templatesOf(
    ctx,
    drafts.map(({ emailId }) => emailId),
  )
  const people = await peopleOf(ctx, contactIds)
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  const senders = sendersOf(templates.values())
  const refused = await unverified(ctx, senders)
  const signers = await signersOf(ctx, senders)
  const now = ctx.clock.now()
  const all = new Map<bigint, Made>()
  let began = performance.now()
  for (const { recipientId, contactId, emailId } of drafts) {
    const template = templates.get(emailId) ?? { error: 'The e-mail is gone.' }
    const person = people.get(contactId)
    const domain = 'error' in template ? '' : domainOf(template.fromEmail)
    if ('error' in template) all.set(recipientId, { ...template, of: 'EMAIL' })
    else if (refused.has(domain)) {
      all.set(recipientId, { error: unverifiedReason(domain), of: 'EMAIL', stopReason: 'SENDER_REJECTED' })
    } else if (!person) all.set(recipientId, { error: 'The contact is gone.', of: 'CONTACT' })
    else {
      const mark = { accountId: ctx.accountId, recipientId }
      const to = { name: oneLine(`${person.firstName} ${person.lastName}`), address: person.email }
      const dkim = signers.get(domain)
      const more = { to, ...envelopeOf(ctx, mark, to.address), ...(dkim && { dkim }) }
      all.set(recipientId, letterOf(ctx, template, valuesOf(person, now, zone), mark, more))
    }
    if (performance.now() - began < turnMilliseconds) continue
    await nextTurn()
    began = performance.now()
  }
  return all
}

/** People as merge fields speak of them, with their custom fields, by contact. Two statements. */
export async function peopleOf(ctx: Ctx, contactIds: readonly number[]): Promise<Map<number, Person>> {
  if (contactIds.length === 0) return new Map()
  const contacts = await contactList.byId.batch(ctx, contactIds)
  const values = await contactFields.ofContact.batch(ctx, contactIds)
  return new Map(
    [...contacts.values()].map((contact) => {
      const fields = Object.fromEntries((values.get(contact.id) ?? []).map(({ label, value }) => [label, value]))
      return [contact.id, { ...contact, fields }]
    }),
  )
}

/** The domains that messages come from, each once. */
export function sendersOf(templates: Iterable<Template | Unfit>): string[] {
  const domains = [...templates].flatMap((each) => ('error' in each ? [] : domainOf(each.fromEmail)))
  return [...new Set(domains)]
}

/** The part of an address behind the @, as the DNS knows it: in ASCII, in small letters. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  return domainToASCII(domain) || domain
}

/** The address behind a link of ours. */
export function addressOf(ctx: Pick<Ctx, 'baseUrl'>, path: string): string {
  return `${ctx.baseUrl?.() ?? ''}${path}`
}

/** Where a message leads out of all others. */
export function unsubscribeUrl(ctx: Ctx, mark: Mark): string {
  return addressOf(ctx, `/u/${unsubscribeToken(secretOf(ctx), mark)}`)
}

/** What merge fields stand for in a message: what is known of its reader, and the links that are its own. */
export function withLinks(ctx: Ctx, mark: Mark, ofPerson: Values): Values {
  // Signed once, however often they are in the message.
  let unsubscribe: string | undefined
  let view: string | undefined
  return (name) => {
    if (name === 'UNSUBSCRIBE_URL') {
      unsubscribe ??= unsubscribeUrl(ctx, mark)
      return unsubscribe
    }
    if (name === 'VIEW_URL') {
      view ??= addressOf(ctx, `/t/v/${viewToken(secretOf(ctx), mark)}`)
      return view
    }
    return ofPerson(name)
  }
}

/** What lets a mail program unsubscribe its reader with one press of its own button (RFC 8058). */
export function listHeaders(address: string): OutgoingMessage['headers'] {
  return {
    'List-Unsubscribe': { prepared: true, value: `<${address}>` },
    'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
  }
}

/** What signs links; only a server has it. */
export function secretOf({ secret }: Pick<Ctx, 'secret'>): string {
  if (secret === undefined) throw new Error('Links are signed with the secret of a server.')
  return secret
}

/** A message as its reader got it, while e-mail and contact are as they were; undefined where one of them is gone. */
export async function pageOf(ctx: Ctx, recipientId: bigint): Promise<string | undefined> {
  const [row] = await ctx.sql<{ contactId: number; emailId: number | null }>`
    SELECT contact_id AS "contactId", email_id AS "emailId" FROM mail_recipient
    WHERE account_id = ${ctx.sql.account} AND id = ${String(recipientId)}::bigint`
  if (!row || row.emailId === null) return undefined
  const { contactId, emailId } = row
  const made = (await lettersFor(ctx, [{ recipientId, contactId, emailId }])).get(recipientId)
  return made && 'html' in made ? made.html : undefined
}

function letterOf(
  ctx: Ctx,
  template: Template,
  ofPerson: Values,
  mark: Mark,
  more: Pick<OutgoingMessage, 'to' | 'envelope' | 'dkim'>,
): Made {
  try {
    return { ...filled(ctx, template, ofPerson, mark), ...more }
  } catch (error) {
    // One message that cannot be put together must not keep back the others, nor be tried for ever.
    if (!(error instanceof TooLong)) ctx.log.error({ err: error, ...mark }, 'a message could not be put together')
    return { error: (error as Error).message, of: 'CONTACT' }
  }
}

function filled(ctx: Ctx, template: Template, ofPerson: Values, mark: Mark): Omit<OutgoingMessage, 'to'> {
  const secret = secretOf(ctx)
  const values = withLinks(ctx, mark, ofPerson)
  const unsubscribe = values('UNSUBSCRIBE_URL')
  const links: string[] = []
  const addresses = {
    link: (place: number) => {
      const linkId = template.linkIds[place] as number
      links[place] ??= addressOf(ctx, `/t/c/${clickToken(secret, { ...mark, linkId })}`)
      return links[place]
    },
    pixel: addressOf(ctx, `/t/o/${openToken(secret, mark)}`),
  }
  const token = messageToken(secret, mark)
  return {
    messageId: `<${token}@${domainOf(template.fromEmail)}>`,
    from: { name: template.fromName, address: template.fromEmail },
    subject: renderLine(template.subject, values),
    html: renderHtml(template.html, { values, addresses }),
    text: renderText(template.text, values),
    headers: {
      ...listHeaders(unsubscribe),
      // Providers that put a Message-ID of their own in the place of ours give one of these back with a bounce.
      'X-Campanile-Message': { prepared: true, value: token },
      'X-PM-Metadata-message': { prepared: true, value: token },
    },
  }
}

/** Where bounces of one message come back: an address of its own, so that a report needs to say no more than that. */
function envelopeOf(ctx: Ctx, mark: Mark, to: string): Pick<OutgoingMessage, 'envelope'> {
  if (ctx.returnPath === undefined) return {}
  const [local, domain] = ctx.returnPath.split('@')
  return { envelope: { from: `${local}+${messageToken(secretOf(ctx), mark)}@${domain}`, to } }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
