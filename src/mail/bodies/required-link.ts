import { Parser } from 'htmlparser2'
import { mergeParts } from '../../contacts/rendering.ts'
import { hasInvisibleText, hidesContent, isBlank, isHidden } from './visibility.ts'

/** The merge field of the link that a message must have: its recipients unsubscribe with it, or confirm their address. */
export type RequiredLink = 'UNSUBSCRIBE_URL' | 'CONFIRM_URL'

/** A place of the merge field where recipients cannot use it. */
interface Place {
  readonly where: string
  readonly index: number
}

/** Stands for the merge field while a body is searched. A character that no text may contain. */
const mark = '\ufdd0'

/** Maximum number of places that a sentence names. */
const maxPlaces = 3

/**
 * Returns why recipients cannot use the required link of an HTML body, as the rest of a sentence about the body, or
 * undefined if they can: it is a link with something visible in it, or visible text that is only the URL.
 */
export function linkFaultOfHtml(html: string, link: RequiredLink): string | undefined {
  const source = marked(html, link)
  if (!mayContain(source, link)) return missing(link)
  const search = new HtmlSearch(link)
  return search.isUsable(source) ? undefined : sentence(source, link, search.places)
}

/** Returns why recipients cannot use the required link of a text body, or undefined if they can. */
export function linkFaultOfText(text: string, link: RequiredLink): string | undefined {
  const source = marked(text, link)
  if (!mayContain(source, link)) return missing(link)
  if (hasUrl(source)) return undefined
  const index = source.indexOf(mark)
  return sentence(source, link, [{ where: inUrl, index: index >= 0 ? index : source.search(patterns[link].name) }])
}

const missing = (link: RequiredLink) => `does not contain {{${link}}}`
const inUrl = 'as part of another URL or word'

