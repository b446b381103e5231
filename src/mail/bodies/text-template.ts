import { type MergeParts, mergeParts, textOf } from '../../contacts/rendering.ts'
import type { BoundedText } from '../../kernel/values/bounded-text.ts'
import { type ConditionalPiece, commonText } from './conditional-parts.ts'
import type { MessageValues, RenderContext } from './html-template.ts'
import { linkFaultOfText } from './required-link.ts'

/** A parsed plain-text body or header. Values in URLs are percent-encoded. A piece is shown if all of its conditions hold. */
export type TextTemplate = readonly TextPiece[]
interface TextPiece {
  readonly parts: MergeParts
  readonly isUrl: boolean
  readonly conditions?: readonly number[]
}

/**
 * Parses a plain-text body. An unsubscribe link is appended to a body without one that all recipients can use, except to that
 * of a confirmation.
 */
export function parseTextTemplate(
  pieces: readonly ConditionalPiece[],
  { isConfirmation, unsubscribe }: { readonly isConfirmation: boolean; readonly unsubscribe: string },
): TextTemplate {
  const hasLink = isConfirmation || linkFaultOfText(commonText(pieces), 'UNSUBSCRIBE_URL') === undefined
  const isWhole = pieces.length === 1
  const parsed = pieces.flatMap(({ piece, conditions }) =>
    parseTemplate(hasLink || !isWhole ? piece : piece.trimEnd()).map((part) =>
      conditions.length === 0 ? part : { ...part, conditions },
    ),
  )
  return hasLink ? parsed : [...parsed, ...parseTemplate(`\n\n-- \n${unsubscribe}: {{UNSUBSCRIBE_URL}}\n`)]
}

/** Parses the value of a header. */
export function parseHeaderTemplate(line: string): TextTemplate {
  return [{ parts: mergeParts(line), isUrl: false }]
}

/** Appends the text of one message to a text. **Throws** TextTooLongError. */
export function appendText(
  all: TextTemplate,
  { values, shows }: Pick<RenderContext, 'values' | 'shows'>,
  text: BoundedText,
): void {
  for (const { parts, isUrl, conditions } of all) {
    if (shows && conditions && !conditions.every(shows)) continue
    const fillIn = values[isUrl ? 'plain url' : 'plain']
    for (const part of parts) text.add(typeof part === 'string' ? part : textOf(part, fillIn))
  }
}

/**
 * Renders a header. Control characters become spaces, because a line break would begin another header. **Throws**
 * TextTooLongError.
 */
export function renderHeader(all: TextTemplate, values: MessageValues, line: BoundedText): string {
  appendText(all, { values }, line)
  return line
    .end()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

function parseTemplate(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
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
