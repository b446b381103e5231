import type { Values } from '../../contacts/rendering.ts'
import { boundedText } from '../../kernel/values/bounded-text.ts'
import type { EmailBody } from './email-body.ts'
import { appendHtml, messageLimits, messageValues, newMessageBody, type RenderContext } from './html-template.ts'
import { appendText, renderHeader, type TextTemplate } from './text-template.ts'

/** The values and URLs of one message. Without `addresses` links are not tracked. */
export interface MessageContext extends Pick<RenderContext, 'addresses' | 'shows'> {
  readonly values: Values
}

/** What differs between the messages of an e-mail. */
interface MessageText {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/**
 * Renders subject, HTML and text of one message. Values are encoded once for all of them. **Throws** TextTooLongError if the
 * message would be larger than `messageLimits`.
 */
export function renderMessageText(
  { subject, html, text }: EmailBody & { readonly subject: TextTemplate },
  { values: plain, ...options }: MessageContext,
): MessageText {
  const values = messageValues(plain)
  const header = renderHeader(subject, values, boundedText('The subject of the message', messageLimits.subject))
  const body = newMessageBody()
  const context = { values, ...options }
  appendHtml(html, context, body)
  const length = body.length
  appendText(text, context, body)
  const all = body.end()
  return { subject: header, html: all.slice(0, length), text: all.slice(length) }
}
