import { describe, expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { Create, importCsv, listContacts, uploadFile, useImportServer, waitForImport } from './imports.ts'

const open = useImportServer()

/** Uploads a file and returns the finished import. */
async function importFile(world: World, body: Uint8Array, input: object = {}) {
  const { uploadUrl, contactImport } = (await world.run(Create, { input })).contactImportCreate
  expect(await uploadFile(uploadUrl, body as never)).toMatchObject({ status: 200 })
  return waitForImport(world, contactImport.id)
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of an import is asserted
const problems = ({ errors }: any) =>
  errors.nodes.map(({ line, column, severity, code }: Record<string, unknown>) => [line, column, severity, code])

const companies = async (world: World) =>
  (await listContacts(world)).map(({ email, companyName }) => [email.split('@')[0], companyName])

describe('a quote in the wrong place', () => {
  const header = 'email,company\na@example.com,Acme\n'

  it.each([
    ['in the middle of a cell', 'b@example.com,7" Bolts\n', '7" Bolts', [3, 'company', 'WARNING', 'STRAY_QUOTE']],
    ['at the end of a cell', 'b@example.com,Bolts 7"\n', 'Bolts 7"', [3, 'company', 'WARNING', 'STRAY_QUOTE']],
    ['in a quoted cell', 'b@example.com,"7" Bolts, Ltd"\n', '7" Bolts, Ltd', [3, 'company', 'WARNING', 'STRAY_QUOTE']],
    ['before other text', 'b@example.com,"Bolts" Ltd\n', '"Bolts" Ltd', [3, 'company', 'WARNING', 'STRAY_QUOTE']],
    ['that is never closed', 'b@example.com,"Bolts\n', '', [3, 'company', 'WARNING', 'UNCLOSED_QUOTE']],
  ])('%s concerns only its row', async (_name, row, value, problem) => {
    const world = await open()
    for (const lineEnd of ['\n', '\r\n']) {
      const csv = `${header}${row}c@example.com,"Gears, ""fine"""\nd@example.com,Zeta`.replaceAll('\n', lineEnd)
      const done = await importCsv(world, csv)
      expect(done).toMatchObject({ status: 'COMPLETED', rowsTotal: 4, failed: 0, warnings: 1 })
      expect(problems(done)).toEqual([problem])
    }
    expect(await companies(world)).toEqual([
      ['a', 'Acme'],
      ['b', value],
      ['c', 'Gears, "fine"'],
      ['d', 'Zeta'],
    ])
  })

  it('does not join rows, even if a later row contains another one', async () => {
    const world = await open()
    const done = await importCsv(world, `${header}b@example.com,"Bolts\nc@example.com,Gears 7"\nd@example.com,"x\ny"\n`)
    expect(problems(done)).toEqual([
      [3, 'company', 'WARNING', 'UNCLOSED_QUOTE'],
      [4, 'company', 'WARNING', 'STRAY_QUOTE'],
    ])
    expect((await companies(world)).map(([name]) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(await companies(world)).toContainEqual(['d', 'x\ny'])
  })

  it('fails its row if it concerns the address, or a value beyond the header', async () => {
    const world = await open()
    const done = await importCsv(world, `${header}"b@example.com,Bolts\nc@example.com,"Gears,x\n\nd@example.com\n`)
    expect(problems(done)).toEqual([
      [3, 'email', 'ERROR', 'UNCLOSED_QUOTE'],
      [4, '', 'ERROR', 'CELL_COUNT'],
    ])
    expect(done).toMatchObject({ created: 2, failed: 2 })
  })

  it('is found after many rows, in a file that is larger than the longest row', async () => {
    const world = await open()
    const city = 'x'.repeat(900)
    const rows = Array.from({ length: 3_000 }, (_, n) => `p${n}@example.com,${city}\n`)
    rows[10] = 'p10@example.com,"Bolts\n'
    const done = await importFile(world, Buffer.from(`email,nothing\n${rows.join('')}`))
    expect(done).toMatchObject({ rowsTotal: 3_000, created: 3_000, failed: 0 })
  })
})

describe('cells after the last column', () => {
  it('are ignored if they are empty, and fail their row if one has a value', async () => {
    const world = await open()
    const rows = [
      'a@example.com,Rome,,',
      'b@example.com,Oslo," ",""',
      'c@example.com,Bern,,"x\ny",',
      'd@example.com,Ulm',
    ]
    const done = await importCsv(world, `email,company\n${rows.join('\n')}\n,,\n`)
    expect(done).toMatchObject({ rowsTotal: 4, created: 3, failed: 1 })
    expect(problems(done)).toEqual([[4, '', 'ERROR', 'CELL_COUNT']])
    expect(await companies(world)).toEqual([
      ['a', 'Rome'],
      ['b', 'Oslo'],
      ['d', 'Ulm'],
    ])
  })
})

describe('the first line of a file', () => {
  it.each([
    ['sep=;\r\nemail;first_name\r\na@example.com;Ada\r\n', 3],
    ['\ufeff"sep=|"\nemail|first_name\na@example.com|Ada', 3],
    ['SEP=\t\nemail\tfirst_name\na@example.com\tAda\n', 3],
    ['\n \r\nemail;first_name\n\n;\na@example.com;Ada\n\n', 6],
  ])('can declare the separator or be blank: %j', async (csv, line) => {
    const world = await open()
    const done = await importCsv(world, `${csv.trimEnd()}\nnobody${csv.match(/[;|\t](?=first)/)?.[0]}x`)
    expect(done).toMatchObject({ created: 1, failed: 1, errors: { nodes: [{ line: line + 1, column: 'email' }] } })
    expect(await listContacts(world)).toMatchObject([{ email: 'a@example.com', firstName: 'Ada' }])
  })
})

describe('the encoding of a file', () => {
  const text = 'email;city\r\na@example.com;Orléans\r\nb@example.com;“Zoë” €œŠ'
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  const cp1252 = Buffer.from(
    text.replace(
      /[“”€œŠ]/g,
      (sign) => ({ '“': '\x93', '”': '\x94', '€': '\x80', œ: '\x9c', Š: '\x8a' })[sign] as string,
    ),
    'latin1',
  )

  it.each([
    ['UTF_8', Buffer.from(text), {}, 0],
    ['UTF_8', Buffer.from(`\ufeff${text}`), {}, 0],
    ['UTF_16LE', utf16, {}, 0],
    ['UTF_16BE', Buffer.from(utf16).swap16(), {}, 0],
    ['UTF_16LE', utf16.subarray(2), { encoding: 'UTF_16LE' }, 0],
    ['WINDOWS_1252', cp1252, { encoding: 'WINDOWS_1252' }, 0],
    ['WINDOWS_1252', cp1252, {}, 1],
    ['UTF_8', Buffer.from(`\ufeff${text}`), { encoding: 'WINDOWS_1252' }, 0],
  ])('is %s', async (encoding, body, input, warnings) => {
    const world = await open()
    const done = await importFile(world, body, input)
    expect(done).toMatchObject({ status: 'COMPLETED', encoding, created: 2, warnings })
    expect(problems(done)).toEqual(warnings > 0 ? [[2, '', 'WARNING', 'ENCODING']] : [])
    expect((await listContacts(world)).map(({ city }) => city)).toEqual(['Orléans', '“Zoë” €œŠ'])
  })

  it('applies to the whole file, also if its first rows could be UTF-8', async () => {
    const world = await open()
    const rows = Array.from({ length: 3_000 }, (_, n) => `p${n}@example.com,\u00c3\u00a9\n`).join('')
    const done = await importFile(world, Buffer.from(`email,city\n${rows}z@example.com,\u00e9`, 'latin1'))
    expect(done).toMatchObject({ encoding: 'WINDOWS_1252', created: 3_001, warnings: 1 })
    const { contacts } = await world.run('{ contacts(filter: { city: { eq: "Ã©" } }) { totalCount } }')
    expect(contacts.totalCount).toBe(3_000)
  })

  it('leaves out cells with bytes that are invalid in a requested encoding', async () => {
    const world = await open()
    const body = Buffer.from('email,city\na@example.com,Orl\u00e9ans\nb@ex\u00e4mple.com,Rome\n', 'latin1')
    const done = await importFile(world, body, { encoding: 'UTF_8' })
    expect(problems(done)).toEqual([
      [2, 'city', 'WARNING', 'UNREADABLE_CHARACTER'],
      [3, 'email', 'ERROR', 'UNREADABLE_CHARACTER'],
    ])
  })
})

describe('columns of the same field', () => {
  it('give the first value that is not empty, with a warning that names both', async () => {
    const world = await open()
    const done = await importCsv(
      world,
      'Phone,Mobile,email,Tel,email\n+1,+2,a@example.com,+3,a@example.com\n,+2,,+2,b@example.com\n,,c@example.com,+3,\n',
    )
    expect(problems(done)).toEqual([
      [1, 'Mobile', 'WARNING', 'DUPLICATE_COLUMN'],
      [1, 'Tel', 'WARNING', 'DUPLICATE_COLUMN'],
      [1, 'email', 'WARNING', 'DUPLICATE_COLUMN'],
      [2, 'Mobile', 'WARNING', 'SECOND_VALUE'],
      [2, 'Tel', 'WARNING', 'SECOND_VALUE'],
    ])
    expect(done.errors.nodes[0].message).toContain('column 1 “Phone”')
    expect(done.errors.nodes[3]).toMatchObject({ value: '+2', message: expect.stringContaining('“Phone”') })
    expect((await listContacts(world)).map(({ phone }) => phone)).toEqual(['+1', '+2', '+3'])
  })

  it('can be told apart by their position, and mapped ones are used first', async () => {
    const world = await open()
    const mapping = [
      { position: 3, field: 'EMAIL' },
      { position: 1, field: 'IGNORED' },
      { column: 'Mobile', field: 'PHONE' },
    ]
    await importCsv(world, 'email,Phone,email,Mobile\nold@example.com,+1,new@example.com,+2\n', { mapping })
    expect(await listContacts(world)).toMatchObject([{ email: 'new@example.com', phone: '+2' }])
  })
})

describe('dates of a custom field', () => {
  const births = async (csv: string, input: object = {}) => {
    const world = await open()
    await world.customField({ name: 'Born', type: 'DATE' })
    const rows = csv.split(' ').map((date, n) => `p${n}@example.com;${date}\n`)
    const done = await importCsv(world, `email;Born\n${rows.join('')}`, input)
    const values = (await listContacts(world)).map(({ customFields }) => customFields[0]?.value)
    return { done, values, order: done.columns[1].dateOrder }
  }

  it.each([
    ['18/03/1978 01/02/2003', 'DMY', ['1978-03-18', '2003-02-01']],
    ['3/18/1978 1/2/2003', 'MDY', ['1978-03-18', '2003-01-02']],
    ['18.3.78 1.2.03', 'DMY', ['1978-03-18', '2003-02-01']],
    ['31-12-2001 2001-12-31', 'DMY', ['2001-12-31', '2001-12-31']],
    ['2001/2/3 2001.12.31 2001-02-03T10:00:00Z', null, ['2001-02-03', '2001-12-31', '2001-02-03']],
    ['05/05/2005', 'DMY', ['2005-05-05']],
  ])('have the order that all dates of the column have: %s', async (csv, order, values) => {
    const { done, ...rest } = await births(csv)
    expect(rest).toEqual({ order, values })
    expect(done).toMatchObject({ warnings: 0, dateOrder: null })
  })

  it.each([
    ['01/02/2003 03/04/2005 05/05/2005', [undefined, undefined, '2005-05-05'], 'cannot be distinguished'],
    ['31/12/2001 12/31/2001 2001-12-31', [undefined, undefined, '2001-12-31'], 'different orders'],
  ])('are left out with a warning if their order is not known: %s', async (csv, values, message) => {
    const result = await births(csv)
    expect(result.values).toEqual(values)
    expect(result.done.errorGroups).toEqual([
      {
        severity: 'WARNING',
        code: 'AMBIGUOUS_DATE',
        column: 'Born',
        message: expect.stringMatching(new RegExp(`${message}.*order of day, month and year`)),
        count: 2,
        firstLines: [2, 3],
      },
    ])
  })

  it.each([
    ['DMY', '01/02/2003', '2003-02-01'],
    ['MDY', '01/02/2003', '2003-01-02'],
    ['YMD', '01/02/03', '2001-02-03'],
    ['MDY', '2001-12-31', '2001-12-31'],
    ['MDY', '31/12/2001', undefined],
  ])('have the order %s if it is requested: %s', async (dateOrder, csv, value) => {
    const { done, values, order } = await births(csv, { dateOrder })
    expect([values[0], order, done.dateOrder]).toEqual([value, dateOrder, dateOrder])
  })
})

// cspell:disable -- the words are of many languages
describe('yes and no', () => {
  it('are read in European languages', async () => {
    const world = await open()
    await world.customField({ name: 'Vip', type: 'BOOLEAN' })
    const words = {
      true: [
        'oui',
        'Ja',
        'sí',
        'SI',
        'sì',
        'sim',
        'tak',
        'ano',
        'da',
        'igen',
        'kyllä',
        'WAHR',
        'vrai',
        'да',
        'ναι',
        '1',
      ],
      false: ['non', 'Nein', 'no', 'não', 'nie', 'ne', 'nem', 'ei', 'nej', 'nee', 'FALSCH', 'faux', 'нет', 'όχι', '0'],
    }
    for (const [value, each] of Object.entries(words)) {
      const rows = each.map((word, n) => `${value}${n}@example.com,${word}\n`)
      expect(await importCsv(world, `email,Vip\n${rows.join('')}`)).toMatchObject({ created: each.length, warnings: 0 })
      const { contacts } = await world.run(
        `{ contacts(first: 50, filter: { email: { startsWith: "${value}" } }) { nodes { customFields { value } } } }`,
      )
      expect(
        new Set(contacts.nodes.map(({ customFields: [field] }: { customFields: [{ value: string }] }) => field.value)),
      ).toEqual(new Set([value]))
    }
  })

  it('are not a consent if they cannot be read', async () => {
    const world = await open()
    await world.contact({ email: 'old@example.com', emailMarketing: true })
    const done = await importCsv(
      world,
      'email,email_marketing\nold@example.com,hmm\nnew@example.com,hmm\nempty@example.com,\n',
      { emailMarketing: true },
    )
    expect(done).toMatchObject({ created: 2, failed: 0, warnings: 2 })
    expect((await listContacts(world)).map(({ emailMarketing }) => emailMarketing)).toEqual([true, false, true])
  })
})
