import { Tokenizer } from 'htmlparser2'

interface Range {
  readonly from: number
  readonly until: number
}
interface UrlRange extends Range {
  /** As a browser reads it: entities decoded, trimmed, without line breaks and tabs. */
  readonly url: string
  readonly isLink: boolean
}
/** Positions in an HTML source, in order. */
export interface Outline {
  readonly tags: Range[]
  readonly quoted: Range[]
  readonly urls: UrlRange[]
  /** Comments that no program shows. Conditional comments are not among them, because Outlook reads them as HTML. */
  readonly comments: Range[]
  /** Index after the start tag of the body, the end tag of the head, or the doctype: where the body may begin. */
  bodyStart: number
  /** Index of the end tag of the body. Undefined if there is none. */
  bodyEnd?: number
}

const urlAttributes = new Set(['href', 'src', 'background', 'action', 'formaction', 'poster', 'o:href', 'xlink:href'])
const linkTags = new Set(['a', 'area'])

/** Shapes of VML, which Outlook draws as buttons and images. Their `href` is a link. */
const vmlShape = /^[a-z][a-z0-9]*:(?:arc|background|curve|group|image|line|oval|polyline|rect|roundrect|shape)$/

/**
 * The content of a conditional comment, without its condition and its end. `[if !mso]><!` has none: what follows the comment is
 * ordinary HTML.
 */
const conditional = /^\s*\[if\b[^\]]*\]>([\s\S]*)<!\[endif\]$/i

/**
 * Tokenizes HTML as a browser does, and returns the positions of its tags, quoted values, URLs and the end of its body. The
 * content of conditional comments is tokenized as Outlook does.
 */
export function outlineOf(html: string): Outline {
  const outline: Outline = { tags: [], quoted: [], urls: [], comments: [], bodyStart: 0 }
  scan(html, { from: 0, until: html.length }, outline)
  return outline
}

/** Adds the positions of a part of HTML to an outline. Comments do not contain comments, so it calls itself once at most. */
function scan(all: string, { from: start, until: end }: Range, outline: Outline): void {
  const isWhole = end - start === all.length
  const html = isWhole ? all : all.slice(start, end)
  let tag = { name: '', from: 0 }
  let attribute = { name: '', until: 0, value: '' }
  const ignore = () => undefined
  const noQuotes = 1
  const endTag = (until: number) => {
    outline.tags.push({ from: start + tag.from, until: start + until })
    if (isWhole && tag.name === 'body') outline.bodyStart = until + 1
  }
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
      onattribend: (quote, valueEnd) => {
        if (quote < noQuotes) return
        const before = html.slice(attribute.until, valueEnd)
        const from = attribute.until + (/^\s*=\s*["']?/.exec(before)?.[0].length ?? 0)
        const until = quote === noQuotes ? valueEnd : valueEnd - 1
        if (quote > noQuotes) outline.quoted.push({ from: start + from, until: start + until })
        if (!urlAttributes.has(attribute.name)) return
        // Browsers ignore the white space before a URL.
        const space = /^\s*/.exec(html.slice(from, until))?.[0].length ?? 0
        const isLink = attribute.name === 'href' && (linkTags.has(tag.name) || vmlShape.test(tag.name))
        outline.urls.push({ from: start + from + space, until: start + until, url: urlIn(attribute.value), isLink })
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag: (from, until) => {
        if (!isWhole) return
        const name = html.slice(from, until).toLowerCase()
        if (name === 'body') outline.bodyEnd = html.lastIndexOf('<', from)
        if (name === 'head') outline.bodyStart = html.indexOf('>', until) + 1
      },
      oncdata: ignore,
      oncomment: (from, until, offset) => {
        if (!isWhole) return
        const inner = conditional.exec(html.slice(from, until - offset))?.[1]
        if (inner === undefined) outline.comments.push({ from, until })
        else {
          const innerEnd = until - offset - '<![endif]'.length
          scan(all, { from: innerEnd - inner.length, until: innerEnd }, outline)
        }
      },
      ondeclaration: (_from, until) => {
        if (outline.tags.length === 0) outline.bodyStart = until + 1
      },
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
}

/** Returns the URL in an attribute as a browser reads it. */
export function urlIn(value: string): string {
  return value.replace(/[\t\n\r]/g, '').trim()
}

/** Finds the range that contains an index by binary search: ranges are sorted and do not overlap. */
export function findRange<Kind extends Range>(ranges: readonly Kind[], index: number): Kind | undefined {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] as Kind).until <= index) low = middle + 1
    else high = middle
  }
  const range = ranges[low]
  return range && range.from <= index ? range : undefined
}
