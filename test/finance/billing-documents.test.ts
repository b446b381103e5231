// @module-tag rows
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { computeLines } from '../../src/finance/amounts.ts'
import { formatAmount, formatDay } from '../../src/finance/billing/pdf/format.ts'
import { type BillingDocument, renderPdf } from '../../src/finance/billing/pdf/render.ts'
import { newSigner } from '../../src/kernel/web/signer.ts'
import { newWorld, type World } from '../support/world.ts'
import { CreditNoteIssue, InvoiceIssue, moving } from './documents.ts'

const seller = {
  companyName: 'Atelier Rosalie',
  address: '12 rue des Potiers\n75011 Paris',
  vatNumber: 'FR123',
  footer: 'Thank you.',
}
const buyer = {
  email: 'b@example.com',
  name: 'Łukasz Żółć',
  companyName: 'Εταιρεία · Дом',
  address: 'Kraków',
  vatNumber: 'PL1',
}
const paper = (
  currency: string,
  lines: Parameters<typeof computeLines>[0],
  more: Partial<BillingDocument> = {},
): BillingDocument => ({
  title: 'Invoice',
  number: 'INV-000001',
  date: new Date('2026-03-31T22:30:00Z'),
  zone: 'Europe/Paris',
  seller,
  buyer,
  currency,
  vatCalculation: 'NET_BY_RATE',
  lines: computeLines(lines, currency),
  notes: [],
  ...more,
})

async function pagesOf(pdf: Uint8Array): Promise<string[]> {
  return (await extractText(await getDocumentProxy(new Uint8Array(pdf)))).text
}
const fetched = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer())

describe('renderPdf', () => {
  it('contains seller, buyer, lines and totals in Latin, Greek and Cyrillic script', async () => {
    const lines = [
      { name: 'Bowl', quantity: 1200, unitPrice: '12.50', vatRate: '20' },
      { name: 'Book', unitPrice: '30', vatRate: '5.5' },
    ]
    const pages = await pagesOf(await renderPdf(paper('EUR', lines)))
    expect(pages).toHaveLength(1)
    for (const text of [
      'Atelier Rosalie',
      'VAT number FR123',
      'INV-000001',
      // It was past midnight in Paris.
      '1 April 2026',
      'Εταιρεία · Дом',
      'Łukasz Żółć',
      'b@example.com',
      '1,200',
      '12.50',
      '15,000.00',
      'VAT 5.5% of 30.00',
      '1.65',
      'VAT 20% of 15,000.00',
      '3,000.00',
      'Total EUR',
      '18,031.65',
      'Thank you.',
      'page 1 of 1',
    ])
      expect(pages[0]).toContain(text)
  })

  it.each([
    ['JPY', '1200', '1,200', '2,400'],
    ['KWD', '1.25', '1.250', '2.500'],
    ['CLF', '1.2345', '1.2345', '2.4690'],
  ])('formats amounts in %s with the decimals of the currency', async (currency, unitPrice, price, amount) => {
    const [page] = await pagesOf(await renderPdf(paper(currency, [{ name: 'Bowl', quantity: 2, unitPrice }])))
    expect(page).toContain(` ${price} `)
    expect(page).toContain(amount)
  })

  it('adds pages for 500 lines and draws each line once', async () => {
    const lines = Array.from({ length: 500 }, (_, n) => ({ name: `Line ${n + 1}.`, unitPrice: '1' }))
    const pages = await pagesOf(await renderPdf(paper('EUR', lines)))
    expect(pages.length).toBeGreaterThan(10)
    for (const [index, page] of pages.entries()) {
      expect(page).toContain('Description')
      expect(page).toContain(`page ${index + 1} of ${pages.length}`)
    }
    const found = pages.join(' ').match(/Line \d+\./g)
    expect(found).toEqual(lines.map(({ name }) => name))
    expect(pages.at(-1)).toContain('500.00')
  })

  it('wraps long text and replaces characters that the font lacks', async () => {
    const names = ['x'.repeat(255), 'many words '.repeat(23), '𐌰𐌱', 'a\u0007b\u202ec']
    const pdf = await renderPdf(
      paper(
        'EUR',
        names.map((name) => ({ name, unitPrice: '1' })),
        {
          seller: {
            companyName: 'W'.repeat(255),
            address: 'a\n'.repeat(250),
            vatNumber: 'V'.repeat(64),
            footer: 'f '.repeat(500),
          },
          buyer: { ...buyer, name: 'N'.repeat(511), companyName: 'C'.repeat(255), address: 'a\n'.repeat(250) },
          notes: ['r '.repeat(500)],
        },
      ),
    )
    const text = (await pagesOf(pdf)).join(' ')
    expect(text.match(/x/g)?.length).toBeGreaterThanOrEqual(255)
    expect(text).toContain('\ufffd\ufffd')
    expect(text).toContain('abc')
  })
})

