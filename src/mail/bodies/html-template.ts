import { decodeHTMLStrict } from 'entities'
import {
  encoded,
  fill,
  type MergeField,
  type MergeParts,
  mergeParts,
  renamed,
  textOf,
  type Values,
} from '../../contacts/rendering.ts'
import { type BoundedText, boundedText, TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { escapeHtml } from '../../kernel/web/html.ts'
import { commonHtml, readMark } from './conditional-parts.ts'
import { findRange, type Outline, outlineOf } from './html-outline.ts'
import { linkFaultOfHtml } from './required-link.ts'
import { maxUrlLength } from './utm.ts'

/** A parsed HTML body, from which the HTML of each message is rendered. */
export interface HtmlTemplate {
  readonly parts: readonly Part[]
  /** Distinct tracked links as written. The number of a link is its index here. */
  readonly urls: readonly string[]
  /** Number of tracked links, including repeated ones. */
  readonly links: number
}

/** Position of a merge field, which decides how its value is escaped. */
type Position = 'text' | 'unquoted' | 'url' | 'in url'
type Part =
  | string
  | (MergeField & { readonly position: Position })
  | { readonly link: number; readonly plain: readonly Part[] }
  | { readonly pixel: true }
  | { readonly condition: number; readonly parts: readonly Part[] }

const footerOf = (label: string) =>
  `<p style="margin:24px 0 0;font-size:12px;line-height:1.5;text-align:center"><a href="{{UNSUBSCRIBE_URL}}">${escapeHtml(label)}</a></p>`

interface HtmlOptions {
  readonly isConditional?: boolean
  readonly isConfirmation?: boolean
  /** Text of the unsubscribe link that is appended. */
  readonly unsubscribe?: string
}

/**
 * Parses an HTML body: its merge fields, its links and the position of the pixel. Everything else stays as it is, including
 * comments that no program shows. With `isConditional`, the comments of `marksOf` enclose what is shown under a condition. An
 * unsubscribe link is appended to a body without one that all recipients can use, except to that of a confirmation.
 */
export function parseHtmlTemplate(
  source: string,
  { isConditional = false, isConfirmation = false, unsubscribe = 'Unsubscribe' }: HtmlOptions = {},
): HtmlTemplate {
  const common = isConditional ? commonHtml(source) : source
  const hasLink = isConfirmation || linkFaultOfHtml(common, 'UNSUBSCRIBE_URL') === undefined
  const html = hasLink ? source : withFooter(source, footerOf(unsubscribe))
  const outline = outlineOf(html)
  const numbers = new Map<string, number>()
  const links = outline.urls.filter(({ isLink, url }) => isLink && isTracked(url))
  const pixelAt = outline.bodyEnd ?? html.length
  const marks = isConditional
    ? outline.comments.flatMap((comment) => {
        // The range is that between the first two and the last dashes.
        const [from, until] = [comment.from - '<!--'.length, comment.until + '>'.length]
        const mark = readMark(html.slice(from, until))
        return mark ? [{ from, until, mark }] : []
      })
    : []
  const pixel = { from: pixelAt, until: pixelAt }
  const cuts: Cut[] = [...links, ...marks, pixel].sort((a, b) => a.from - b.from)
  const parts: Part[] = []
  /** The parts that are being read: those of the body, and those of the conditions around the place. */
  const open = [parts]
  const add = (...more: Part[]) => open.at(-1)?.push(...more)
  let done = 0
  for (const { from, until, url, mark } of cuts) {
    add(...partsOf(html.slice(done, from), done, outline))
    if (url !== undefined) {
      const link = numbers.get(url) ?? numbers.size
      numbers.set(url, link)
      add({ link, plain: partsOf(html.slice(from, until), from, outline) })
    } else if (mark === undefined) add({ pixel: true })
    else if (mark.isStart) {
      const inner: Part[] = []
      add({ condition: mark.condition, parts: inner })
      open.push(inner)
    } else if (open.length > 1) open.pop()
    done = until
  }
  add(...partsOf(html.slice(done), done, outline))
  return { parts, urls: [...numbers.keys()], links: links.length }
}

/** A place of a body where text is filled in: a link, the beginning or the end of a conditional part, or else the pixel. */
interface Cut {
  readonly from: number
  readonly until: number
  readonly url?: string
  readonly mark?: ReturnType<typeof readMark>
}

/** The values of one message. Without `addresses` links are not tracked, as in previews and test messages. */
export interface RenderContext {
  readonly values: MessageValues
  readonly addresses?: { readonly link: (link: number) => string; readonly pixel: string }
  /** Whether the parts of a condition are shown. If absent, all are. */
  readonly shows?: ((condition: number) => boolean) | undefined
}

/** Maximum sizes of a rendered message in bytes: of its subject, and of its HTML and its text together. */
export const messageLimits = { subject: 4_000, body: 2_000_000 } as const

/** Creates the empty body of a message, with the maximum size that it has. */
export function newMessageBody(): BoundedText {
  return boundedText('The message', messageLimits.body)
}

/** Renders only the HTML of one message. **Throws** TextTooLongError. */
export function renderHtml(
  template: Pick<HtmlTemplate, 'parts'>,
  { values, ...addresses }: Omit<RenderContext, 'values'> & { readonly values: Values },
): string {
  const html = newMessageBody()
  appendHtml(template, { values: messageValues(values), ...addresses }, html)
  return html.end()
}

/** Appends the HTML of one message to a text. **Throws** TextTooLongError. */
export function appendHtml({ parts }: Pick<HtmlTemplate, 'parts'>, context: RenderContext, html: BoundedText): void {
  const { values, addresses, shows } = context
  for (const part of parts) {
    if (typeof part === 'string') html.add(part)
    else if ('name' in part) html.add(textOf(part, values[part.position]))
    else if ('link' in part) {
      if (addresses) html.add(addresses.link(part.link))
      else appendHtml({ parts: part.plain }, context, html)
    } else if ('condition' in part) {
      if (!shows || shows(part.condition)) appendHtml(part, context, html)
    } else if (addresses)
      html.add(
        `<img src="${addresses.pixel}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`,
      )
  }
}

/** The values of one message, encoded for each position. Each is encoded once, however often the message contains it. */
export type MessageValues = Readonly<Record<Position | 'plain' | 'plain url', Values>>

/** Returns the values of one message for all positions in its HTML, text and headers. */
export function messageValues(plain: Values): MessageValues {
  const url = encoded(plain, encodeURIComponent)
  return {
    plain,
    'plain url': url,
    text: encoded(plain, escapeHtml),
    // In an unquoted attribute value, a space would begin another attribute.
    unquoted: encoded(plain, (value) =>
      escapeHtml(value).replace(/[\s=]/g, (character) => `&#${character.charCodeAt(0)};`),
    ),
    'in url': encoded(url, escapeHtml),
    // A value that is the whole URL must not run a script.
    url: encoded(plain, (value) => (/^(?:https?:\/\/|mailto:|tel:)/i.test(value) ? escapeHtml(value) : '')),
  }
}

/**
 * Fills the merge fields of a URL. Values are percent-encoded, so that they stay one part of it. They are left out if the URL
 * would be longer than browsers and servers accept.
 */
export function fillUrl(parts: MergeParts, values: Values): string {
  try {
    return fill(parts, encoded(values, encodeURIComponent))
  } catch (error) {
    if (error instanceof TextTooLongError) return fill(parts, () => '')
    throw error
  }
}

/** Returns the name of a merge field of HTML, where editors write characters as references. */
export function nameInHtml(name: string): string {
  return name.includes('&') ? decodeHTMLStrict(name) : name
}

function fieldOf(text: string, part: MergeField, offset: number, outline: Outline): Part {
  const index = part.index + offset
  if (findRange(outline.comments, index)) return text.slice(part.index, part.index + part.length)
  return { ...renamed(part, nameInHtml), position: positionOf(index, outline) }
}

function partsOf(text: string, offset: number, outline: Outline): Part[] {
  return mergeParts(text).map((part) => (typeof part === 'string' ? part : fieldOf(text, part, offset, outline)))
}

function positionOf(index: number, { tags, quoted, urls }: Outline): Position {
  const url = findRange(urls, index)
  if (url) return url.from === index ? 'url' : 'in url'
  return findRange(tags, index) && !findRange(quoted, index) ? 'unquoted' : 'text'
}

/** A link is tracked if its scheme and host are known before the message is rendered. */
function isTracked(url: string): boolean {
  if (url.length > maxUrlLength || !/^https?:\/\/[^/?#{}%]+(?:[/?#]|$)/i.test(url)) return false
  return URL.canParse(fillUrl(mergeParts(url), () => 'x'))
}

/** Appends the footer to the body, or prepends it if its end is inside of something that is not shown. */
function withFooter(html: string, footer: string): string {
  const { bodyStart, bodyEnd = html.length } = outlineOf(html)
  const put = (at: number) => `${html.slice(0, at)}${footer}${html.slice(at)}`
  const appended = put(bodyEnd)
  return linkFaultOfHtml(appended, 'UNSUBSCRIBE_URL') === undefined ? appended : put(bodyStart)
}
