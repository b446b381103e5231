import { mergeParts } from '../../contacts/rendering.ts'
import { htmlFault } from '../../kernel/web/html-limits.ts'
import { type HtmlTemplate, messageLimits, parseHtmlTemplate } from './html-template.ts'
import { htmlToText } from './plain-text.ts'
import { parseTextTemplate, type TextTemplate } from './text-template.ts'

/** Limits of an e-mail body. For comparison: a newsletter of 500 kB has some 10,000 elements, nested 30 deep. */
export const bodyLimits = {
  /** Maximum number of characters of the HTML and of the text: the size of a request. */
  characters: 1_000_000,
  elements: 50_000,
  depth: 200,
  attributes: 250,
  /** Each one is filled in for each recipient. */
  mergeFields: 20_000,
  /** Tracked links, including repeated ones. */
  links: 20_000,
  /** Distinct URLs of tracked links: each is signed for each recipient. */
  addresses: 5_000,
} as const

/** Source of a body. A text that is empty or absent is generated from the HTML. */
export interface BodySource {
  readonly html: string
  readonly text?: string | null | undefined
}

/** A parsed body, from which messages are rendered. */
export interface EmailBody {
  readonly html: HtmlTemplate
  readonly text: TextTemplate
}

/** Why a body cannot be used: the field that exceeds a limit, and the limit. */
export interface BodyProblem {
  readonly field: 'html' | 'text'
  readonly problem: string
}

/**
 * Parses a body, or returns the limit that it exceeds. Limits are checked first and the cheapest first, because the time of
 * parsing is linear only within them.
 */
export function parseEmailBody({ html, text }: BodySource): EmailBody | BodyProblem {
  const { characters, mergeFields, links, addresses } = bodyLimits
  const tooLong = `must have at most ${characters} characters`
  if (html.length > characters) return { field: 'html', problem: tooLong }
  if ((text ?? '').length > characters) return { field: 'text', problem: tooLong }
  const tooMany = `must have at most ${mergeFields} merge fields`
  if (fieldsIn(html) > mergeFields) return { field: 'html', problem: tooMany }
  if (fieldsIn(text ?? '') > mergeFields) return { field: 'text', problem: tooMany }
  const problem = htmlFault(html, bodyLimits)
  if (problem !== undefined) return { field: 'html', problem }
  const template = parseHtmlTemplate(html)
  if (template.links > links) return { field: 'html', problem: `must have at most ${links} links` }
  if (template.urls.length > addresses)
    return { field: 'html', problem: `must have links to at most ${addresses} different URLs` }
  const plain = text || htmlToText(html)
  // The text can be longer than the HTML: horizontal rules, for example, become lines of dashes.
  if (plain.length > characters)
    return { field: 'html', problem: `must have a plain-text version of at most ${characters} characters` }
  // Characters outside ASCII have several bytes.
  const bytes = Buffer.byteLength(html) + Buffer.byteLength(plain)
  if (bytes > messageLimits.body) {
    return {
      field: 'html',
      problem: `must have at most ${messageLimits.body} bytes together with its plain-text version`,
    }
  }
  return { html: template, text: parseTextTemplate(plain) }
}

function fieldsIn(text: string): number {
  return mergeParts(text).reduce((count, part) => (typeof part === 'string' ? count : count + 1), 0)
}