describe('formatAmount and formatDay', () => {
  it('use thousands separators, all digits and the local day', () => {
    expect(formatAmount('-1234567.8', 'EUR')).toBe('-1,234,567.80')
    expect(formatAmount('999999999999.9999', 'CLF')).toBe('999,999,999,999.9999')
    expect(formatAmount('-0.001', 'EUR')).toBe('0.00')
    expect(formatAmount('100', 'JPY')).toBe('100')
    expect(formatDay(new Date('2026-12-31T23:30:00Z'), 'Asia/Tokyo')).toBe('1 January 2027')
  })
})

describe('downloadUrl', () => {
  const input = { customer: { email: 'a@example.com' }, lines: [{ name: 'Bowl', unitPrice: '10', vatRate: '20' }] }
  const issued = async (world: World) => (await world.run(InvoiceIssue, { input })).invoiceIssue.invoice

  it('returns the PDF of an invoice and of a credit note as a file', async () => {
    const world = await newWorld()
    await world.run(moving('billingProfileUpdate', 'billingProfile { companyName }'), {
      input: { companyName: 'Śledź', footer: 'Foot' },
    })
    const invoice = await issued(world)
    const response = await fetch(invoice.downloadUrl)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="INV-000001.pdf"')
    expect((await pagesOf(await fetched(invoice.downloadUrl)))[0]).toMatch(/Śledź.*Number INV-000001.*12\.00.*Foot/s)
    const { creditNote } = (await world.run(CreditNoteIssue, { input: { invoiceId: invoice.id, reason: 'Broken' } }))
      .creditNoteIssue
    expect((await pagesOf(await fetched(creditNote.downloadUrl)))[0]).toMatch(
      /Credit note.*CN-000001.*Credits invoice INV-000001.*Broken.*-12\.00/s,
    )
  })

  it('expires after an hour and rejects changed links', async () => {
    const world = await newWorld()
    const { downloadUrl } = await issued(world)
    const [base = '', link = ''] = downloadUrl.split('/d/')
    const [account = '', id = '', until = '', signature = ''] = link.split('.')
    expect(Number.parseInt(until, 36) - Date.now()).toBeGreaterThan(59 * 60_000)
    expect(Number.parseInt(until, 36) - Date.now()).toBeLessThanOrEqual(60 * 60_000)
    const signer = newSigner('a secret that only tests know')
    const signed = (parts: string) => `${parts}.${signer.sign(`document ${parts}`)}`
    const past = (Date.now() - 1000).toString(36)
    const status = async (path: string) => (await fetch(`${base}/d/${path}`)).status
    expect(await status(signed(`${account}.${id}.${until}`))).toBe(200)
    for (const wrong of [
      signed(`${account}.${id}.${past}`),
      signed(`${(Number.parseInt(account, 36) + 1).toString(36)}.${id}.${until}`),
      signed(`zzzzzz.zzzzzz.${until}`),
      `${account}.${id}.${(Number.parseInt(until, 36) + 1).toString(36)}.${signature}`,
      `${account}.${(Number.parseInt(id, 36) + 1).toString(36)}.${until}.${signature}`,
      `${account}.${id}.${until}.${signature.slice(0, -2)}`,
      `${account}.${id}.${until}.${newSigner('another secret').sign(`document ${account}.${id}.${until}`)}`,
      `${account}.${id}.${until}.`,
      `${account}.${id}`,
      '...',
    ])
      expect(await status(wrong), wrong).toBe(404)
  })

  it('does not contain the token of the stored document', async () => {
    const world = await newWorld()
    const { downloadUrl, filename } = await issued(world)
    const [document] = await world.rows<{ token: string; name: string }>(
      'SELECT token, name FROM document WHERE account_id = $1',
      [world.accountId],
    )
    expect(document?.name).toBe('INV-000001.pdf')
    expect(`${downloadUrl} ${filename}`).not.toContain(document?.token)
  })
})
