import { type BrandStyle, fonts, type MessageBlock, type ShownDocument, textColorOn } from '../../content/rendering.ts'
import { escapeHtml } from '../../kernel/web/html.ts'
import { styleOf } from '../compile/style.ts'

// A picture of a document as SVG: sections, columns and buttons in their colours, the first words of texts, boxes for pictures.

/** Maximum size in bytes. What would exceed it is left out. */
const maxBytes = 8_000

/** Size of the picture in the units of a message, which is 600 pixels wide. */
const [width, height] = [600, 800]
const side = 24

/** Maximum lines of one text. */
const maxLines = 14

interface Colors {
  readonly text: string
  readonly accent: string
  readonly background: string
}

/** Where the next block of a column begins, and what was drawn. */
interface Pen {
  readonly left: number
  readonly width: number
  readonly colors: Colors
  y: number
  readonly parts: string[]
}

/** Draws a document in the style of a brand, at most its first 800 pixels. The text is escaped, and nothing is referred to. */
export function thumbnailOf(document: ShownDocument, brand: BrandStyle): string {
  const style = styleOf(document, brand)
  const begin =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="${escapeHtml(fonts[style.font])}">` +
    box(0, 0, width, height, style.backgroundColor)
  const drawn = [begin]
  let [y, bytes] = [0, Buffer.byteLength(begin) + 6]
  for (const section of document.sections) {
    if (y >= height) break
    const { padding = 16, columns } = section
    const background = section.backgroundColor ?? style.contentColor
    const text = section.backgroundColor === undefined ? style.textColor : textColorOn(background)
    const given = columns.reduce((sum, column) => sum + (column.width ?? 0), 0)
    const free = (12 - given) / (columns.filter((column) => column.width === undefined).length || 1)
    let [left, end] = [0, y + padding]
    const parts: string[] = []
    for (const column of columns) {
      const columnWidth = ((column.width ?? free) / 12) * width
      const colors = { text, accent: style.accentColor, background }
      const pen: Pen = { left: left + side, width: columnWidth - 2 * side, colors, y: y + padding, parts }
      for (const block of column.blocks) {
        if (pen.y >= height) break
        draw(block, pen, brand)
      }
      left += columnWidth
      end = Math.max(end, pen.y)
    }
    const bottom = Math.min(end + padding, height)
    for (const part of [box(0, y, width, bottom - y, background), ...parts]) {
      bytes += Buffer.byteLength(part)
      if (bytes > maxBytes) break
      drawn.push(part)
    }
    y = bottom
  }
  return `${drawn.join('')}</svg>`
}

const headingSizes = { 1: 28, 2: 22, 3: 18 } as const

function draw(block: MessageBlock, pen: Pen, brand: BrandStyle): void {
  switch (block.type) {
    case 'heading': {
      const size = headingSizes[(block.level ?? 2) as 1 | 2 | 3]
      write(pen, textsOf(block.content), { size, isBold: true, align: block.align, color: block.color })
      return
    }
    case 'text':
      write(pen, textsOf(block.content), { size: 16, align: block.align, color: block.color })
      return
    case 'image':
      picture(pen, block.width === undefined ? pen.width : Math.min(block.width, pen.width), pen.width / 2)
      return
    case 'video':
      picture(pen, pen.width, pen.width / 2)
      return
    case 'logo':
      if (brand.logo) picture(pen, Math.min(block.width ?? 160, pen.width), 40)
      return
    case 'button':
      button(pen, block.text, block.backgroundColor ?? pen.colors.accent, block.align ?? 'center', block.fullWidth)
      return
    case 'divider':
      pen.parts.push(box(pen.left, pen.y + 9, pen.width, 2, block.color ?? '#c4cad3'))
      pen.y += 20
      return
    case 'spacer':
      pen.y += block.height ?? 24
      return
    case 'social': {
      const links = block.links ?? brand.links
      if (links.length > 0) write(pen, [links.map(({ network }) => network).join(' · ')], { size: 14, align: 'center' })
      return
    }
    case 'product':
      if (block.src !== undefined) picture(pen, pen.width, pen.width * 0.75)
      write(pen, [block.name], { size: 18, isBold: true, align: block.align })
      write(pen, [block.price ?? '', block.description ?? ''].filter(Boolean), { size: 16, align: block.align })
      if (block.button !== undefined) button(pen, block.button, pen.colors.accent, block.align ?? 'left')
      return
    case 'html':
      picture(pen, pen.width, 60)
      return
    case 'footer': {
      const address = block.address ?? brand.address
      const lines = [block.text ?? '', ...address.split('\n'), block.unsubscribe ?? 'Unsubscribe'].filter(Boolean)
      write(pen, lines, { size: 13, align: block.align ?? 'center' })
      return
    }
  }
}

interface Writing {
  readonly size: number
  readonly isBold?: boolean
  readonly align?: string | undefined
  readonly color?: string | undefined
}

/** Writes paragraphs, in lines of about as many characters as fit. */
function write(
  pen: Pen,
  paragraphs: readonly string[],
  { size, isBold = false, align = 'left', color }: Writing,
): void {
  const perLine = Math.max(Math.floor(pen.width / (size * (isBold ? 0.56 : 0.5))), 4)
  const lines = paragraphs.flatMap((paragraph) => linesOf(paragraph, perLine)).slice(0, maxLines)
  const [x, anchor] =
    align === 'center'
      ? [pen.left + pen.width / 2, 'middle']
      : align === 'right'
        ? [pen.left + pen.width, 'end']
        : [pen.left, 'start']
  pen.y += 10
  const attributes = `font-size="${size}"${isBold ? ' font-weight="bold"' : ''} fill="${color ?? pen.colors.text}"`
  for (const line of lines) {
    pen.y += Math.round(size * 1.4)
    if (pen.y > height) return
    pen.parts.push(
      `<text x="${round(x)}" y="${round(pen.y - size * 0.3)}" text-anchor="${anchor}" ${attributes}>${clean(line)}</text>`,
    )
  }
  pen.y += 8
}

function button(pen: Pen, label: string, color: string, align: string, isFull = false): void {
  const size = isFull ? pen.width : Math.min(label.length * 9 + 48, pen.width)
  const left =
    align === 'center' ? pen.left + (pen.width - size) / 2 : align === 'right' ? pen.left + pen.width - size : pen.left
  const fits = label.slice(0, Math.max(Math.floor((size - 20) / 9), 1))
  pen.parts.push(
    `<rect x="${round(left)}" y="${round(pen.y + 10)}" width="${round(size)}" height="44" rx="6" fill="${color}"/>` +
      `<text x="${round(left + size / 2)}" y="${round(pen.y + 38)}" text-anchor="middle" font-size="16" font-weight="bold" fill="${textColorOn(color)}">${clean(fits)}</text>`,
  )
  pen.y += 64
}

/** A box in the place of a picture. */
function picture(pen: Pen, size: number, tall: number): void {
  pen.parts.push(
    box(pen.left, pen.y + 10, size, tall, textColorOn(pen.colors.background) === '#ffffff' ? '#6b7684' : '#c9d1da'),
  )
  pen.y += tall + 20
}

function box(x: number, y: number, wide: number, tall: number, color: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(wide)}" height="${round(tall)}" fill="${color}"/>`
}

