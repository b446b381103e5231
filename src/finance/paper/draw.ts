import { Decimal } from '../../kernel/money.ts'
import { type Line, totalsByRate } from '../amounts.ts'
import type { Buyer, Seller } from '../invoice-list.ts'
import { bottom, bytesOf, figure, heightOf, newSheet, page, rule, type Sheet, write } from './sheet.ts'
import { shownAmount, shownDay, shownRate } from './shown.ts'

/** What stands on an invoice or a credit note. */
export interface Paper {
  readonly title: string
  readonly number: string
  readonly date: Date
  readonly zone: string
  readonly seller: Seller
  readonly buyer: Buyer
  readonly currency: string
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

/** Draws a paper as a PDF, on as many pages as its lines take; the same paper gives the same pages. */
export async function drawPaper(paper: Paper): Promise<Uint8Array<ArrayBuffer>> {
  const sheet = newSheet({
    title: `${paper.title} ${paper.number}`,
    author: paper.seller.companyName,
    date: paper.date,
  })
  let y = drawTop(sheet, paper)
  y = drawLines(sheet, paper, y)
  drawTotals(sheet, paper, y)
  drawFooters(sheet, paper)
  return bytesOf(sheet)
}

/** Who sells, who buys, and which paper it is; answers where the lines begin. */
function drawTop(sheet: Sheet, { title, number, date, zone, seller, buyer, notes }: Paper): number {
  const left = { x: page.margin, width: 250 }
  const right = { x: 330, width: page.width - page.margin - 330 }
  let sellerEnd = write(sheet, seller.companyName, { ...left, y: 50, font: 'bold', size: 12, height: 48 })
  sellerEnd = write(sheet, seller.address, { ...left, y: sellerEnd + 3, height: 84 })
  sellerEnd = write(sheet, seller.vatNumber && `VAT number ${seller.vatNumber}`, {
    ...left,
    y: sellerEnd + 2,
    height: 24,
  })

  let headEnd = write(sheet, title, { ...right, y: 50, font: 'bold', size: 16 })
  headEnd = write(sheet, `Number ${number}`, { ...right, y: headEnd + 4 })
  headEnd = write(sheet, `Date ${shownDay(date, zone)}`, { ...right, y: headEnd + 1 })
  for (const note of notes) headEnd = write(sheet, note, { ...right, y: headEnd + 1, height: 60 })

  let y = Math.max(sellerEnd, headEnd) + 24
  y = write(sheet, 'Bill to', { ...left, y, color: grey, size: 8 }) + 2
  const names = [buyer.companyName, buyer.name].filter(Boolean)
  const [first = buyer.email, ...others] = names
  y = write(sheet, first, { x: page.margin, width: 300, y, font: 'bold', height: 48 })
  for (const line of [...others, names.length > 0 ? buyer.email : '']) {
    y = write(sheet, line, { x: page.margin, width: 300, y: y + 1, height: 36 })
  }
  y = write(sheet, buyer.address, { x: page.margin, width: 300, y: y + 1, height: 84 })
  y = write(sheet, buyer.vatNumber && `VAT number ${buyer.vatNumber}`, {
    x: page.margin,
    width: 300,
    y: y + 1,
    height: 24,
  })
  return y + 24
}

function drawTableHead(sheet: Sheet, currency: string, y: number): number {
  const heads = { color: grey, size: 8, y }
  write(sheet, 'Description', { ...columns.name, ...heads })
  figure(sheet, 'Quantity', { ...columns.quantity, ...heads })
  figure(sheet, `Unit price (${currency})`, { ...columns.unitPrice, ...heads })
  figure(sheet, 'VAT', { ...columns.vatRate, ...heads })
  figure(sheet, `Amount (${currency})`, { ...columns.amount, ...heads })
  rule(sheet, y + 14)
  return y + 14 + rowGap
}

/** One row for each line; a row that does not fit begins a page, under the table's head again. */
function drawLines(sheet: Sheet, { lines, currency }: Paper, top: number): number {
  let y = drawTableHead(sheet, currency, top)
  for (const line of lines) {
    const height = heightOf(sheet, line.name, columns.name.width)
    if (y + height > bottom) y = drawTableHead(sheet, currency, newPage(sheet))
    write(sheet, line.name, { ...columns.name, y })
    figure(sheet, line.quantity.toLocaleString('en'), { ...columns.quantity, y })
    figure(sheet, shownAmount(line.unitPrice, currency), { ...columns.unitPrice, y })
    figure(sheet, shownRate(line.vatRate), { ...columns.vatRate, y })
    figure(sheet, shownAmount(line.amount, currency), { ...columns.amount, y })
    y += height + rowGap
  }
  rule(sheet, y)
  return y + rowGap
}

/** What the lines come to, without VAT, rate by rate, and with it; together on one page where that is possible. */
function drawTotals(sheet: Sheet, { lines, currency }: Paper, top: number): void {
  const rates = totalsByRate(lines)
  const net = rates.reduce((total, rate) => total.plus(rate.amount), new Decimal(0))
  const vat = rates.reduce((total, rate) => total.plus(rate.vat), new Decimal(0))
  const step = 16
  let y = top + (rates.length + 3) * step > bottom ? newPage(sheet) : top
  const label = { x: 255, width: 189 }
  const row = (text: string, amount: Decimal, font: 'plain' | 'bold' = 'plain') => {
    if (y + step > bottom) y = newPage(sheet)
    figure(sheet, text, { ...label, y, font })
    figure(sheet, shownAmount(amount, currency), { ...columns.amount, y, font })
    y += step
  }
  row('Total without VAT', net)
  for (const rate of rates) {
    row(`VAT ${shownRate(rate.vatRate)} of ${shownAmount(rate.amount, currency)}`, rate.vat)
  }
  rule(sheet, y - 3, label.x)
  y += 3
  row(`Total ${currency}`, net.plus(vat), 'bold')
}

/** On every page, what the seller wants to stand there, and which page it is. */
function drawFooters(sheet: Sheet, { seller, title, number }: Paper): void {
  const { count } = sheet.bufferedPageRange()
  for (let index = 0; index < count; index += 1) {
    sheet.switchToPage(index)
    const wide = { x: page.margin, width: page.width - 2 * page.margin, color: grey, size: 7 }
    rule(sheet, bottom + 14)
    write(sheet, seller.footer, { ...wide, y: bottom + 20, height: 38 })
    figure(sheet, `${title} ${number}, page ${index + 1} of ${count}`, { ...wide, y: bottom + 64 })
  }
}

/** Begins a page; answers where writing on it begins. */
function newPage(sheet: Sheet): number {
  sheet.addPage()
  return page.margin
}
