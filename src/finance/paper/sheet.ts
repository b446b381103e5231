import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'

/** A4 in points, and what stays free around what is written. */
export const page = { width: 595.28, height: 841.89, margin: 50 }
/** Below this stands the footer. */
export const bottom = page.height - 90

export type Sheet = InstanceType<typeof PDFDocument>

const require = createRequire(import.meta.url)

/** A font as fontkit has read it. */
interface Font {
  hasGlyphForCodePoint(codePoint: number): boolean
}

/** What pdfkit keeps to itself: the font it writes with. */
interface WithFont {
  _font: { font: Font }
}

/** Reading a font takes longer than drawing a page, and pdfkit takes one that was read before. */
const read = new Map<string, Font>()

/** Gives a sheet a font: DejaVu covers Latin, Greek, Cyrillic and more, and not Chinese, Japanese or Korean. */
function addFont(sheet: Sheet, name: string, file: string): void {
  const source = read.get(file) ?? readFileSync(require.resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`))
  sheet.registerFont(name, source as Buffer)
  read.set(file, currentFont(sheet.font(name)))
}

function currentFont(sheet: Sheet): Font {
  return (sheet as unknown as WithFont)._font.font
}

/** An empty sheet. Nothing on it moves by itself: whoever writes says where, and begins pages. */
export function newSheet(info: { title: string; author: string; date: Date }): Sheet {
  const sheet = new PDFDocument({
    size: [page.width, page.height],
    margin: 0,
    bufferPages: true,
    info: { Title: info.title, Author: info.author, CreationDate: info.date, ModDate: info.date },
  })
  addFont(sheet, 'plain', 'DejaVuSans')
  addFont(sheet, 'bold', 'DejaVuSans-Bold')
  return sheet.font('plain').fontSize(9).fillColor('#222222')
}

export interface Written {
  x: number
  y: number
  width: number
  font?: 'plain' | 'bold'
  size?: number
  color?: string
  align?: 'left' | 'right'
  /** What does not fit into it is cut, and three dots say so. */
  height?: number
}

/** Writes text within a width, on as many lines as it takes; answers where it ends. */
export function write(sheet: Sheet, given: string, at: Written): number {
  const { x, y, width, height } = at
  const text = drawable(sheet.font(at.font ?? 'plain'), given)
  sheet.fontSize(at.size ?? 9).fillColor(at.color ?? '#222222')
  if (text === '') return y
  const options = { width, align: at.align ?? ('left' as const), lineGap: 1.5 }
  const tall = sheet.heightOfString(text, options)
  const shown = height === undefined ? tall : Math.min(tall, height)
  sheet.text(text, x, y, height === undefined ? options : { ...options, height, ellipsis: true })
  return y + shown
}

/** How high text within a width is. */
export function heightOf(sheet: Sheet, text: string, width: number, size = 9): number {
  sheet.font('plain').fontSize(size)
  return sheet.heightOfString(drawable(sheet, text), { width, lineGap: 1.5 })
}

/** Writes a figure on one line, to the right of its column; one that is too wide is written smaller. */
export function figure(sheet: Sheet, text: string, at: Written): void {
  let size = at.size ?? 9
  sheet.font(at.font ?? 'plain')
  while (size > 4 && sheet.fontSize(size).widthOfString(text) > at.width) size -= 0.5
  sheet
    .fontSize(size)
    .fillColor(at.color ?? '#222222')
    .text(text, at.x, at.y, { width: at.width + 1, align: 'right', lineBreak: false })
}

/** A thin line across. */
export function rule(sheet: Sheet, y: number, from = page.margin, to = page.width - page.margin): void {
  sheet.moveTo(from, y).lineTo(to, y).lineWidth(0.5).strokeColor('#999999').stroke()
}

/** The sheet as a PDF. */
export async function bytesOf(sheet: Sheet): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  const done = new Promise<void>((resolve, reject) => {
    sheet.on('data', (chunk: Buffer) => chunks.push(chunk))
    sheet.on('end', resolve)
    sheet.on('error', reject)
  })
  sheet.end()
  await done
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Text as the current font can draw it: without control characters but line ends, and with a replacement for what the font
 * lacks, which pdfkit would draw wider than it measures.
 */
function drawable(sheet: Sheet, text: string): string {
  const font = currentFont(sheet)
  const plain = text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ')
  return Array.from(plain, (character) => {
    if (character === '\n') return character
    if (/[\p{Cc}\p{Cf}]/u.test(character)) return ''
    return font.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : '\ufffd'
  }).join('')
}