function linesOf(paragraph: string, perLine: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.slice(0, perLine * maxLines * 2).split(/\s+/)) {
    if (line !== '' && line.length + word.length >= perLine) {
      lines.push(line)
      line = ''
    }
    line = `${line}${line === '' ? '' : ' '}${word.slice(0, perLine)}`
  }
  return [...lines, line].filter((each) => each !== '')
}

interface TextNode {
  readonly type: string
  readonly text?: string
  readonly attrs?: { readonly name?: string; readonly fallback?: string | null | undefined }
  readonly content?: readonly TextNode[]
}

/** Returns the words of formatted text without formats, a string for each paragraph. Merge fields are their fallbacks. */
function textsOf(nodes: unknown): string[] {
  if (!Array.isArray(nodes)) return textsOf((nodes as TextNode).content ?? [])
  const all = nodes as readonly TextNode[]
  if (all.every(({ type }) => inlineTypes.has(type))) return [all.map(wordOf).join('')]
  return all.flatMap((node) => {
    if (node.type === 'paragraph') return textsOf(node.content ?? [])
    return (node.content ?? []).flatMap((item) => textsOf(item.content ?? []).map((text) => `• ${text}`))
  })
}

const inlineTypes = new Set(['text', 'mergeField', 'hardBreak'])

function wordOf({ text, attrs }: TextNode): string {
  return text ?? (attrs ? attrs.fallback || (attrs.name ?? '') : ' ')
}

/** Escapes text, without the characters that XML does not allow. */
function clean(text: string): string {
  return escapeHtml(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
