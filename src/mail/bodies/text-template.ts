import { type MergeParts, mergeParts } from '../../contacts/rendering.ts'
import type { BoundedText } from '../../kernel/values/bounded-text.ts'
import type { MessageValues } from './html-template.ts'
import { unsubscribeFaultOfText } from './unsubscribe-link.ts'

/** A parsed plain-text body or header. Values in URLs are percent-encoded. */
export type TextTemplate = readonly { readonly parts: MergeParts; readonly isUrl: boolean }[]

const footer = '\n\n-- \nUnsubscribe: {{UNSUBSCRIBE_URL}}\n'

/** Parses a plain-text body. An unsubscribe link is appended to a body without one that recipients can use. */
export function parseTextTemplate(text: string): TextTemplate {
  return parseTemplate(unsubscribeFaultOfText(text) === undefined ? text : `${text.trimEnd()}${footer}`)
}

/** Parses the value of a header. */
export function parseHeaderTemplate(line: string): TextTemplate {
  return [{ parts: mergeParts(line), isUrl: false }]
}

/** Appends the text of one message to a text. **Throws** TextTooLongError. */
export function appendText(all: TextTemplate, values: MessageValues, text: BoundedText): void {
  for (const { parts, isUrl } of all) {
    const fillIn = values[isUrl ? 'plain url' : 'plain']
    for (const part of parts) text.add(typeof part === 'string' ? part : fillIn(part.name) || part.fallback)
  }
}

/**
 * Renders a header. Control characters become spaces, because a line break would begin another header. **Throws**
 * TextTooLongError.
 */
export function renderHeader(all: TextTemplate, values: MessageValues, line: BoundedText): string {
  appendText(all, values, line)
  return line
    .end()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

function parseTemplate(text: string): TextTemplate {
  const pieces: { parts: MergeParts; isUrl: boolean }[] = []
  let plain = ''
  const endPlain = () => {
    if (plain !== '') pieces.push({ parts: mergeParts(plain), isUrl: false })
    plain = ''
  }
  // Every second piece is a URL, because the pattern is a group. A URL without a merge field is plain text.
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
