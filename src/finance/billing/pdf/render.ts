import { Decimal, decimal } from '../../../kernel/values/money.ts'
import { type Line, totalsByRate, type VatCalculation } from '../../amounts.ts'
import {
  bottom,
  type Canvas,
  createCanvas,
  dejaVu,
  drawNumber,
  drawRule,
  drawText,
  measureHeight,
  page,
  toBytes,
} from './canvas.ts'
import { loadFonts } from './fonts.ts'
import { formatAmount, formatDay, formatPrice, formatRate } from './format.ts'
import type { Buyer, Seller } from './parties.ts'
import { cleanText, isPlain } from './text.ts'

/** The content of an invoice or a credit note. */
export interface BillingDocument {
  readonly title: string
  readonly number: string
  readonly date: Date
  readonly zone: string
  readonly seller: Seller
  readonly buyer: Buyer
  readonly currency: string
  readonly vatCalculation: VatCalculation
  readonly lines: readonly Line[]
  readonly notes: readonly string[]
}

const columns = {
  name: { x: page.margin, width: 195 },
  quantity: { x: 255, width: 45 },
  unitPrice: { x: 306, width: 92 },
  vatRate: { x: 404, width: 40 },
  amount: { x: 450, width: page.width - page.margin - 450 },
} as const

const grey = '#666666'
const rowGap = 6

/** A rendered document, and the characters that no font has. The PDF contains a replacement character for each of them. */
export interface RenderedDocument {
  readonly body: Uint8Array<ArrayBuffer>
  readonly missingCharacters: string
}

/** Renders a document as a PDF. Equal documents have equal pages. Further fonts are searched in the folder. */
export async function renderDocument({
  content,
  fontsFolder,
}: {
  content: BillingDocument
  fontsFolder?: string | undefined
}): Promise<RenderedDocument> {
  const { title, number, seller, date } = content
  const fonts = await loadFonts(textsOf(content), dejaVu('plain'), fontsFolder)
  const canvas = createCanvas({ title: `${title} ${number}`, author: seller.companyName, date }, fonts)
  const headerEnd = drawHeader(canvas, content)
  const linesEnd = drawLines(canvas, content, headerEnd)
  drawTotals(canvas, content, linesEnd)
  drawFooters(canvas, content)
  return { body: await toBytes(canvas), missingCharacters: fonts.missing.join('') }
}

/** Renders a document with the built-in fonts. */
export async function renderPdf(content: BillingDocument): Promise<Uint8Array<ArrayBuffer>> {
  return (await renderDocument({ content })).body
}

/** Returns the texts of a document that people wrote. */
function textsOf({ seller, buyer, lines, notes }: BillingDocument): string[] {
  const texts = [...Object.values(seller), ...Object.values(buyer), ...lines.map(({ name }) => name), ...notes]
  return texts.map(cleanText).filter((text) => !isPlain(text))
}

const left = { x: page.margin, width: 250 }
const right = { x: 330, width: page.width - page.margin - 330 }

/** Draws seller, title and buyer. Returns the y coordinate of the first line. */
function drawHeader(canvas: Canvas, content: BillingDocument): number {
  const y = Math.max(drawSeller(canvas, content.seller), drawTitle(canvas, content)) + 24
  return drawBuyer(canvas, content.buyer, y) + 24
}

function drawSeller(canvas: Canvas, { companyName, address, vatNumber }: Seller): number {
  let y = drawText(canvas, companyName, { ...left, y: 50, font: 'bold', size: 12, height: 48 })
  y = drawText(canvas, address, { ...left, y: y + 3, height: 84 })
  return drawText(canvas, vatNumber && `VAT number ${vatNumber}`, { ...left, y: y + 2, height: 24 })
}

function drawTitle(canvas: Canvas, { title, number, date, zone, notes }: BillingDocument): number {
  let y = drawText(canvas, title, { ...right, y: 50, font: 'bold', size: 16 })
  y = drawText(canvas, `Number ${number}`, { ...right, y: y + 4 })
  y = drawText(canvas, `Date ${formatDay(date, zone)}`, { ...right, y: y + 1 })
  for (const note of notes) y = drawText(canvas, note, { ...right, y: y + 1, height: 60 })
  return y
}

