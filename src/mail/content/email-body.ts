import { htmlFault } from '../../kernel/html-limits.ts'
import { mergeParts } from '../../kernel/merge-fields.ts'
import { type HtmlTemplate, htmlTemplate } from './html-template.ts'
import { type TextTemplate, textOf, textTemplate } from './text-template.ts'

/** What the HTML of an e-mail may hold. Newsletters of 500 kB have some 10,000 elements, 30 of them inside each other. */
export const bodyLimits = {
  /** Characters of each form: what a request can carry. */
  characters: 1_000_000,
  elements: 50_000,
  depth: 200,
  attributes: 250,
  /** Each is filled for each recipient. */
  mergeFields: 20_000,
  /** Counted links, repeated ones each time. */
  links: 20_000,
  /** Addresses of counted links: each is signed for each recipient. */
  addresses: 5_000,
} as const

/** The two forms of a body. A text that is empty or absent is built from the HTML. */
export interface BodySource {
  readonly html: string
  readonly text?: string | null | undefined
}

/** A body, taken apart so that each message is only put together. */
export interface Body {
  readonly html: HtmlTemplate
  readonly text: TextTemplate
}

/** Why a body cannot be used: the form that breaks a limit, and the limit. */
export interface BodyFault {
  readonly field: 'html' | 'text'
  readonly fault: string
}

/**
 * Takes a body apart, or returns which limit it breaks. Limits come first, cheapest first: what follows is linear in a
 * body that keeps them.
 */
export function bodyOf({ html, text }: BodySource): Body | BodyFault {
  const { characters, mergeFields, links, addresses } = bodyLimits
  const tooLong = `must have ${characters} characters at most`
  if (html.length > characters) return { field: 'html', fault: tooLong }
  if ((text ?? '').length > characters) return { field: 'text', fault: tooLong }
  const tooMany = `must not have so many merge fields, at most ${mergeFields}`
  if (fieldsIn(html) > mergeFields) return { field: 'html', fault: tooMany }
  if (fieldsIn(text ?? '') > mergeFields) return { field: 'text', fault: tooMany }
  const fault = htmlFault(html, bodyLimits)
  if (fault !== undefined) return { field: 'html', fault }
  const template = htmlTemplate(html)
  if (template.links > links) return { field: 'html', fault: `must not have so many links, at most ${links}` }
  if (template.urls.length > addresses)
    return { field: 'html', fault: `must not have links to so many addresses, at most ${addresses}` }
  const plain = text || textOf(html)
  // Rules across, for one, take more room in text than in HTML.
  if (plain.length > characters)
    return { field: 'html', fault: `must not give a plain text of more than ${characters} characters` }
  return { html: template, text: textTemplate(plain) }
}

function fieldsIn(text: string): number {
  return mergeParts(text).reduce((count, part) => (typeof part === 'string' ? count : count + 1), 0)
}
