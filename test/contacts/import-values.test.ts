// cspell:disable -- the values are of many languages
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Create, importCsv, listContacts, uploadFile, useImportServer, waitForImport } from './imports.ts'

const open = useImportServer()

/** Imports a column of values to a custom field, and returns the values and the codes of warnings. */
async function importValues(type: string, name: string, cells: readonly string[]) {
  const world = await open()
  await world.customField({ name, type })
  const rows = cells.map((cell, n) => `p${String(n).padStart(2, '0')}@example.com;"${cell}"\n`)
  const done = await importCsv(world, `email;${name}\n${rows.join('')}`)
  expect(done).toMatchObject({ status: 'COMPLETED', failed: 0 })
  const values = (await listContacts(world)).map(({ customFields }) => customFields[0]?.value ?? null)
  return { values, codes: done.errorGroups.map(({ code }: { code: string }) => code) }
}

describe('numbers of an imported file', () => {
  it.each([
    [
      ['12,50', '1.234,50', '-3,5', '1.234'],
      ['12.50', '1234.50', '-3.5', '1234'],
    ],
    [
      ['12.50', '1,234.50', '-3.5', '1,234'],
      ['12.50', '1234.50', '-3.5', '1234'],
    ],
    [
      ['1.234.567', '1.5,'],
      ['1234567', null],
    ],
    [
      ['12,50 €', '1 234,50', '1’234,5', '−7,25', '5-', '$ 3'],
      ['12.50', '1234.50', '1234.5', '-7.25', '-5', '3'],
    ],
    [
      ['CHF 12.50', '12.50 EUR', 'US$ 1,234.50', '(12.50)', '+3.5', '.5', '12.--', '1,23,456.5', '１２', '12 kg', '3²'],
      ['12.50', '12.50', '1234.50', '-12.50', '3.5', '0.5', '12', '123456.5', '12', null, null],
    ],
    [
      ['kr 12,50', '12,50 zł', 'R$ 1.234,50', '٣٫٥', '12,-', '12,50 %'],
      ['12.50', '12.50', '1234.50', '3.5', '12', null],
    ],
    [
      ['0,125', '1,234'],
      ['0.125', '1.234'],
    ],
    [
      ['12', '-3', '0'],
      ['12', '-3', '0'],
    ],
  ])('have one sign of decimals in a column: %j', async (cells, values) => {
    expect((await importValues('NUMBER', 'Umsatz', cells)).values).toEqual(values)
  })

  it.each([
    [
      ['1.234', '2.345', '7'],
      [null, null, '7'],
    ],
    [
      ['12.5', '12,5', '3'],
      [null, null, '3'],
    ],
  ])('are left out if the sign is not certain: %j', async (cells, values) => {
    expect(await importValues('NUMBER', 'Umsatz', cells)).toEqual({ values, codes: ['AMBIGUOUS_NUMBER'] })
  })

  it('have a point in a column of an export', async () => {
    expect((await importValues('NUMBER', 'Umsatz', ['1.5'])).values).toEqual(['1.5'])
    const world = await open()
    await world.customField({ name: 'Umsatz', type: 'NUMBER' })
    await importCsv(world, 'email,custom_fields.Umsatz\na@example.com,1.234\n')
    expect(await listContacts(world)).toMatchObject([{ customFields: [{ value: '1.234' }] }])
  })
})

