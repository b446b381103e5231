import { Tokenizer } from 'htmlparser2'
import {
  escapeHtml,
  fill,
  type MergeField,
  type MergeParts,
  mergeParts,
  type Values,
} from '../../kernel/merge-fields.ts'

/** An HTML body, taken apart once so that each message is only put together. */
export interface HtmlTemplate {
  readonly parts: readonly Part[]
  /** The links that are counted, as written, each once: a link's number is its place here. */
  readonly urls: readonly string[]
  /** How often links are counted, repeated ones each time. */
  readonly links: number
}

/** Where a merge field stands decides how its value is written. */
type Place = 'text' | 'bare' | 'url' | 'in url'
type Part =
  | string
  | (MergeField & { readonly place: Place })
  | { readonly link: number; readonly plain: readonly Part[] }
  | { readonly pixel: true }

interface Stretch {
  readonly from: number
  readonly until: number
}
interface UrlStretch extends Stretch {
  /** As a browser reads it: without entities, and without space around. */
  readonly url: string
  readonly isLink: boolean
}
interface Marks {
  readonly tags: Stretch[]
  readonly quoted: Stretch[]
  readonly urls: UrlStretch[]
  /** Where the body ends; undefined where nothing says so. */
  bodyEnd?: number
}

/** How long a link may be that is counted; a longer one stays as it is. */
const longestUrl = 4_000

const footer =
  '<p style="margin:24px 0 0;font-size:12px;line-height:1.5;text-align:center"><a href="{{UNSUBSCRIBE_URL}}">Unsubscribe</a></p>'

/**
 * Takes an HTML body apart: its merge fields, its links, and where the pixel goes. All else stays as its author wrote it.
 * A body without a way to unsubscribe gets one at its end.
 */
export function htmlTemplate(given: string): HtmlTemplate {
  const html = mentionsUnsubscribing(given) ? given : withFooter(given)
  const marks = marksOf(html)
  const numbers = new Map<string, number>()
  const links = marks.urls.filter(({ isLink, url }) => isLink && isCounted(url))
  const pixelAt = marks.bodyEnd ?? html.length
  const cuts = [...links, { from: pixelAt, until: pixelAt, url: undefined }].sort((a, b) => a.from - b.from)
  const parts: Part[] = []
  let done = 0
  for (const { from, until, url } of cuts) {
    parts.push(...placed(html.slice(done, from), done, marks))
    if (url === undefined) parts.push({ pixel: true })
    else {
      const link = numbers.get(url) ?? numbers.size
      numbers.set(url, link)
      parts.push({ link, plain: placed(html.slice(from, until), from, marks) })
    }
    done = until
  }
  parts.push(...placed(html.slice(done), done, marks))
  return { parts, urls: [...numbers.keys()], links: links.length }
}

/** Whether a body has a way to unsubscribe of its own. */
export function mentionsUnsubscribing(body: string): boolean {
  return mergeParts(body).some((part) => typeof part !== 'string' && part.name === 'UNSUBSCRIBE_URL')
}

/** A message got longer than it may be. */
export class TooLong extends Error {
  constructor() {
    super(`The message would have more than ${longestHtml} characters.`)
  }
}

/** What differs from message to message. Without `addresses` nothing is counted: a preview, a test. */
export interface Personal {
  readonly values: Values
  readonly addresses?: { readonly link: (link: number) => string; readonly pixel: string }
}

/** The most characters of one reader's HTML: long values in many places make more of it than its author wrote. */
export const longestHtml = 3_000_000

/** One reader's HTML. Throws TooLong if it gets longer than `longestHtml`. */
export function renderHtml({ parts }: Pick<HtmlTemplate, 'parts'>, personal: Personal): string {
  const { values, addresses } = personal
  let html = ''
  for (const part of parts) {
    if (html.length > longestHtml) throw new TooLong()
    if (typeof part === 'string') html += part
    else if ('name' in part) html += written(part, values)
    else if ('link' in part) html += addresses ? addresses.link(part.link) : renderHtml({ parts: part.plain }, personal)
    else if (addresses)
      html += `<img src="${addresses.pixel}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
  }
  return html
}

/** Merge fields in an address that is written as text or followed: what is put in stays one part of it. */
export function fillUrl(parts: MergeParts, values: Values): string {
  return fill(parts, values, encodeURIComponent)
}

function written({ name, fallback, place }: MergeField & { place: Place }, values: Values): string {
  const value = values(name)
  switch (place) {
    case 'text':
      return escapeHtml(value) || fallback
    case 'bare':
      // Where no quotes hold it together, a blank would begin another attribute.
      return escapeHtml(value).replace(/[\s=]/g, (character) => `&#${character.charCodeAt(0)};`) || fallback
    case 'in url':
      return escapeHtml(encodeURIComponent(value)) || fallback
    case 'url':
      // A value that is the address itself must be one that only leads somewhere.
      return /^(?:https?:\/\/|mailto:|tel:)/i.test(value) ? escapeHtml(value) : fallback
  }
}

function placed(text: string, offset: number, marks: Marks): Part[] {
  return mergeParts(text).map((part) =>
    typeof part === 'string' ? part : { ...part, place: placeOf(part.index + offset, marks) },
  )
}

function placeOf(index: number, { tags, quoted, urls }: Marks): Place {
  const url = holding(urls, index)
  if (url) return url.from === index ? 'url' : 'in url'
  return holding(tags, index) && !holding(quoted, index) ? 'bare' : 'text'
}

/** The stretch that an index lies in; they follow each other and do not overlap. */
function holding<Kind extends Stretch>(stretches: readonly Kind[], index: number): Kind | undefined {
  let [low, high] = [0, stretches.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stretches[middle] as Kind).until <= index) low = middle + 1
    else high = middle
  }
  const found = stretches[low]
  return found && found.from <= index ? found : undefined
}

/** A link is counted where it is certain before the message is made that it leads into the web, and where to. */
function isCounted(url: string): boolean {
  if (url.length > longestUrl || !/^https?:\/\/[^/?#{}]+(?:[/?#]|$)/i.test(url)) return false
  return URL.canParse(fill(mergeParts(url), () => 'x'))
}

function withFooter(html: string): string {
  const { bodyEnd = html.length } = marksOf(html)
  return `${html.slice(0, bodyEnd)}${footer}${html.slice(bodyEnd)}`
}

const urlAttributes = new Set(['href', 'src', 'background', 'action'])
const linkTags = new Set(['a', 'area'])

/** Reads HTML as a browser does, and notes where its tags, quoted values, addresses and the end of its body are. */
function marksOf(html: string): Marks {
  const marks: Marks = { tags: [], quoted: [], urls: [] }
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
        if (quote > noQuotes) marks.quoted.push({ from, until })
        if (!urlAttributes.has(attribute.name)) return
        const isLink = attribute.name === 'href' && linkTags.has(tag.name)
        marks.urls.push({ from, until, url: attribute.value.trim(), isLink })
      },
      onopentagend: (end) => {
        marks.tags.push({ from: tag.from, until: end })
      },
      onselfclosingtag: (end) => {
        marks.tags.push({ from: tag.from, until: end })
      },
      onclosetag: (from, until) => {
        if (html.slice(from, until).toLowerCase() === 'body') marks.bodyEnd = html.lastIndexOf('<', from)
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
  return marks
}