/** How each merge field is found if an editor changed its braces. */
const patterns = {
  UNSUBSCRIBE_URL: { name: /unsubscribe_url/i, braced: /\{\{\s*unsubscribe_url/i },
  CONFIRM_URL: { name: /confirm_url/i, braced: /\{\{\s*confirm_url/i },
} as const satisfies Record<RequiredLink, Readonly<Record<string, RegExp>>>

function marked(body: string, link: RequiredLink): string {
  const parts = mergeParts(body.replaceAll(mark, ''))
  if (parts.every((part) => typeof part === 'string' || part.name !== link)) return body.replaceAll(mark, '')
  let done = ''
  for (const part of parts) {
    if (typeof part === 'string') done += part
    else if (part.name === link) done += mark
    else done += part.fallback === '' ? '{{}}' : part.fallback
  }
  return done
}

/** Whether a body may contain the merge field, also where an editor encoded its braces. */
function mayContain(source: string, link: RequiredLink): boolean {
  return source.includes(mark) || patterns[link].name.test(source)
}

function encodedFault(text: string, link: RequiredLink): string | undefined {
  return patterns[link].braced.test(text) ? 'with braces that are character references' : undefined
}

function sentence(source: string, link: RequiredLink, places: readonly Place[]): string {
  if (places.length === 0) return `contains {{${link}}} only where recipients cannot use it`
  const named = places.slice(0, maxPlaces).map(({ where, index }) => `${where} (line ${lineOf(source, index)})`)
  const more = places.length > maxPlaces ? ' and elsewhere' : ''
  return `contains {{${link}}} only ${named.join(', ')}${more}, where recipients cannot use it`
}

function lineOf(source: string, index: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < index; at = source.indexOf('\n', at + 1)) line += 1
  return line
}

/** Whether text contains the URL alone, so that e-mail programs make a link of it. */
function hasUrl(text: string): boolean {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (isApart(text, at)) return true
  }
  return false
}

/** The longest token before a field that is read: a URL is not longer in practice. */
const maxToken = 2_000

function isApart(text: string, at: number): boolean {
  const before = /[^\s<>"'\ufdd0]*$/.exec(text.slice(Math.max(0, at - maxToken), at))?.[0] ?? ''
  if (before.includes('://') || /[\p{L}\p{N}\p{M}/=%@&#?+~$_\\{}]$/u.test(before) || text[at - 1] === mark) return false
  return /^(?:$|\s|[?#<]|[^\p{ASCII}\p{L}\p{N}\p{M}\ufdd0]|[.,;:!)\]>"'*|]+(?:\s|$|[<[(]|\P{ASCII}))/u.test(
    text.slice(at + 1, at + 20),
  )
}

/** A link that is open at the moment. */
interface Link {
  readonly isRequired: boolean
  readonly index: number
  hasContent: boolean
  /** The URL as text inside a link to another page. */
  text?: number
}

/** An open element. */
interface Frame {
  /** Why the content of the element is not shown. Undefined if it is shown. */
  readonly hidden: string | undefined
  readonly isInvisible: boolean
  readonly link: Link | undefined
  readonly isLink: boolean
  readonly map: string | undefined
}

const root: Frame = { hidden: undefined, isInvisible: false, link: undefined, isLink: false, map: undefined }

/** Searches HTML for a place of the merge field where recipients can use it. One pass. */
class HtmlSearch {
  readonly places: Place[] = []
  private readonly stack: Frame[] = []
  private readonly maps = new Set<string>()
  private readonly areas: (Place & { readonly map: string | undefined })[] = []
  private text = ''
  private textIndex = 0
  private found = false
  private readonly required: RequiredLink

  constructor(required: RequiredLink) {
    this.required = required
  }

  isUsable(source: string): boolean {
    const parser: Parser = new Parser(
      {
        onopentag: (name, attributes) => this.open(name, attributes, parser.startIndex),
        ontext: (data) => {
          if (this.text === '') this.textIndex = parser.startIndex
          this.text += data
        },
        onclosetag: (_name, isImplied) => this.close(isImplied),
        oncomment: (data) => this.comment(data, parser.startIndex),
        onprocessinginstruction: (_name, data) => this.note('in a declaration', data, parser.startIndex),
        onend: () => this.endText(),
      },
      { decodeEntities: true },
    )
    parser.end(source)
    for (const { map, ...place } of this.areas) {
      if (map !== undefined && this.maps.has(map)) this.found = true
      else this.places.push(place)
    }
    return this.found
  }

  private get top(): Frame {
    return this.stack.at(-1) ?? root
  }

  private open(name: string, attributes: Record<string, string>, index: number): void {
    this.endText()
    const parent = this.top
    const own = hidesContent(name) ? `inside <${name}>` : isHidden(attributes) ? `inside a hidden <${name}>` : undefined
    // A head without an end tag ends where the body begins.
    const hidden = name === 'body' ? own : (parent.hidden ?? own)
    const isInvisible = hasInvisibleText(attributes) ?? parent.isInvisible
    const isLink = name === 'a' && attributes['href'] !== undefined
    const link = isLink ? { isRequired: isUrl(attributes['href']), index, hasContent: false } : parent.link
    const map = name === 'map' ? (attributes['name'] ?? attributes['id']) : parent.map
    const frame = { hidden, isInvisible, link, isLink, map }
    this.stack.push(frame)
    for (const [attribute, value] of Object.entries(attributes)) this.attribute(name, attribute, value, index)
    if (name === 'img' && !hidden && isSeen(attributes)) {
      if (link?.isRequired) this.use(link)
      if (attributes['usemap'] !== undefined) this.maps.add(attributes['usemap'].replace(/^#/, ''))
    }
  }

  private attribute(name: string, attribute: string, value: string, index: number): void {
    if (attribute.includes(mark)) this.places.push({ where: `inside the tag <${name}>`, index })
    const encoding = encodedFault(value, this.required)
    if (encoding === undefined && !value.includes(mark)) return
    const { hidden, map } = this.top
    if (attribute !== 'href' || (name !== 'a' && name !== 'area'))
      this.places.push({ where: `in the attribute ${attribute.slice(0, 40)} of <${name}>`, index })
    else if (!isUrl(value)) this.places.push({ where: `${encoding ?? 'as part of another URL'} in a link`, index })
    else if (hidden !== undefined) this.places.push({ where: hidden, index })
    else if (name === 'area') this.areas.push({ where: 'in an <area> of no image', index, map })
  }

  private close(isImplied: boolean): void {
    this.endText()
    const frame = this.stack.pop()
    const link = frame?.isLink ? frame.link : undefined
    if (!frame || !link) return
    if (link.isRequired && !link.hasContent && frame.hidden === undefined)
      this.places.push({ where: 'in a link without visible content', index: link.index })
    if (link.text === undefined) return
    // Programs differ in where a link without an end tag ends.
    if (isImplied) this.found = true
    else this.places.push({ where: 'as text of another link', index: link.text })
  }

  private comment(data: string, index: number): void {
    this.endText()
    const isConditional = /^\s*\[if\b/i.test(data)
    this.note(isConditional ? 'in a conditional comment for Outlook' : 'in a comment', data, index)
  }

  private note(where: string, data: string, index: number): void {
    if (data.includes(mark) || encodedFault(data, this.required) !== undefined) this.places.push({ where, index })
  }

  private endText(): void {
    const { text, textIndex } = this
    this.text = ''
    if (text === '') return
    const { hidden, isInvisible, link } = this.top
    const isShown = hidden === undefined && !isInvisible
    if (isShown && link?.isRequired && !isBlank(text.replaceAll('{{}}', ''))) this.use(link)
    const encoding = encodedFault(text, this.required)
    if (encoding !== undefined) this.places.push({ where: encoding, index: textIndex })
    if (!text.includes(mark) || link?.isRequired) return
    const index = textIndex + text.indexOf(mark)
    if (hidden !== undefined) this.places.push({ where: hidden, index })
    else if (isInvisible) this.places.push({ where: 'in invisible text', index })
    else if (!hasUrl(text)) this.places.push({ where: inUrl, index })
    else if (link) link.text = index
    else this.found = true
  }

  private use(link: Link): void {
    link.hasContent = true
    this.found = true
  }
}

/** Whether an address is the URL of the required link, perhaps with a query or a fragment. */
function isUrl(href: string | undefined): boolean {
  return href !== undefined && /^\ufdd0(?:[?#]|$)/.test(href.trim())
}

/** Whether an image is more than a pixel. */
function isSeen({ src, alt = '', width, height }: Readonly<Record<string, string>>): boolean {
  const isTiny = [width, height].some((size) => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size))
  return !isTiny && (!isBlank(src ?? '') || !isBlank(alt))
}
