import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { importCsv, listContacts, useImportServer } from './imports.ts'

const open = useImportServer()
const Link = 'query ($importId: ID!) { contactImportFailedRows(importId: $importId) { url expiresAt } }'

describe('the failed rows of an import', () => {
  it('are a CSV file with their original cells, which can be corrected and imported', async () => {
    const world = await open({ limits: { contacts: 2 } })
    const csv =
      'email;city;company\na@example.com;Rome;x\nnobody;=1+1;"7"" Bolts; Ltd"\nmany@example.com;1;2;3;4\nb@example.com;"a\nb";\nc@example.com;Oslo;\n'
    const done = await importCsv(world, csv)
    expect(done).toMatchObject({ created: 2, failed: 3 })
    const { url } = (await world.run(Link, { importId: done.id })).contactImportFailedRows
    const response = await fetch(url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="import-${done.databaseId}-failed-rows.csv"`,
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from('\ufeff'))
    expect(parse(bytes, { bom: true, relax_column_count: true })).toEqual([
      ['error_line', 'error_reason', 'email', 'city', 'company'],
      ['3', 'email: must be a valid e-mail address', 'nobody', "'=1+1", '7" Bolts; Ltd'],
      [
        ...['4', 'has a value after column 3, which is the last one of the header'],
        ...['many@example.com', '1', '2', '3;4'],
      ],
      ['7', 'would exceed the quota of 2 contacts', 'c@example.com', 'Oslo', ''],
    ])
    const corrected = bytes
      .toString()
      .replace('nobody', 'b@example.com')
      .replace(/\r\n4,.*/, '')
    expect(await importCsv(world, corrected)).toMatchObject({ updated: 1 })
    expect(await listContacts(world)).toContainEqual(
      expect.objectContaining({ email: 'b@example.com', city: '=1+1', companyName: '7" Bolts; Ltd' }),
    )
  })

  it('are written page by page', async () => {
    const world = await open()
    const rows = Array.from({ length: 1_050 }, (_, n) => `nobody ${n}\n`)
    const done = await importCsv(world, `email\n${rows.join('')}`)
    expect(done.errorGroups).toEqual([
      {
        severity: 'ERROR',
        code: 'INVALID_EMAIL',
        column: 'email',
        message: 'must be a valid e-mail address',
        count: 1_050,
        firstLines: [2, 3, 4, 5, 6],
      },
    ])
    const { url } = (await world.run(Link, { importId: done.id })).contactImportFailedRows
    const lines = (await (await fetch(url)).text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(1_051)
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(1_051)
  })

  it('are not served without access', async () => {
    const clock = settableClock(new Date())
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }, { clock }) })
    const done = await importCsv(world, 'email\nnobody\n')
    const code = async (importId: string, options = {}) =>
      (await world.fault(Link, { importId }, options)).extensions.code
    expect(await code(done.id, { key: await world.key({ scopes: ['contacts:write'] }) })).toBe('FORBIDDEN')
    expect(await code('999999')).toBe('NOT_FOUND')
    const other = await world.other()
    expect((await other.fault(Link, { importId: done.id })).extensions.code).toBe('NOT_FOUND')
    const { url, expiresAt } = (await world.run(Link, { importId: done.id })).contactImportFailedRows
    const status = async (link: string) => (await fetch(link)).status
    expect([await status(url), await status(`${url.slice(0, -4)}AAAA`)]).toEqual([200, 404])
    clock.set(new Date(Date.parse(expiresAt) + 1))
    expect(await status(url)).toBe(404)
  })
})
