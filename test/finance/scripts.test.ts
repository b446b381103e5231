import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { computeLines } from '../../src/finance/amounts.ts'
import { renderDocument } from '../../src/finance/billing/pdf/render.ts'
import { layOut } from '../../src/finance/billing/pdf/text.ts'
import { temporaryFolder } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'

const require = createRequire(import.meta.url)

async function textOf(pdf: Uint8Array): Promise<string> {
  return (await extractText(await getDocumentProxy(new Uint8Array(pdf)))).text.join('\n')
}

function invoice(names: readonly string[], companyName = 'Acme') {
  return {
    title: 'Invoice',
    number: 'INV-000001',
    date: new Date('2026-03-31T22:30:00Z'),
    zone: 'UTC',
    seller: { companyName, address: '', vatNumber: '', footer: '' },
    buyer: { email: 'buyer@example.com', name: names[0] ?? '', companyName: '', address: '', vatNumber: '' },
    currency: 'EUR',
    vatCalculation: 'NET_BY_RATE',
    lines: computeLines(
      names.map((name) => ({ name, unitPrice: '1' })),
      'EUR',
    ),
    notes: [],
  } as const
}

describe('names in a PDF', () => {
  it.each([
    ['Latin', 'Zoë Ångström'],
    ['Greek', 'Νίκος Παπαδόπουλος'],
    ['Cyrillic', 'Наталья Иванова'],
    ['Arabic', 'شركة النور للتجارة'],
    ['Hebrew', 'חברת שלום'],
    ['simplified Chinese', '北京科技有限公司'],
    ['traditional Chinese', '台灣積體電路製造'],
    ['Japanese', '株式会社さくら カタカナ'],
    ['Korean', '주식회사 한빛'],
    ['Devanagari', 'भारत कमल'],
    ['Thai', 'บริษัท สมชาย'],
    ['Bengali', 'ঢাকা শহর'],
    ['Tamil', 'தமிழ் மரம்'],
  ])('are shown in %s', async (_script, name) => {
    const { body, missingCharacters } = await renderDocument({ content: invoice([name], name) })
    const text = await textOf(body)
    // The seller is in bold, the buyer and the line are not.
    expect(text.split(name)).toHaveLength(4)
    expect(missingCharacters).toBe('')
    expect(text).not.toContain('\ufffd')
  })

  it('can be copied after a document with characters that contain others', async () => {
    await renderDocument({ content: invoice(['Ẍeni'], 'Ẍeni') })
    const { body } = await renderDocument({ content: invoice(['Xeni'], 'Xeni') })
    expect((await textOf(body)).split('Xeni')).toHaveLength(4)
  })

  it('break between characters of scripts without spaces', async () => {
    const { body } = await renderDocument({ content: invoice(['北京科技有限公司'.repeat(12)]) })
    const text = await textOf(body)
    expect(text.replace(/\s/g, '')).toContain('北京科技有限公司'.repeat(12))
    expect(text).not.toContain('北京科技有限公司'.repeat(5))
  })

  it('have a replacement for a character that no font has, which is reported', async () => {
    const { body, missingCharacters } = await renderDocument({ content: invoice(['𐌰 北京 𐌱 𐌰']) })
    expect(missingCharacters).toBe('𐌰𐌱')
    expect(await textOf(body)).toMatch(/\ufffd\s*北京\s*\ufffd\s*\ufffd/)
  })
})

describe('the order of runs', () => {
  const visual = (text: string) => {
    const [line = []] = layOut(text, 1_000, { fontOf: () => 'plain', widthOf: ({ text: run }) => run.length })
    return line.map((run) => run.text)
  }

  it('is from right to left in Arabic and Hebrew, and from left to right in numbers and Latin inside them', () => {
    expect(visual('Smith & שלום Sons')).toEqual(['Smith & ', 'שלום', ' Sons'])
    expect(visual('שלום ABC 12')).toEqual(['ABC 12', 'שלום '])
    expect(visual('شركة 123 دبي')).toEqual([' دبي', '123', 'شركة '])
  })

  it('mirrors brackets from right to left', () => {
    expect(visual('שלום (דבי)')).toEqual(['שלום )דבי('])
  })
})

describe('the vowel AM', () => {
  it.each([
    ['\u0e19\u0e49\u0e33', '\u0e19\u0e4d\u0e49\u0e32'],
    ['\u0e19\u0e33', '\u0e19\u0e4d\u0e32'],
    ['\u0e2a\u0e48\u0e33\u0e19\u0e49\u0e33', '\u0e2a\u0e4d\u0e48\u0e32\u0e19\u0e4d\u0e49\u0e32'],
    ['\u0e99\u0ec9\u0eb3', '\u0e99\u0ecd\u0ec9\u0eb2'],
  ])('of %s has its circle below the marks of the consonant', (text, drawn) => {
    const [[run] = []] = layOut(text, 1_000, { fontOf: () => 'plain', widthOf: ({ text: each }) => each.length })
    expect(run?.text).toBe(drawn)
  })

  it('is drawn with the narrow mark that the font has above a circle', async () => {
    // cspell:disable-next-line
    const { body } = await renderDocument({ content: invoice(['น้ำดื่ม'], 'น้ำดื่ม') })
    // cspell:disable-next-line
    expect((await textOf(body)).split('นํ้าดื่ม')).toHaveLength(4)
  })
})

describe('missing characters', () => {
  it('are returned by the document, which is issued', async () => {
    const world = await newWorld()
    const document =
      'mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice { id missingCharacters } } }'
    const issue = async (firstName: string) => {
      const customer = { email: 'gothic@example.com', firstName }
      const lines = [{ name: 'Bowl', unitPrice: '1' }]
      return (await world.run(document, { input: { customer, lines } })).invoiceIssue.invoice
    }
    expect(await issue('王小明')).toMatchObject({ missingCharacters: '' })
    const { id, missingCharacters } = await issue('𐌰𐌱')
    expect(missingCharacters).toBe('𐌰𐌱')
    const credit = `mutation ($input: CreditNoteIssueInput!) {
      creditNoteIssue(input: $input) { creditNote { missingCharacters } } }`
    const { creditNote } = (await world.run(credit, { input: { invoiceId: id } })).creditNoteIssue
    expect(creditNote.missingCharacters).toBe('𐌰𐌱')
  })
})

describe('a folder of fonts', () => {
  it('is searched with its subfolders for missing characters, and files that are no fonts are skipped', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'truetype'), { recursive: true })
    await writeFile(join(folder, 'broken.ttf'), 'no font')
    await writeFile(join(folder, 'read me.txt'), 'no font')
    const source = require.resolve('dejavu-fonts-ttf/ttf/DejaVuMathTeXGyre.ttf')
    await copyFile(source, join(folder, 'truetype', 'math.ttf'))
    // The built-in fonts have no ⎲.
    const content = invoice(['Ada ⎲ 𐌰'])
    expect((await renderDocument({ content })).missingCharacters).toBe('⎲𐌰')
    const { body, missingCharacters } = await renderDocument({ content, fontsFolder: folder })
    expect(missingCharacters).toBe('𐌰')
    expect(await textOf(body)).toContain('Ada ⎲ \ufffd')
    const none = await renderDocument({ content, fontsFolder: join(folder, 'none') })
    expect(none.missingCharacters).toBe('⎲𐌰')
  })
})
