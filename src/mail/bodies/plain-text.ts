import { compile, type DomNode, type FormatCallback } from 'html-to-text'
import { urlIn } from './html-outline.ts'
import { displayOf, hidesContent, isBlank, isHidden } from './visibility.ts'

// Characters that no text may contain stand for what is decided once all text is known.
/** The edge of an image, a box or a link: a space if words would otherwise be glued together. */
const edge = '\ufdd0'
/** The end of a cell of a table. */
const cellEnd = '\ufdd1'
const marks = /[\ufdd0\ufdd1]/g

/** The gap between the cells of a row. */
const gap = '   '

/** Converts HTML to plain text, as a reader sees it. URLs follow the text of links; images become their alternative text. */
export function htmlToText(html: string): string {
  return tidy(convert(html.replace(marks, '')))
}

const blocks = [
  ...['address', 'article', 'aside', 'body', 'caption', 'center', 'dd', 'details', 'dialog', 'dir', 'div', 'dl', 'dt'],
  ...[
    'fieldset',
    'figcaption',
    'figure',
    'footer',
    'form',
    'header',
    'hgroup',
    'html',
    'legend',
    'main',
    'menu',
    'nav',
  ],
  ...['search', 'section', 'summary', 'table', 'tbody', 'tfoot', 'thead'],
]
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const boxes = ['button', 'label', 'td', 'th']

/** Blocks inside a cell that are written on one line with the other cells of their row, by this name. */
const inlineBlock = 'x-inline-block'

const shown =
  (format: string): FormatCallback =>
  (element, walk, builder, options) => {
    const attributes: Record<string, string> = element.attribs ?? {}
    if (isHidden(attributes) || hidesContent(element.name ?? '')) return
    formats(builder)[format]?.(element, walk, builder, options)
  }

type Builder = Parameters<FormatCallback>[2]

function formats({ options }: Builder): Record<string, FormatCallback> {
  return options.formatters ?? {}
}

/** Elements without a format of their own: as their style says, else within the line. */
const formatOther: FormatCallback = (element, walk, builder, options) => {
  const display = displayOf(element.attribs ?? {})
  const format = display === 'block' ? 'block' : display === 'box' ? 'box' : 'inline'
  formats(builder)[format]?.(element, walk, builder, options)
}

const formatBox: FormatCallback = (element, walk, builder) => {
  builder.addInline(edge)
  walk(element.children, builder)
  builder.addInline(edge)
}

const formatImage: FormatCallback = (element, _walk, builder) => {
  const { alt = '', title = '' }: Record<string, string> = element.attribs ?? {}
  const text = isBlank(alt) ? title : alt
  if (!isBlank(text)) builder.addInline(`${edge}${text.trim()}${edge}`)
}

const formatAnchor: FormatCallback = (element, walk, builder) => {
  const href = urlOf(element.attribs?.href)
  let text = ''
  builder.pushWordTransform((word) => {
    text += word
    return word
  })
  walk(element.children, builder)
  builder.popWordTransform()
  if (href === '') return
  const isSame = isAddress(text.replace(marks, ''), href)
  const isEmpty = isBlank(text.replace(marks, ''))
  const url = isSame ? '' : isEmpty ? href : ` [${href}]`
  builder.addInline(`${isEmpty ? edge : ''}${url}${edge}`, { noWordTransform: true })
}

const formatArea: FormatCallback = (element, _walk, builder) => {
  const href = urlOf(element.attribs?.href)
  const alt: string = element.attribs?.alt ?? ''
  if (href !== '') builder.addInline(`${edge}${isBlank(alt) ? href : `${alt.trim()} [${href}]`}${edge}`)
}

/** A row is one line if its cells are short. The cells of a layout follow each other. */
const formatRow: FormatCallback = (element, walk, builder) => {
  const cells = (element.children ?? []).filter(
    ({ name, attribs }: DomNode) => (name === 'td' || name === 'th') && !isHidden(attribs ?? {}),
  )
  const isLine = cells.every(isShort)
  builder.openBlock({ leadingLineBreaks: 1 })
  for (const cell of cells) {
    if (isLine) {
      putOnLine(cell)
      walk([cell], builder)
      builder.addInline(cellEnd)
    } else {
      builder.openBlock({ leadingLineBreaks: 1 })
      walk([cell], builder)
      builder.closeBlock({ trailingLineBreaks: 1 })
    }
  }
  builder.closeBlock({ trailingLineBreaks: 1 })
}

const formatList: FormatCallback = (element, walk, builder, options) => {
  const { name, attribs = {} } = element
  element.children = (element.children ?? []).filter(
    (child: DomNode) => child.type === 'text' || (child.type === 'tag' && !isHidden(child.attribs ?? {})),
  )
  // The number of characters of a Roman number grows with its value.
  if (!/^\d{1,4}$/.test(attribs.start ?? '')) delete attribs.start
  formats(builder)[name === 'ol' ? 'orderedList' : 'unorderedList']?.(element, walk, builder, options)
}

