import { Tokenizer } from 'htmlparser2'
import {
  escapeHtml,
  fill,
  type MergeField,
  type MergeParts,
  mergeParts,
  type Values,
} from '../../kernel/merge-fields.ts'

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

interface Range {
  readonly from: number
  readonly until: number
}
interface UrlRange extends Range {
  /** As a browser reads it: entities decoded, trimmed. */
  readonly url: string
  readonly isLink: boolean
}
/** Positions in an HTML source. */
interface Outline {
  readonly tags: Range[]
  readonly quoted: Range[]
  readonly urls: UrlRange[]
  /** Index of the end tag of the body. Undefined if there is none. */
  bodyEnd?: number
}

/** Maximum length of a tracked link. Longer links are not tracked. */
const maxUrlLength = 4_000

const footer =
  '<p style="margin:24px 0 0;font-size:12px;line-height:1.5;text-align:center"><a href="{{UNSUBSCRIBE_URL}}">Unsubscribe</a></p>'

/**
 * Parses an HTML body: its merge fields, its links and the position of the pixel. Everything else stays as it is. An
 * unsubscribe link is appended to a body without one.
 */
export function parseHtmlTemplate(source: string): HtmlTemplate {
  const html = hasUnsubscribeLink(source) ? source : withFooter(source)
  const outline = outlineOf(html)
  const numbers = new Map<string, number>()
  const links = outline.urls.filter(({ isLink, url }) => isLink && isTracked(url))
  const pixelAt = outline.bodyEnd ?? html.length
  const cuts = [...links, { from: pixelAt, until: pixelAt, url: undefined }].sort((a, b) => a.from - b.from)
  const parts: Part[] = []
  let done = 0
  for (const { from, until, url } of cuts) {
    parts.push(...partsOf(html.slice(done, from), done, outline))
    if (url === undefined) parts.push({ pixel: true })
    else {
      const link = numbers.get(url) ?? numbers.size
      numbers.set(url, link)
      parts.push({ link, plain: partsOf(html.slice(from, until), from, outline) })
    }
    done = until
  }
  parts.push(...partsOf(html.slice(done), done, outline))
  return { parts, urls: [...numbers.keys()], links: links.length }
}

/** Returns whether a body contains the merge field of the unsubscribe link. */
export function hasUnsubscribeLink(body: string): boolean {
  return mergeParts(body).some((part) => typeof part !== 'string' && part.name === 'UNSUBSCRIBE_URL')
}

/** A rendered message exceeds `maxMessageHtmlLength`. */
export class MessageTooLongError extends Error {
  constructor() {
    super(`The message would have more than ${maxMessageHtmlLength} characters.`)
  }
}

/** The values of one message. Without `addresses` links are not tracked, as in previews and test messages. */
interface RenderContext {
  readonly values: Values
  readonly addresses?: { readonly link: (link: number) => string; readonly pixel: string }
}

/** Maximum number of characters of a rendered message. Long values of merge fields make it longer than its body. */
const maxMessageHtmlLength = 3_000_000

/** Renders the HTML of one message. **Throws** MessageTooLongError. */
export function renderHtml({ parts }: Pick<HtmlTemplate, 'parts'>, context: RenderContext): string {
  const { values, addresses } = context
  let html = ''
  for (const part of parts) {
    if (html.length > maxMessageHtmlLength) throw new MessageTooLongError()
    if (typeof part === 'string') html += part
    else if ('name' in part) html += escapeValue(part, values)
    else if ('link' in part) html += addresses ? addresses.link(part.link) : renderHtml({ parts: part.plain }, context)
    else if (addresses)
      html += `<img src="${addresses.pixel}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
  }
  return html
}

/** Fills the merge fields of a URL. Values are percent-encoded, so that they stay one part of it. */
export function fillUrl(parts: MergeParts, values: Values): string {
  return fill(parts, values, encodeURIComponent)
}

function escapeValue({ name, fallback, position }: MergeField & { position: Position }, values: Values): string {
  const value = values(name)
  switch (position) {
    case 'text':
      return escapeHtml(value) || fallback
    case 'unquoted':
      // In an unquoted attribute value, a space would begin another attribute.
      return escapeHtml(value).replace(/[\s=]/g, (character) => `&#${character.charCodeAt(0)};`) || fallback
    case 'in url':
      return escapeHtml(encodeURIComponent(value)) || fallback
    case 'url':
      // A value that is the whole URL must not run a script.
      return /^(?:https?:\/\/|mailto:|tel:)/i.test(value) ? escapeHtml(value) : fallback
  }
}

