import { describe, expect, it } from 'vitest'
import { exports } from '../../src/exports/exports.ts'
import { newWorld, type World } from '../support/world.ts'
import { fetchExport, objectsOf, openFilledWorld, rowsOf } from './exporting.ts'

/** Text that CSV, spreadsheets, JSON or COPY treat specially. */
const risky = [
  '=1+1',
  '+33 1',
  '-5',
  "'=",
  'a "b", c;\r\nd\te',
  '\n',
  '\\.',
  '\\N',
  '"',
  'ＡＢ＝é🎉\u0001\u0002',
  '\u2028 x ',
  '',
]

/** Columns without restrictions, of which each exported list has one if it has text. */
const freeText = {
  contact: ['first_name', 'last_name', 'city'],
  contact_consent: ['text'],
  contact_import: ['file_name'],
  campaign: ['name'],
  email: ['subject', 'from_name'],
  mail_recipient: ['answer'],
  suppression: ['detail'],
  sequence: ['name'],
  customer: ['last_name', 'company_name'],
  credit_note: ['reason'],
  billing_subscription: ['name'],
  form: ['name'],
  submission: ['outcome_title'],
  funnel: ['name'],
  webhook: ['description'],
}

/** Fills the columns with the values in turn. */
async function writeRisky(world: World): Promise<void> {
  for (const [table, columns] of Object.entries(freeText))
    for (const column of columns)
      await world.rows(
        `UPDATE ${table} t SET ${column} = ($2::text[])[1 + (t.id + ${columns.indexOf(column)}) % ${risky.length}] WHERE account_id = $1`,
        [world.accountId, risky],
      )
}

const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
const isJson = (value: unknown) => typeof value === 'object' && value !== null
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const escaped = (text: string) =>
  /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text
const exactly = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns a pattern of the line of a row in CSV. `all` are the values of each column in all rows. */
function lineOf(row: Record<string, unknown>, cells: Record<string, string>, all: Record<string, unknown[]>): string {
  const cellOf = ([name, value]: [string, unknown]) => {
    if (isJson(value)) return exactly(quoted(cells[name] as string))
    if (typeof value === 'string') return exactly(isTime(value) ? value : quoted(escaped(value)))
    if (value !== null) return exactly(String(value))
    const other = all[name]?.find((each) => each !== null)
    if (other === undefined) return '(?:"")?'
    return (typeof other === 'string' && !isTime(other)) || isJson(other) ? '""' : ''
  }
  return Object.entries(row).map(cellOf).join(',')
}

/** Expects that a text consists of lines that match the patterns. */
function expectLines(text: string, patterns: readonly string[]): void {
  let at = 0
  for (const pattern of patterns) {
    const line = new RegExp(`${pattern}\\r\\n`, 'y')
    line.lastIndex = at
    expect(line.test(text), `${pattern} in ${JSON.stringify(text.slice(at, at + 500))}`).toBe(true)
    at = line.lastIndex
  }
  expect(text.slice(at)).toBe('')
}

describe('the text of an export', () => {
  it.each(Object.keys(exports).filter((list) => list !== 'CONTACTS'))('is exact for every value: %s', async (list) => {
    const world = await openFilledWorld()
    await writeRisky(world)
    const rows = await objectsOf(world, list)
    const cells = await rowsOf(world, list)
    const names = Object.keys(rows[0] as object)
    const all = Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]))
    const lines = rows.map((row, index) => lineOf(row, cells[index] as Record<string, string>, all))
    const csv = await fetchExport(world, list)
    expectLines(csv, [names.join(), ...lines])
    // Each line of NDJSON is what JSON.stringify would write, apart from spaces and zeros in stored JSON and decimals.
    const ndjson = await fetchExport(world, list, 'NDJSON')
    expect(ndjson.endsWith('}\n')).toBe(true)
    expect(ndjson.split('\n')).toHaveLength(rows.length + 1)
  })

  it('is exact for contacts with tags and custom fields', async () => {
    const world = await newWorld()
    const field = await world.customField({ name: 'Note' })
    const texts = risky.filter((text) => text.trim() !== '')
    for (const [index, value] of texts.entries()) {
      await world.contact({
        email: `p${index}@example.com`,
        firstName: value,
        customFields: [{ customFieldId: field.id, value }],
      })
    }
    const rows = await world.rows<{ id: number; created: string }>(
      `SELECT id, replace(to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), '.000', '') || 'Z' AS created FROM contact WHERE account_id = $1 ORDER BY id`,
      [world.accountId],
    )
    const lines = texts.map((value, index) => {
      const { id, created } = rows[index] as { id: number; created: string }
      const time = `"?${exactly(created).replace(/0+Z$/, '0*Z')}"?`
      return `${id},"p${index}@example\\.com",${exactly(quoted(escaped(value)))},"","","","","","","",false,false,${time},${time},,"",${exactly(quoted(escaped(value)))}`
    })
    const csv = await fetchExport(world, 'CONTACTS')
    expectLines(csv.slice(csv.indexOf('\r\n') + 2), lines)
    const objects = await objectsOf(world, 'CONTACTS')
    expect(objects.map(({ first_name: name }) => name)).toEqual(texts)
    expect(objects.map(({ custom_fields: fields }) => fields)).toEqual(texts.map((value) => [{ label: 'Note', value }]))
  })

  it('contains rows that are longer than what a connection receives at once', async () => {
    const world = await newWorld()
    const people = 6
    await world.rows(
      `INSERT INTO custom_field (account_id, name, type, created_at) SELECT $1, 'f' || lpad(i::text, 3, '0'), 'TEXT', now() FROM generate_series(1, 150) i`,
      [world.accountId],
    )
    await world.rows(
      `INSERT INTO contact (account_id, email, created_at, updated_at) SELECT $1, 'p' || i || '@example.com', now(), now() FROM generate_series(1, $2::int) i`,
      [world.accountId, people],
    )
    await world.rows(
      `INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, updated_at)
       SELECT $1, c.id, f.id, repeat(chr(97 + c.id % 26), 900 + f.id % 90), now() FROM contact c, custom_field f WHERE c.account_id = $1 AND f.account_id = $1`,
      [world.accountId],
    )
    const rows = await rowsOf(world, 'CONTACTS')
    expect(rows.map(({ email }) => email)).toEqual(Array.from({ length: people }, (_, n) => `p${n + 1}@example.com`))
    const objects = await objectsOf(world, 'CONTACTS')
    for (const [index, row] of rows.entries()) {
      const fields = objects[index]?.['custom_fields'] as { label: string; value: string }[]
      expect(fields).toHaveLength(150)
      for (const { label, value } of fields) expect(row[`custom_fields.${label}`]).toBe(value)
      const letter = String.fromCharCode(97 + (Number(row['id']) % 26))
      expect(fields.every(({ value }) => value.length >= 900 && value === letter.repeat(value.length))).toBe(true)
    }
  })
})
