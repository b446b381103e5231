import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Font } from 'fontkit'
import PDFDocument from 'pdfkit'
import type { FontSet } from './fonts.ts'
import { cleanText, isDrawn, isPlain, layOut, type Run } from './text.ts'
import { parseFonts } from './variable-font.ts'

/** The size of an A4 page and its margin, in points. */
export const page = { width: 595.28, height: 841.89, margin: 50 }
/** The bottom of the content area. The footer is below it. */
export const bottom = page.height - 90

export type Canvas = InstanceType<typeof PDFDocument>

const require = createRequire(import.meta.url)

/** The private fields of pdfkit that contain the current font. */
interface CanvasInternals {
  _font: { font: Font; ascender: number }
}

/** Parsed fonts. Parsing one takes longer than drawing a page, and pdfkit accepts a parsed font. */
const fontCache = new Map<string, Font>()

/** Returns a weight of DejaVu, the font of all characters that it contains. */
export function dejaVu(weight: 'plain' | 'bold'): Font {
  const file = weight === 'bold' ? 'DejaVuSans-Bold' : 'DejaVuSans'
  const font =
    fontCache.get(file) ?? (parseFonts(readFileSync(require.resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`)))[0] as Font)
  fontCache.set(file, font)
  return font
}

/** The further fonts of a document, and the names of those that pdfkit has. */
interface CanvasFonts {
  readonly set: FontSet
  readonly registered: Set<string>
  /** Widths of runs, and lines of texts: both are needed for the height of a row and for its drawing. */
  readonly widths: Map<string, number>
  readonly lines: Map<string, Run[][]>
}

const fontsOf = new WeakMap<Canvas, CanvasFonts>()

/** Creates an empty document. It does no layout: callers position all text and add pages. */
export function createCanvas(info: { title: string; author: string; date: Date }, set: FontSet): Canvas {
  const canvas = new PDFDocument({
    size: [page.width, page.height],
    margin: 0,
    bufferPages: true,
    info: { Title: info.title, Author: info.author, CreationDate: info.date, ModDate: info.date },
  })
  for (const weight of ['plain', 'bold'] as const) canvas.registerFont(weight, dejaVu(weight) as unknown as Buffer)
  fontsOf.set(canvas, { set, registered: new Set(), widths: new Map(), lines: new Map() })
  return canvas.font('plain').fontSize(9).fillColor('#222222')
}

/** Space between two lines, in points. */
const lineGap = 1.5

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
  const drawable = toDrawableText(canvas, text)
  canvas.font(font).fontSize(size).fillColor(color)
  if (drawable === '') return y
  if (!isPlain(drawable)) return drawRuns(canvas, drawable, options)
  const layout = { width, align, lineGap }
  const fullHeight = canvas.heightOfString(drawable, layout)
  canvas.text(drawable, x, y, height === undefined ? layout : { ...layout, height, ellipsis: true })
  return y + Math.min(fullHeight, height ?? fullHeight)
}

/** Measures the height of text that is wrapped at a width. */
export function measureHeight(canvas: Canvas, text: string, width: number, size = 9): number {
  canvas.font('plain').fontSize(size)
  const drawable = toDrawableText(canvas, text)
  if (isPlain(drawable)) return canvas.heightOfString(drawable, { width, lineGap })
  return breakText(canvas, drawable, { width, size, font: 'plain' }).length * lineHeight(canvas, size)
}

/** Draws text of several fonts or directions, wrapped at a width. Returns the y coordinate of its end. */
function drawRuns(
  canvas: Canvas,
  text: string,
  { x, y, width, height, font = 'plain', size = 9 }: TextOptions,
): number {
  const lines = breakText(canvas, text, { width, size, font })
  const step = lineHeight(canvas, size)
  const most = height === undefined ? lines.length : Math.max(1, Math.floor((height + lineGap) / step))
  const shown = lines.slice(0, most)
  if (shown.length < lines.length) shown.push([...(shown.pop() ?? []), { text: '…', font }])
  canvas.font('plain').fontSize(size)
  const ascender = ((canvas as unknown as CanvasInternals)._font.ascender * size) / 1000
  for (const [index, line] of shown.entries()) {
    let at = x
    for (const run of line) {
      canvas.font(run.font).fontSize(size)
      canvas.text(run.text, at, y + index * step + ascender, {
        lineBreak: false,
        baseline: 'alphabetic',
        features: wholeRun,
      })
      at += widthOf(canvas, run, size)
    }
  }
  return y + shown.length * step
}

/**
 * With a list of features, even an empty one, pdfkit lays out a text as a whole instead of word by word, which separates Arabic
 * words.
 */
const wholeRun: PDFKit.Mixins.OpenTypeFeatures[] = []

function widthOf(canvas: Canvas, { text, font }: Run, size: number): number {
  const { widths } = fontsOf.get(canvas) as CanvasFonts
  const key = `${size} ${font} ${text}`
  const width = widths.get(key) ?? canvas.font(font).fontSize(size).widthOfString(text, { features: wholeRun })
  widths.set(key, width)
  return width
}

function lineHeight(canvas: Canvas, size: number): number {
  return canvas.font('plain').fontSize(size).currentLineHeight(true) + lineGap
}

/** Breaks text into lines of runs. */
function breakText(
  canvas: Canvas,
  text: string,
  { width, size, font }: { width: number; size: number; font: 'plain' | 'bold' },
): Run[][] {
  const { lines } = fontsOf.get(canvas) as CanvasFonts
  const key = `${width} ${size} ${font} ${text}`
  const fonts = {
    fontOf: (cluster: string) => fontOfCluster(canvas, text, cluster, font),
    widthOf: (run: Run) => widthOf(canvas, run, size),
  }
  const broken = lines.get(key) ?? text.split('\n').flatMap((paragraph) => layOut(paragraph, width, fonts))
  lines.set(key, broken)
  return broken
}

/** Returns the name of the font of characters that are drawn together, and registers the font. */
function fontOfCluster(canvas: Canvas, text: string, cluster: string, weight: 'plain' | 'bold'): string {
  const drawn = [...cluster].filter(isDrawn)
  const hasAll = (font: Font) => drawn.every((each) => font.hasGlyphForCodePoint(each.codePointAt(0) as number))
  const own = [weight, 'plain' as const].find((each) => hasAll(dejaVu(each)))
  if (own) return own
  const { set, registered } = fontsOf.get(canvas) as CanvasFonts
  const extras = drawn.flatMap((each) => set.find(text, each) ?? [])
  const extra = extras.find(({ plain }) => hasAll(plain)) ?? extras[0]
  if (!extra) return 'plain'
  const name = `${extra.name} ${weight}`
  if (!registered.has(name)) canvas.registerFont(name, extra[weight] as unknown as Buffer)
  registered.add(name)
  return name
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

/** Replaces the characters that no font has, because pdfkit draws these wider than it measures. */
function toDrawableText(canvas: Canvas, text: string): string {
  const clean = cleanText(text)
  if (isPlain(clean)) return clean
  const set = fontsOf.get(canvas)?.set
  return Array.from(clean, (character) => {
    const isKnown = !isDrawn(character) || dejaVu('plain').hasGlyphForCodePoint(character.codePointAt(0) as number)
    return isKnown || set?.find(clean, character) ? character : '\ufffd'
  }).join('')
}