const convert = compile({
  wordwrap: false,
  // Text outside the body is shown by all programs.
  baseElements: { selectors: [] },
  formatters: {
    ...Object.fromEntries(
      [
        'block',
        'blockquote',
        'heading',
        'paragraph',
        'pre',
        'other',
        'box',
        'image',
        'anchor',
        'area',
        'row',
        'list',
      ].map((format) => [
        `shown ${format}`,
        shown(format === 'image' || format === 'anchor' ? `own ${format}` : format),
      ]),
    ),
    other: formatOther,
    box: formatBox,
    'own image': formatImage,
    'own anchor': formatAnchor,
    area: formatArea,
    row: formatRow,
    list: formatList,
  },
  selectors: [
    { selector: '*', format: 'shown other' },
    ...blocks.map((selector) => ({ selector, format: 'shown block', options: lines(1) })),
    ...['dl', 'figure', 'table'].map((selector) => ({ selector, format: 'shown block', options: lines(2) })),
    ...headings.map((selector) => ({ selector, format: 'shown heading', options: { uppercase: false } })),
    ...[...boxes, inlineBlock].map((selector) => ({ selector, format: 'shown box' })),
    { selector: 'a', format: 'shown anchor' },
    { selector: 'area', format: 'shown area' },
    { selector: 'blockquote', format: 'shown blockquote' },
    { selector: 'img', format: 'shown image' },
    { selector: 'ol', format: 'shown list' },
    { selector: 'ul', format: 'shown list' },
    { selector: 'p', format: 'shown paragraph' },
    { selector: 'pre', format: 'shown pre' },
    { selector: 'tr', format: 'shown row' },
  ],
})

function lines(count: number) {
  return { leadingLineBreaks: count, trailingLineBreaks: count }
}

/** The URL of a link as text, or an empty string if it leads nowhere. */
function urlOf(href: string | undefined): string {
  const url = urlIn(href ?? '')
  if (url.startsWith('#') || /^javascript:/i.test(url)) return ''
  // White space and brackets would end the URL. Merge fields may contain both.
  return url.replace(/\{\{[^{}]*\}\}|[\s[\]]/g, (part) => (part.length > 1 ? part : encodeURIComponent(part)))
}

/** Whether the text of a link is its address. */
function isAddress(text: string, href: string): boolean {
  const plain = (url: string) => url.replace(/^(?:mailto|tel):/i, '').replace(/\s+|\/$/g, '')
  return plain(text) === plain(href)
}

/** Maximum number of characters and of nodes of a cell that is written on one line. */
const shortCell = { characters: 80, nodes: 60 }
const longElements = new Set(['table', 'ul', 'ol', 'dl', 'pre', 'hr', 'blockquote', ...headings])
const lineElements = new Set([...blocks, 'p', 'br'])

function isShort(cell: DomNode): boolean {
  let characters = 0
  let nodes = 0
  const waiting = [...(cell.children ?? [])]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes += 1
    characters += node.type === 'text' ? (node.data ?? '').trim().length : 0
    const isLong = nodes > shortCell.nodes || characters > shortCell.characters
    if (isLong || longElements.has(node.name ?? '')) return false
    const children = node.children ?? []
    if (children.length > shortCell.nodes) return false
    waiting.push(...children)
  }
  return true
}

function putOnLine(cell: DomNode): void {
  for (const child of cell.children ?? []) {
    if (lineElements.has(child.name ?? '')) child.name = inlineBlock
    putOnLine(child)
  }
}

/** Replaces marks, and removes characters that show nothing. */
function tidy(text: string): string {
  return text
    .replace(/\u034f|[\u00ad\u200b\u2060-\u2064\ufeff]/g, '')
    .replace(/(?<![^\s\u00a0\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\s\u00a0\u200c\u200d])/g, '')
    .split('\n')
    .flatMap(tidyLine)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd()
}

function tidyLine(line: string): string[] {
  const isMarked = line.search(marks) >= 0
  const plain = line.replace(/[ \u00a0\u2000-\u200a\u202f\u205f\u2800\u3164]+/g, (run) =>
    /[^ ]/.test(run) ? ' ' : run,
  )
  if (!isMarked) return [plain.trimEnd()]
  const cells = plain.split(cellEnd).map(separate)
  const text = (cells.length > 1 ? [cells[0]?.trimEnd() ?? '', ...cells.slice(1).map((cell) => cell.trim())] : cells)
    .filter((cell) => !isBlank(cell))
    .join(gap)
    .trimEnd()
  return text === '' ? [] : [text]
}

/** Puts spaces where words of different boxes, images or links would touch. */
function separate(text: string): string {
  let done = ''
  for (const piece of text.split(edge)) {
    const touches = done !== '' && piece !== '' && !/[\s([{<"'«“‘]$/.test(done) && !/^[\s)\]}>.,;:!?…"'»”’]/.test(piece)
    done += touches ? ` ${piece}` : piece
  }
  return done
}
