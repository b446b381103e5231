import { type Values, withValues } from '../../contacts/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import type { MessageContext } from '../bodies/message-text.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import type { EmailTemplate } from './email-templates.ts'
import { clickToken, type MessageRef, openToken, unsubscribeToken, viewToken } from './message-tokens.ts'

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
  return withValues(contactValues, (name) => {
    if (name === 'UNSUBSCRIBE_URL') {
      unsubscribe ??= unsubscribeUrl(ctx, ref)
      return unsubscribe
    }
    if (name === 'VIEW_URL') {
      view ??= publicUrl(ctx, `/t/v/${viewToken(ctx.signer.secret, ref)}`)
      return view
    }
    return undefined
  })
}

/** Returns the link of a confirmation e-mail that confirms nothing, for previews and test messages. */
export function exampleConfirmUrl(ctx: Pick<Ctx, 'baseUrl'>): string {
  return publicUrl(ctx, '/c/example')
}

/** Adds the link of a confirmation e-mail to the values of its merge fields. It has no link of another message. */
export function withConfirmUrl(url: string, values: Values): Values {
  return withValues(values, (name) => (name === 'CONFIRM_URL' ? url : undefined))
}

/** Returns the headers of one-click unsubscription in e-mail clients (RFC 8058). */
export function unsubscribeHeaders(url: string): OutgoingMessage['headers'] {
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
  }
}

/** Returns the header with the language of a message (RFC 3282), if it is declared. */
export function languageHeader(language: string): OutgoingMessage['headers'] {
  return language === '' ? {} : { 'Content-Language': { prepared: true, value: language } }
}

/** Returns the values and tracked URLs of a message. */
export function contextOf(
  ctx: Ctx,
  { linkIds }: EmailTemplate,
  contactValues: Values,
  ref: MessageRef,
): Required<Pick<MessageContext, 'values' | 'addresses'>> {
  const links: string[] = []
  const link = (index: number) => {
    links[index] ??= linkUrl(ctx, ref, linkIds[index] as number)
    return links[index]
  }
  return { values: withMessageLinks(ctx, ref, contactValues), addresses: { link, pixel: pixelUrl(ctx, ref) } }
}
