import { createHash } from 'node:crypto'
import { ownAccount } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import type { Language } from '../../kernel/texts/texts.ts'
import { html } from '../../kernel/web/html.ts'
import * as dkimKeys from '../domains/dkim-keys.ts'
import * as senderDomains from '../domains/sender-domains.ts'
import { languageHeader } from '../messages/message-links.ts'
import { domainOf } from '../messages/messages.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'

/** A message of the server itself, with one link: a request to confirm an address, an invitation, a link to sign in. */
export interface Notice {
  readonly to: string
  /** Language of its texts. Default: `en`. */
  readonly language?: Language
  readonly subject: string
  readonly introduction: string
  readonly link: string
  /** Label of the link. */
  readonly action: string
  /** Text after the link. */
  readonly footer: string
  /** Kind of the message and its parts. The same for each attempt, so that a mailbox recognises a duplicate. */
  readonly id: readonly [kind: string, ...parts: (string | number)[]]
}

/** Returns the name of an account as one line, for messages. */
export async function ownNameLine(ctx: Ctx): Promise<string> {
  return (await ownAccount(ctx)).name.replace(/\s+/g, ' ')
}

/**
 * Builds a notice from the default sender of the account. Throws if the domain of the sender must be verified and is not, so that
 * the job that sends the notice runs again.
 */
export async function buildNotice(ctx: Ctx, notice: Notice): Promise<OutgoingMessage> {
  const account = await ownAccount(ctx)
  const address = account.senderEmail || account.email
  const domain = domainOf(address)
  if ((await senderDomains.listUnverified(ctx, [domain])).has(domain))
    throw new Error(senderDomains.unverifiedReason(domain))
  const dkim = (await dkimKeys.loadSigners(ctx, [domain])).get(domain)
  const { introduction, link, footer, subject } = notice
  return {
    messageId: newMessageId(ctx, notice.id, domain),
    from: { name: account.senderName || (await ownNameLine(ctx)), address },
    to: { name: '', address: notice.to },
    subject,
    html: htmlOf(notice),
    text: `${introduction}\n\n${link}\n\n${footer}\n`,
    headers: { ...automatic, ...languageHeader(notice.language ?? '') },
    ...(dkim && { dkim }),
  }
}

/** The header of messages that no person sent (RFC 3834). */
export const automatic: OutgoingMessage['headers'] = { 'Auto-Submitted': { prepared: true, value: 'auto-generated' } }

/** Returns the Message-ID of a notice. */
export function newMessageId(ctx: Ctx, [kind, ...parts]: Notice['id'], domain: string): string {
  const id = createHash('sha256')
    .update([kind, ctx.accountId, ...parts].join(' '))
    .digest('hex')
    .slice(0, 32)
  return `<${kind}.${id}@${domain}>`
}

function htmlOf({ language = 'en', subject, introduction, link, action, footer }: Notice): string {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;background:#f4f5f7;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;color:#1f2430">
<div style="max-width:32rem;margin:0 auto;padding:2.5rem 1.5rem">
<div style="background:#ffffff;border-radius:12px;padding:2rem;font-size:16px;line-height:1.6">
<p style="margin:0 0 1.5rem">${introduction}</p>
<p style="margin:0 0 1.5rem"><a href="${link}" style="display:inline-block;background:#1f2430;color:#ffffff;text-decoration:none;padding:.75rem 1.5rem;border-radius:8px">${action}</a></p>
<p style="margin:0;color:#5c6370;font-size:14px">${footer}</p>
</div></div></body></html>
`.text
}
