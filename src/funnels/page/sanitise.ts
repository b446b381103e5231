import sanitizeHtml, { type Attributes } from 'sanitize-html'
import { htmlFault } from '../../kernel/html-limits.ts'
import { type MergeField, mergeParts } from '../../kernel/merge-fields.ts'
import { linkWithStaticPath, Markup, type Slot, staticLink } from './markup.ts'
import { declarationsIn, type Sheet } from './style.ts'

// What authors may write as HTML: text, its structure, links, pictures and tables. Nothing that runs, frames, posts, or
// reaches beyond its place; styles become classes, names (`id`, `class`) are ours alone.

const tags = [
  ...['p', 'br', 'hr', 'div', 'span', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'figure', 'figcaption'],
  ...['a', 'strong', 'b', 'em', 'i', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'code', 'kbd', 'q', 'cite'],
  ...['abbr', 'time', 'address', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'img'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
]

/** With these goes all that is in them; of other tags that are not allowed the text stays. */
const withTheirText = [
  ...['script', 'style', 'title', 'textarea', 'select', 'option', 'noscript', 'template', 'iframe', 'object', 'svg'],
  ...['math', 'xmp', 'noembed', 'noframes', 'plaintext', 'audio', 'video', 'canvas'],
]

const everywhere = ['class', 'title', 'lang', 'dir']

/** How much the HTML of one element may hold. Sanitising slows down with the depth, and 10,000 elements take some 0.2 s. */
const limits = { elements: 10_000, depth: 100, attributes: 100 }

/** Which limit the HTML of an element exceeds, as a message for a field, or undefined if none. */
export function htmlFaultOf(html: string): string | undefined {
  return htmlFault(html, limits)
}

/** HTML of an author as a page may show it, its merge fields filled as elsewhere; nothing if it exceeds a limit. */
export function sanitised(html: string, sheet: Sheet): Markup {
  if (htmlFaultOf(html) !== undefined) return new Markup([])
  const clean = sanitizeHtml(html, {
    allowedTags: tags,
    allowedAttributes: {
      '*': everywhere,
      a: ['href', 'target', 'rel'],
      img: ['src', 'alt', 'width', 'height', 'loading'],
      ol: ['start', 'reversed', 'type'],
      time: ['datetime'],
      th: ['colspan', 'rowspan', 'scope'],
      td: ['colspan', 'rowspan'],
      details: ['open'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowProtocolRelative: false,
    nonTextTags: withTheirText,
    nestingLimit: 60,
    parseStyleAttributes: false,
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: attributesOf(tagName, attribs, sheet) }) },
  })
  return withSlots(clean)
}

function attributesOf(tag: string, given: Attributes, sheet: Sheet): Attributes {
  const { style, class: _class, target, rel: _rel, href, src, align, ...attributes } = given
  const dress = declarationsIn(`${align ? `text-align:${align};` : ''}${style ?? ''}`)
  const name = sheet.classOf(dress)
  const link = tag === 'a' && href !== undefined ? linkWithStaticPath(href.trim()) : undefined
  const source = tag === 'img' && src !== undefined ? staticLink(src.trim()) : undefined
  return {
    ...attributes,
    ...(tag === 'img' && { alt: given['alt'] ?? '', loading: 'lazy' }),
    ...(name !== undefined && { class: name }),
    ...(link !== undefined && { href: link }),
    ...(source && { src: source }),
    ...(target === '_blank' && { target, rel: 'noopener' }),
  }
}

/**
 * Finds the merge fields of clean HTML. The sanitiser writes `<`, `>` and, in values, `"` as entities wherever they are
 * not its own, so the pieces between them are exactly its texts and its values, and no field reaches across them.
 */
function withSlots(clean: string): Markup {
  const parts: (string | Slot)[] = []
  for (const [place, piece] of clean.split(/(<[^<>]*>)/).entries()) {
    if (place % 2 === 0) parts.push(...slotsIn(piece, 'text'))
    else if (!piece.includes('{{')) parts.push(piece)
    else {
      // Every second piece is a value; what stands before it ends with its name.
      const pieces = piece.split('"')
      for (const [at, each] of pieces.entries()) {
        const isAddress = / href=$/.test(pieces[at - 1] ?? '')
        parts.push(...(at % 2 === 1 ? slotsIn(each, isAddress ? 'address' : 'text') : [each]))
        if (at < pieces.length - 1) parts.push('"')
      }
    }
  }
  return new Markup(parts)
}

function slotsIn(escaped: string, kind: 'text' | 'address'): (string | Slot)[] {
  return mergeParts(escaped).map((part) => (typeof part === 'string' ? part : slot(part, kind)))
}

/** Read from what is escaped already: the fallback is ready, the name is to be read back. */
function slot({ name, fallback }: MergeField, kind: 'text' | 'address'): Slot {
  const plain = name.replace(/&(amp|lt|gt|quot);/gi, (_, entity: string) => entities[entity.toLowerCase()] ?? '')
  return { kind, name: plain, fallback }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Whether the HTML has a main heading of its own. */
export function hasMainTitle({ parts }: Markup): boolean {
  return parts.some((part) => typeof part === 'string' && part.includes('<h1'))
}