describe('dates of an imported file', () => {
  it('are read with zones and names of months', async () => {
    const march = [
      ...[
        '2026-03-14 10:00:00 UTC',
        '2026-03-14 10:00:00 CET',
        '2026-03-14 10:00:00+00',
        '2026-03-14 10:00 Europe/Berlin',
      ],
      ...['2026-03-14T10:00:00.000+0100', '3/14/2026 10:00:05 AM', '3/14/2026, 10:00:05 PM EST', 'March 14, 2026'],
      ...[
        '14 March 2026',
        '14-Mar-26',
        '14. März 2026',
        '14 mars 2026',
        '14 de marzo de 2026',
        'Sat, 14 Mar 2026 10:00:00 +0000',
      ],
      ...[
        '2026/03/14 à 10h30',
        '14 mars 2026 à 10:30',
        '14 de marzo de 2026, 10:00 h',
        '2026-03-14 10:00:00 +0000 UTC',
      ],
      ...['2026-03-14T10:00:00+01:00[Europe/Paris]', '2026-Mar-14', '3/14/2026 3 PM', 'March 14th, 2026 at 3pm'],
      ...['2026年3月14日', '2026년 3월 14일 오후 3:05', '٢٠٢٦/٠٣/١٤', '20260314', "14 Mar '26", '2026. 3. 14. v 10:00'],
      ...['Sat Mar 14 10:00:00 UTC 2026', '14/Mar/2026:10:00:00 +0100', 'Samstag, 14. März 2026 um 10:00 Uhr'],
      ...['Sat Mar 14 2026 10:00:00 GMT+0100 (Central European Standard Time)', 'Mar 14, 2026 at 10:00'],
    ]
    const { values, codes } = await importValues('DATE', 'Since', march)
    expect({ values: new Set(values), codes }).toEqual({ values: new Set(['2026-03-14']), codes: [] })
  })

  it('are left out if they do not exist', async () => {
    const cells = ['31 February 2026', 'March 2026', '14 Nonsense 2026', '20261314', '12032026', '14/03/20261']
    const more = ['14 March 2026 or 15', '14 March 2026 10', '14 March 2026 10:00 to 11:00']
    const { values } = await importValues('DATE', 'Since', [...cells, ...more])
    expect(values).toEqual([...cells, ...more].map(() => null))
  })
})

describe('the file of an import', () => {
  it('is read by the column of addresses, not by one in another script', async () => {
    const world = await open()
    await importCsv(world, 'Name,Email 状态,Email,名 city\nIda,yes,ida@example.com,Rome\n')
    expect(await listContacts(world)).toMatchObject([{ email: 'ida@example.com', city: '' }])
  })

  it('can have rows without their last cells, with empty ones beyond the header, and a sign at its end', async () => {
    const world = await open()
    const done = await importCsv(
      world,
      'email,first_name,city\na@example.com\nb@example.com,Ben,Rome,,, \nc@example.com,Cleo,Oslo,,x\nd@example.com,Dan\x1a',
    )
    expect(done).toMatchObject({ created: 3, failed: 1, warnings: 0 })
    expect(done.errors.nodes).toMatchObject([{ line: 4, code: 'CELL_COUNT' }])
    expect(await listContacts(world)).toMatchObject([
      { email: 'a@example.com', firstName: '', city: '' },
      { email: 'b@example.com', firstName: 'Ben', city: 'Rome' },
      { email: 'd@example.com', firstName: 'Dan', city: '' },
    ])
    expect(await importCsv(world, 'email\na@example.com\n\x1a\r\n')).toMatchObject({ rowsTotal: 1, unchanged: 1 })
  })

  const zip = (name: string) => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), Buffer.from(name)])
  it.each([
    ['a workbook', zip('[Content_Types].xml'), /workbook of Excel/],
    ['an OpenDocument file', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), /OpenDocument/],
    ['an archive', zip('people.csv'), /ZIP archive/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /workbook of an old Excel/],
    ['a packed file', gzipSync('email\na@example.com\n'), /is packed/],
    ['a page', Buffer.from('\ufeff<html><table>'), /HTML or XML/],
  ])('is named as what it is: %s', async (_name, body, message) => {
    const world = await open()
    const { uploadUrl, contactImport } = (await world.run(Create, { input: {} })).contactImportCreate
    expect((await uploadFile(uploadUrl, new Uint8Array(body))).status).toBe(422)
    expect((await waitForImport(world, contactImport.id)).error).toMatch(message)
  })
})
