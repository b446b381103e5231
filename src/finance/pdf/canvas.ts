import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'

/** The size of an A4 page and its margin, in points. */
export const page = { width: 595.28, height: 841.89, margin: 50 }
/** The bottom of the content area. The footer is below it. */
export const bottom = page.height - 90

export type Canvas = InstanceType<typeof PDFDocument>

const require = createRequire(import.meta.url)

/** A font as fontkit parses it. */
interface Font {
  hasGlyphForCodePoint(codePoint: number): boolean
}

/** The private field of pdfkit that contains the current font. */
interface CanvasInternals {
  _font: { font: Font }
}

/** Parsed fonts. Parsing one takes longer than drawing a page, and pdfkit accepts a parsed font. */
const fontCache = new Map<string, Font>()

/** Registers a font. DejaVu covers Latin, Greek, Cyrillic and more, but not Chinese, Japanese or Korean. */
function addFont(canvas: Canvas, name: string, file: string): void {
  const source = fontCache.get(file) ?? readFileSync(require.resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`))
  canvas.registerFont(name, source as Buffer)
  fontCache.set(file, currentFont(canvas.font(name)))
}

function currentFont(canvas: Canvas): Font {
  return (canvas as unknown as CanvasInternals)._font.font
}

/** Creates an empty document. It does no layout: callers position all text and add pages. */
export function createCanvas(info: { title: string; author: string; date: Date }): Canvas {
  const canvas = new PDFDocument({
    size: [page.width, page.height],
    margin: 0,
    bufferPages: true,
    info: { Title: info.title, Author: info.author, CreationDate: info.date, ModDate: info.date },
  })
  addFont(canvas, 'plain', 'DejaVuSans')
  addFont(canvas, 'bold', 'DejaVuSans-Bold')
  return canvas.font('plain').fontSize(9).fillColor('#222222')
}

interface TextOptions {
  x: number
  y: number
  width: number
  font?: 'plain' | 'bold'
  size?: number
  color?: string
  align?: 'left' | 'right'
  /** Maximum height. Longer text is truncated with an ellipsis. */
  height?: number
}

/** Draws text, wrapped at a width. Returns the y coordinate of its end. */
export function drawText(canvas: Canvas, text: string, options: TextOptions): number {
  const { x, y, width, height, font = 'plain', size = 9, color = '#222222', align = 'left' } = options
  const drawable = toDrawableText(canvas.font(font), text)
  canvas.fontSize(size).fillColor(color)
  if (drawable === '') return y
  const layout = { width, align, lineGap: 1.5 }
  const fullHeight = canvas.heightOfString(drawable, layout)
  canvas.text(drawable, x, y, height === undefined ? layout : { ...layout, height, ellipsis: true })
  return y + Math.min(fullHeight, height ?? fullHeight)
}

/** Measures the height of text that is wrapped at a width. */
export function measureHeight(canvas: Canvas, text: string, width: number, size = 9): number {
  canvas.font('plain').fontSize(size)
  return canvas.heightOfString(toDrawableText(canvas, text), { width, lineGap: 1.5 })
}

/** Draws a number on one line, aligned right. If it is too wide, its font size is reduced. */
export function drawNumber(canvas: Canvas, text: string, options: TextOptions): void {
  const { x, y, width, font = 'plain', color = '#222222' } = options
  let { size = 9 } = options
  canvas.font(font)
  while (size > 4 && canvas.fontSize(size).widthOfString(text) > width) size -= 0.5
  canvas
    .fontSize(size)
    .fillColor(color)
    .text(text, x, y, { width: width + 1, align: 'right', lineBreak: false })
}

/** Draws a thin horizontal line. */
export function drawRule(canvas: Canvas, y: number, from = page.margin, to = page.width - page.margin): void {
  canvas.moveTo(from, y).lineTo(to, y).lineWidth(0.5).strokeColor('#999999').stroke()
}

/** Ends the document and returns the PDF. */
export async function toBytes(canvas: Canvas): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  const end = new Promise<void>((resolve, reject) => {
    canvas.on('data', (chunk: Buffer) => chunks.push(chunk))
    canvas.on('end', resolve)
    canvas.on('error', reject)
  })
  canvas.end()
  await end
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Removes control characters except line breaks, and replaces characters that the current font lacks, because pdfkit draws
 * these wider than it measures.
 */
function toDrawableText(canvas: Canvas, text: string): string {
  const font = currentFont(canvas)
  const plain = text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ')
  return Array.from(plain, (character) => {
    if (character === '\n') return character
    if (/[\p{Cc}\p{Cf}]/u.test(character)) return ''
    return font.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : '\ufffd'
  }).join('')
}
