import { decodeHTMLStrict } from 'entities'
import sanitizeHtml, { type Attributes } from 'sanitize-html'
import { type MergeField, mergeParts, renamed } from '../../../contacts/rendering.ts'
import { htmlFault } from '../../../kernel/web/html-limits.ts'
import { declarationsIn, type Sheet } from '../styles/style.ts'
import { linkWithStaticPath, Markup, type Slot, staticLink } from './markup.ts'

// HTML that authors can write: text, structure, links, images and tables. Scripts, frames and forms are removed. Styles are
// converted to classes. The attributes `id` and `class` of authors are removed, because the page assigns its own.

const allowedTags = [
  ...['p', 'br', 'hr', 'div', 'span', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'figure', 'figcaption'],
  ...['a', 'strong', 'b', 'em', 'i', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'code', 'kbd', 'q', 'cite'],
  ...['abbr', 'time', 'address', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'img'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
]

/** Tags that are removed with their content. The text in other tags that are not allowed is kept. */
const tagsRemovedWithContent = [
  ...['script', 'style', 'title', 'textarea', 'select', 'option', 'noscript', 'template', 'iframe', 'object', 'svg'],
  ...['math', 'xmp', 'noembed', 'noframes', 'plaintext', 'audio', 'video', 'canvas'],
]

const globalAttributes = ['class', 'title', 'lang', 'dir']

/** Limits of the HTML of one element. Sanitising slows down with the depth; 10,000 elements take about 0.2 s. */
const limits = { elements: 10_000, depth: 100, attributes: 100 }

/** Returns a message about the limit that the HTML exceeds, or undefined if it exceeds none. */
export function htmlFaultOf(html: string): string | undefined {
  return htmlFault(html, limits)
}

/** Sanitises the HTML of an author and creates slots for its merge fields. Returns empty markup if it exceeds a limit. */
export function sanitised(html: string, sheet: Sheet): Markup {
  if (htmlFaultOf(html) !== undefined) return new Markup([])
  const clean = sanitizeHtml(html, {
    allowedTags,
    allowedAttributes: {
      '*': globalAttributes,
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
    nonTextTags: tagsRemovedWithContent,
    nestingLimit: 60,
    parseStyleAttributes: false,
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: attributesOf(tagName, attribs, sheet) }) },
  })
  return withSlots(clean)
}

function attributesOf(tag: string, original: Attributes, sheet: Sheet): Attributes {
  const { style, class: _class, target, rel: _rel, href, src, align, ...attributes } = original
  const declarations = declarationsIn(`${align ? `text-align:${align};` : ''}${style ?? ''}`)
  const name = sheet.classOf(declarations)
  const link = tag === 'a' && href !== undefined ? linkWithStaticPath(href.trim()) : undefined
  const source = tag === 'img' && src !== undefined ? staticLink(src.trim()) : undefined
  return {
    ...attributes,
    ...(tag === 'img' && { alt: original['alt'] ?? '', loading: 'lazy' }),
    ...(name !== undefined && { class: name }),
    ...(link !== undefined && { href: link }),
    ...(source && { src: source }),
    ...(target === '_blank' && { target, rel: 'noopener' }),
  }
}

/**
 * Creates slots for the merge fields of sanitised HTML. The sanitiser escapes `<` and `>` in text, and `"` in attribute
 * values. The pieces between these characters are therefore whole texts and whole values, and no merge field spans two.
 */
function withSlots(clean: string): Markup {
  const parts: (string | Slot)[] = []
  for (const [place, piece] of clean.split(/(<[^<>]*>)/).entries()) {
    if (place % 2 === 0) parts.push(...slotsIn(piece, 'text'))
    else if (!piece.includes('{{')) parts.push(piece)
    else {
      // Every second piece is an attribute value. The piece before it ends with the attribute name.
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

/** Creates a slot from escaped HTML. The fallback stays escaped; the name is unescaped. */
function slot({ index: _, length: __, ...field }: MergeField, kind: 'text' | 'address'): Slot {
  return { kind, ...renamed(field, (name) => decodeHTMLStrict(name)) }
}

/** Whether the HTML contains an `<h1>`. */
export function hasMainTitle({ parts }: Markup): boolean {
  return parts.some((part) => typeof part === 'string' && part.includes('<h1'))
}