function drawBuyer(canvas: Canvas, { companyName, name, email, address, vatNumber }: Buyer, top: number): number {
  const wide = { x: page.margin, width: 300 }
  const names = [companyName, name].filter(Boolean)
  const [first = email, ...others] = names
  let y = drawText(canvas, 'Bill to', { ...left, y: top, color: grey, size: 8 }) + 2
  y = drawText(canvas, first, { ...wide, y, font: 'bold', height: 48 })
  for (const line of [...others, names.length > 0 ? email : '']) {
    y = drawText(canvas, line, { ...wide, y: y + 1, height: 36 })
  }
  y = drawText(canvas, address, { ...wide, y: y + 1, height: 84 })
  return drawText(canvas, vatNumber && `VAT number ${vatNumber}`, { ...wide, y: y + 1, height: 24 })
}

function drawTableHead(canvas: Canvas, { currency, vatCalculation }: BillingDocument, y: number): number {
  const head = { color: grey, size: 8, y }
  const withVat = isGross(vatCalculation) ? ' with VAT' : ''
  drawText(canvas, 'Description', { ...columns.name, ...head })
  drawNumber(canvas, 'Quantity', { ...columns.quantity, ...head })
  drawNumber(canvas, `Unit price${withVat} (${currency})`, { ...columns.unitPrice, ...head })
  drawNumber(canvas, 'VAT', { ...columns.vatRate, ...head })
  drawNumber(canvas, `Amount${withVat} (${currency})`, { ...columns.amount, ...head })
  drawRule(canvas, y + 14)
  return y + 14 + rowGap
}

/** Draws a row for each line. A row that does not fit starts a new page with the head of the table. */
function drawLines(canvas: Canvas, content: BillingDocument, top: number): number {
  const { lines, currency, vatCalculation } = content
  let y = drawTableHead(canvas, content, top)
  for (const line of lines) {
    const height = measureHeight(canvas, line.name, columns.name.width)
    if (y + height > bottom) y = drawTableHead(canvas, content, addPage(canvas))
    drawText(canvas, line.name, { ...columns.name, y })
    drawNumber(canvas, line.quantity.toLocaleString('en'), { ...columns.quantity, y })
    drawNumber(canvas, formatPrice(line.unitPrice, currency), { ...columns.unitPrice, y })
    drawNumber(canvas, formatRate(line.vatRate), { ...columns.vatRate, y })
    const amount = isGross(vatCalculation) ? decimal(line.amount).plus(line.vat) : line.amount
    drawNumber(canvas, formatAmount(amount, currency), { ...columns.amount, y })
    y += height + rowGap
  }
  drawRule(canvas, y)
  return y + rowGap
}

/** Whether the prices and amounts of the lines are with VAT, as they were agreed with the buyer. */
function isGross(calculation: VatCalculation): boolean {
  return calculation === 'GROSS_BY_RATE'
}

/** Draws the totals without VAT, by VAT rate, and with VAT, on one page if possible. */
function drawTotals(canvas: Canvas, { lines, currency }: BillingDocument, top: number): void {
  const rates = totalsByRate(lines)
  const net = rates.reduce((total, rate) => total.plus(rate.amount), new Decimal(0))
  const vat = rates.reduce((total, rate) => total.plus(rate.vat), new Decimal(0))
  const rowHeight = 16
  let y = top + (rates.length + 3) * rowHeight > bottom ? addPage(canvas) : top
  const label = { x: 255, width: 189 }
  const row = (text: string, amount: Decimal, font: 'plain' | 'bold' = 'plain') => {
    if (y + rowHeight > bottom) y = addPage(canvas)
    drawNumber(canvas, text, { ...label, y, font })
    drawNumber(canvas, formatAmount(amount, currency), { ...columns.amount, y, font })
    y += rowHeight
  }
  row('Total without VAT', net)
  for (const rate of rates) {
    row(`VAT ${formatRate(rate.vatRate)} of ${formatAmount(rate.amount, currency)}`, rate.vat)
  }
  drawRule(canvas, y - 3, label.x)
  y += 3
  row(`Total ${currency}`, net.plus(vat), 'bold')
}

/** Draws the seller's footer and the page number on every page. */
function drawFooters(canvas: Canvas, { seller, title, number }: BillingDocument): void {
  const { count } = canvas.bufferedPageRange()
  for (let index = 0; index < count; index += 1) {
    canvas.switchToPage(index)
    const wide = { x: page.margin, width: page.width - 2 * page.margin, color: grey, size: 7 }
    drawRule(canvas, bottom + 14)
    drawText(canvas, seller.footer, { ...wide, y: bottom + 20, height: 38 })
    drawNumber(canvas, `${title} ${number}, page ${index + 1} of ${count}`, { ...wide, y: bottom + 64 })
  }
}

/** Adds a page. Returns the y coordinate of its first row. */
function addPage(canvas: Canvas): number {
  canvas.addPage()
  return page.margin
}
