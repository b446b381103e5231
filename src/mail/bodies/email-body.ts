import { mergeParts } from '../../contacts/rendering.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { htmlFault } from '../../kernel/web/html-limits.ts'
import { type ConditionalRange, piecesOf } from './conditional-parts.ts'
import { type HtmlTemplate, messageLimits, parseHtmlTemplate } from './html-template.ts'
import { withLanguage } from './language.ts'
import { htmlToText } from './plain-text.ts'
import { withPreheader } from './preheader.ts'
import { parseTextTemplate, type TextTemplate } from './text-template.ts'
import { type LinkParameters, withUtmInHtml, withUtmInText } from './utm.ts'

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

/** Source of a body. An empty or absent text is generated from the HTML. With a text and no HTML, messages have no HTML part. */
export interface BodySource {
  readonly html: string
  readonly text?: string | null | undefined
  readonly envelope?: Envelope | undefined
  /** The parts of the text that are shown under a condition, if parts of the HTML are. */
  readonly conditional?: readonly ConditionalRange[] | null | undefined
  /** Whether it asks to confirm an address, so that its link is `CONFIRM_URL`, and no unsubscribe link is added. */
  readonly isConfirmation?: boolean | undefined
}

/** What belongs to an e-mail and changes its body. */
export interface Envelope {
  /** What an inbox shows after the subject. Empty for the beginning of the body. */
  readonly preheader: string
  /** The language of the message. Null if it is not declared. */
  readonly language: string | null
  readonly links: LinkParameters
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
export function parseEmailBody(body: BodySource): EmailBody | BodyProblem {
  const { html: source, text, envelope, conditional, isConfirmation = false } = body
  const { characters, mergeFields, links, addresses } = bodyLimits
  const tooLong = `must have at most ${characters} characters`
  if (source.length > characters) return { field: 'html', problem: tooLong }
  if ((text ?? '').length > characters) return { field: 'text', problem: tooLong }
  const tooMany = `must have at most ${mergeFields} merge fields`
  if (fieldsIn(source) > mergeFields) return { field: 'html', problem: tooMany }
  if (fieldsIn(text ?? '') > mergeFields) return { field: 'text', problem: tooMany }
  const problem = htmlFault(source, bodyLimits)
  if (problem !== undefined) return { field: 'html', problem }
  const html = envelope ? withUtmInHtml(source, envelope.links) : source
  const tooLarge = `must have at most ${messageLimits.body} bytes together with its plain-text version`
  if (html.length > messageLimits.body) return { field: 'html', problem: tooLarge }
  const added = { isConfirmation, unsubscribe: textsIn(envelope?.language).text('unsubscribe.button') }
  const template = isPlainText({ html, text })
    ? noHtml
    : parseHtmlTemplate(inEnvelope(html, envelope), { isConditional: conditional != null, ...added })
  if (template.links > links) return { field: 'html', problem: `must have at most ${links} links` }
  if (template.urls.length > addresses)
    return { field: 'html', problem: `must have links to at most ${addresses} different URLs` }
  const pieces = text
    ? piecesOf(text, conditional ?? []).map((each) =>
        envelope ? { ...each, piece: withUtmInText(each.piece, envelope.links) } : each,
      )
    : piecesOf(htmlToText(html), [])
  const plain = pieces.map(({ piece }) => piece).join('')
  // The text can be longer than the HTML: horizontal rules, for example, become lines of dashes.
  if (plain.length > characters)
    return { field: 'html', problem: `must have a plain-text version of at most ${characters} characters` }
  // Characters outside ASCII have several bytes.
  const bytes = Buffer.byteLength(html) + Buffer.byteLength(plain)
  if (bytes > messageLimits.body) return { field: 'html', problem: tooLarge }
  return { html: template, text: parseTextTemplate(pieces, added) }
}

/** The HTML of a message that has none. */
const noHtml: HtmlTemplate = { parts: [], urls: [], links: 0 }

/** Whether messages have a text part only: a text was set, and HTML was removed. */
export function isPlainText({ html, text }: Pick<BodySource, 'html' | 'text'>): boolean {
  return html === '' && (text ?? '').trim() !== ''
}

function inEnvelope(html: string, envelope: Envelope | undefined): string {
  const spoken = envelope?.language ? withLanguage(html, envelope.language) : html
  return envelope?.preheader ? withPreheader(spoken, envelope.preheader) : spoken
}

function fieldsIn(text: string): number {
  return mergeParts(text).reduce((count, part) => (typeof part === 'string' ? count : count + 1), 0)
}
