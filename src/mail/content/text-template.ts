import { convert } from 'html-to-text'
import { fill, type MergeParts, mergeParts, type Values } from '../../kernel/merge-fields.ts'
import { fillUrl, mentionsUnsubscribing } from './html-template.ts'

/** A plain-text body or a subject, taken apart; in an address, values are written as addresses take them. */
export type TextTemplate = readonly { readonly parts: MergeParts; readonly isUrl: boolean }[]

const footer = '\n\n-- \nUnsubscribe: {{UNSUBSCRIBE_URL}}\n'

/** A plain-text body; without a way to unsubscribe it gets one at its end. */
export function textTemplate(text: string): TextTemplate {
  return template(mentionsUnsubscribing(text) ? text : `${text.trimEnd()}${footer}`)
}

/** The plain text that an HTML body says: links behind their words, pictures by their descriptions. */
export function textOf(html: string): string {
  return convert(html, {
    wordwrap: false,
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: 'img', format: 'inline' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  })
}

/** A header: one line, whatever is put into it. */
export function lineTemplate(line: string): TextTemplate {
  return [{ parts: mergeParts(line), isUrl: false }]
}

/** One reader's text. */
export function renderText(all: TextTemplate, values: Values): string {
  return all.map(({ parts, isUrl }) => (isUrl ? fillUrl(parts, values) : fill(parts, values))).join('')
}

/** One reader's header; a line break in a value would begin another one. */
export function renderLine(all: TextTemplate, values: Values): string {
  return renderText(all, values)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

function template(text: string): TextTemplate {
  const pieces: { parts: MergeParts; isUrl: boolean }[] = []
  let plain = ''
  const endPlain = () => {
    if (plain !== '') pieces.push({ parts: mergeParts(plain), isUrl: false })
    plain = ''
  }
  // Split by a group, every second piece is an address. One without a merge field is text like any other.
  for (const [place, piece] of text.split(/(https?:\/\/(?:\{\{[^{}]*\}\}|[^\s<>"\]{}])+)/).entries()) {
    const parts = place % 2 === 1 ? mergeParts(piece) : []
    if (parts.some((part) => typeof part !== 'string')) {
      endPlain()
      pieces.push({ parts, isUrl: true })
    } else plain += piece
  }
  endPlain()
  return pieces
}
