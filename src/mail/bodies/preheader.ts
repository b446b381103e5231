import { escapeHtml } from '../../kernel/web/html.ts'
import { outlineOf } from './html-outline.ts'

/** The most characters of a preheader. Inboxes show 40 to 140 of them. */
export const maxPreheader = 255

/** Characters that show nothing and keep the beginning of the body out of the line of an inbox. */
const filler = '&#847;&zwnj;&nbsp;'.repeat(100)

/** Adds a preheader to HTML: text at its beginning that inboxes show after the subject, and readers do not see. */
export function withPreheader(html: string, preheader: string): string {
  const { bodyStart } = outlineOf(html)
  const style =
    'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all'
  const text = `<div style="${style}" aria-hidden="true">${escapeHtml(preheader)}${filler}</div>`
  return `${html.slice(0, bodyStart)}${text}${html.slice(bodyStart)}`
}