function partsOf(text: string, offset: number, outline: Outline): Part[] {
  return mergeParts(text).map((part) =>
    typeof part === 'string' ? part : { ...part, position: positionOf(part.index + offset, outline) },
  )
}

function positionOf(index: number, { tags, quoted, urls }: Outline): Position {
  const url = findRange(urls, index)
  if (url) return url.from === index ? 'url' : 'in url'
  return findRange(tags, index) && !findRange(quoted, index) ? 'unquoted' : 'text'
}

/** Finds the range that contains an index by binary search: ranges are sorted and do not overlap. */
function findRange<Kind extends Range>(ranges: readonly Kind[], index: number): Kind | undefined {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] as Kind).until <= index) low = middle + 1
    else high = middle
  }
  const range = ranges[low]
  return range && range.from <= index ? range : undefined
}

/** A link is tracked if its scheme and host are known before the message is rendered. */
function isTracked(url: string): boolean {
  if (url.length > maxUrlLength || !/^https?:\/\/[^/?#{}]+(?:[/?#]|$)/i.test(url)) return false
  return URL.canParse(fill(mergeParts(url), () => 'x'))
}

function withFooter(html: string): string {
  const { bodyEnd = html.length } = outlineOf(html)
  return `${html.slice(0, bodyEnd)}${footer}${html.slice(bodyEnd)}`
}

const urlAttributes = new Set(['href', 'src', 'background', 'action'])
const linkTags = new Set(['a', 'area'])

/** Tokenizes HTML as a browser does, and returns the positions of its tags, quoted values, URLs and the end of its body. */
function outlineOf(html: string): Outline {
  const outline: Outline = { tags: [], quoted: [], urls: [] }
  let tag = { name: '', from: 0 }
  let attribute = { name: '', until: 0, value: '' }
  const ignore = () => undefined
  const noQuotes = 1
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (from, until) => {
        tag = { name: html.slice(from, until).toLowerCase(), from }
      },
      onattribname: (from, until) => {
        attribute = { name: html.slice(from, until).toLowerCase(), until, value: '' }
      },
      onattribdata: (from, until) => {
        attribute.value += html.slice(from, until)
      },
      onattribentity: (codePoint) => {
        attribute.value += String.fromCodePoint(codePoint)
      },
      onattribend: (quote, end) => {
        if (quote < noQuotes) return
        const from = attribute.until + (/^\s*=\s*["']?/.exec(html.slice(attribute.until, end))?.[0].length ?? 0)
        const until = quote === noQuotes ? end : end - 1
        if (quote > noQuotes) outline.quoted.push({ from, until })
        if (!urlAttributes.has(attribute.name)) return
        const isLink = attribute.name === 'href' && linkTags.has(tag.name)
        outline.urls.push({ from, until, url: attribute.value.trim(), isLink })
      },
      onopentagend: (end) => {
        outline.tags.push({ from: tag.from, until: end })
      },
      onselfclosingtag: (end) => {
        outline.tags.push({ from: tag.from, until: end })
      },
      onclosetag: (from, until) => {
        if (html.slice(from, until).toLowerCase() === 'body') outline.bodyEnd = html.lastIndexOf('<', from)
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return outline
}
