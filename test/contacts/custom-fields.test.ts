import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const Create =
  'mutation ($input: CustomFieldCreateInput!) { customFieldCreate(input: $input) { customField { id name type values } } }'
const Update =
  'mutation ($input: CustomFieldUpdateInput!) { customFieldUpdate(input: $input) { customField { id name type values } } }'
const Delete = 'mutation ($id: ID!) { customFieldDelete(input: { id: $id }) { deletedCustomFieldId } }'
const SetField = `mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) {
  value customField { name } contact { customFields { label value customField { id } } } } }`

describe('custom fields', () => {
  it('are listed oldest first, with options for SELECT only', async () => {
    const world = await newWorld()
    await world.customField({ name: 'Zeta', type: 'SELECT', values: ['b', 'a'] })
    await world.customField({ name: 'Alpha', type: 'DATE' })
    expect((await world.run('{ customFields { name type values } }')).customFields).toEqual([
      { name: 'Zeta', type: 'SELECT', values: ['b', 'a'] },
      { name: 'Alpha', type: 'DATE', values: null },
    ])
  })

  it.each([
    ['name', { name: '', type: 'TEXT' }],
    ['name', { name: 'x'.repeat(256), type: 'TEXT' }],
    ['values', { name: 'a', type: 'SELECT' }],
    ['values', { name: 'a', type: 'SELECT', values: [] }],
    ['values', { name: 'a', type: 'TEXT', values: ['x'] }],
    ['values', { name: 'a', type: 'SELECT', values: ['x', 'x'] }],
    ['values.0', { name: 'a', type: 'SELECT', values: ['x,y'] }],
    ['values.1', { name: 'a', type: 'SELECT', values: ['x', ''] }],
    ['values', { name: 'a', type: 'SELECT', values: Array.from({ length: 501 }, (_, index) => String(index)) }],
  ])('return VALIDATION_ERROR for an invalid %s: %j', async (field, input) => {
    const world = await newWorld()
    const fault = await world.fault(Create, { input })
    expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(Object.keys(fault.extensions.details ?? {})).toEqual([`input.${field}`])
    expect((await world.run('{ customFields { id } }')).customFields).toEqual([])
  })

  it('return VALIDATION_ERROR for a name that another field has', async () => {
    const world = await newWorld()
    const size = await world.customField({ name: 'Size' })
    const other = await world.customField({ name: 'Other' })
    for (const fault of [
      await world.fault(Create, { input: { name: ' Size ', type: 'TEXT' } }),
      await world.fault(Update, { input: { id: other.id, name: 'Size' } }),
    ]) {
      expect(fault.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.name': [expect.stringContaining('already used')] },
      })
    }
    await world.run(Update, { input: { id: size.id, name: 'Size' } })
  })

  it('can be renamed and get other options while stored values are kept', async () => {
    const world = await newWorld()
    const { id } = await world.customField({ name: 'Size', type: 'SELECT', values: ['S', 'M'] })
    const contact = await world.contact({ customFields: [{ customFieldId: id, value: 'S' }] })
    const { customField } = (await world.run(Update, { input: { id, name: 'Fit', values: ['M', 'L'] } }))
      .customFieldUpdate
    expect(customField).toEqual({ id, name: 'Fit', type: 'SELECT', values: ['M', 'L'] })
    const read = await world.run('query ($id: ID!) { contact(ref: { id: $id }) { customFields { label value } } }', {
      id: contact.id,
    })
    expect(read.contact.customFields).toEqual([{ label: 'Fit', value: 'S' }])
    expect((await world.fault(Update, { input: { id, values: [] } })).extensions.code).toBe('VALIDATION_ERROR')
    expect((await world.fault(Update, { input: { id: 99_999_999, name: 'x' } })).extensions.code).toBe('NOT_FOUND')
    const text = await world.customField()
    expect((await world.fault(Update, { input: { id: text.id, values: ['x'] } })).extensions.code).toBe(
      'VALIDATION_ERROR',
    )
    expect(
      (await world.run(Update, { input: { id, name: null, values: null } })).customFieldUpdate.customField,
    ).toEqual(customField)
  })

  it('are deleted with their values', async () => {
    const world = await newWorld()
    const { id } = await world.customField()
    await world.contact({ customFields: [{ customFieldId: id, value: 'x' }] })
    expect((await world.run(Delete, { id })).customFieldDelete).toEqual({ deletedCustomFieldId: id })
    expect(await world.rows('SELECT FROM contact_field WHERE account_id = $1', [world.accountId])).toHaveLength(0)
    expect((await world.fault(Delete, { id })).extensions.code).toBe('NOT_FOUND')
  })

  it('return VALIDATION_ERROR for the 1,001st field of an account', async () => {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO custom_field (account_id, name, type, "values", created_at) SELECT $1, 'f' || n, 'TEXT', '{}', now() FROM generate_series(1, 1000) n`,
      [world.accountId],
    )
    expect((await world.fault(Create, { input: { name: 'more', type: 'TEXT' } })).extensions.code).toBe(
      'VALIDATION_ERROR',
    )
    expect((await world.run('{ customFields { id } }')).customFields).toHaveLength(1_000)
  })
})

describe('contactFieldSet', () => {
  const long = 'x'.repeat(1_000)
  it.each([
    ['TEXT', ['', 'a', ' spaces ', 'Ünï 🎉', long], [`${long}x`, 'nul\0']],
    ['SELECT', ['S', 'x,l'.slice(2)], ['s', '', 'XXL']],
    [
      'NUMBER',
      ['0', '12', '-3.5', '0.10', '007'],
      ['', ' 1', '1e3', '.5', '5.', '1,5', 'NaN', 'Infinity', '+1', '１', '--1'],
    ],
    [
      'DATE',
      ['2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31'],
      ['', '2026-02-29', '2026-02-30', '2026-13-01', '2026-1-1', '2026-01-01T00:00:00Z', '20260101', '2026-00-10'],
    ],
    ['BOOLEAN', ['true', 'false'], ['', 'TRUE', 'yes', '1', '0', 'null']],
    [
      'URL',
      ['https://example.com', 'http://localhost:1/a?b#c'],
      [
        '',
        'example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://',
        'http//x',
        'mailto:a@example.com',
        `https://example.com/${long}`,
      ],
    ],
  ])('accepts only valid values for %s', async (type, good, bad) => {
    const world = await newWorld()
    const field = await world.customField({ name: 'f', type, ...(type === 'SELECT' && { values: ['S', 'l'] }) })
    const { id } = await world.contact()
    const base = { contact: { id }, customFieldId: field.id }
    for (const value of good) {
      const answer = (await world.run(SetField, { input: { ...base, value } })).contactFieldSet
      expect(answer).toEqual({
        value,
        customField: { name: 'f' },
        contact: { customFields: [{ label: 'f', value, customField: { id: field.id } }] },
      })
    }
    for (const value of bad) {
      const fault = await world.fault(SetField, { input: { ...base, value } })
      expect(fault.extensions, JSON.stringify(value)).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.value': [expect.any(String)] },
      })
    }
    expect(await world.announced('contact.field_updated')).toHaveLength(good.length)
  })

  it('removes the value with null and emits an event for each change', async () => {
    const world = await newWorld()
    const field = await world.customField({ name: 'f' })
    const { id, databaseId } = await world.contact()
    for (const value of ['a', 'a', null, null, 'b']) {
      const answer = (await world.run(SetField, { input: { contact: { id }, customFieldId: field.databaseId, value } }))
        .contactFieldSet
      expect(answer.value).toBe(value)
      expect(answer.contact.customFields).toHaveLength(value === null ? 0 : 1)
    }
    const data = { contactId: databaseId, customFieldId: field.databaseId, changes: [expect.any(String)] }
    expect((await world.announced('contact.field_updated')).map((event) => event.data)).toEqual([
      { ...data, value: 'a' },
      { ...data, value: '' },
      { ...data, value: 'b' },
    ])
  })

  it('returns NOT_FOUND for an unknown contact or custom field', async () => {
    const world = await newWorld()
    const field = await world.customField()
    const { id } = await world.contact()
    for (const [contact, customFieldId] of [
      [id, 99_999_999],
      [99_999_999, field.id],
    ]) {
      const fault = await world.fault(SetField, { input: { contact: { id: contact }, customFieldId, value: 'x' } })
      expect(fault.extensions.code).toBe('NOT_FOUND')
    }
    expect(
      (await world.fault(SetField, { input: { contact: { id }, customFieldId: 'x', value: 'x' } })).extensions.code,
    ).toBe('VALIDATION_ERROR')
  })

  it('takes the same number of statements for many fields as for two and keeps the last value of each', async () => {
    const world = await newWorld()
    const fields: { id: string }[] = []
    for (let n = 0; n < 20; n += 1) fields.push(await world.customField({ name: `f${n}` }))
    const values = (count: number) => fields.slice(0, count).map(({ id }, n) => ({ customFieldId: id, value: `v${n}` }))
    const twice = { customFieldId: fields[0]?.id, value: 'last' }
    const created = (count: number) =>
      world.statements(() => world.contact({ customFields: [...values(count), twice] }))
    expect(await created(20)).toBe(await created(2))
    const { id } = await world.contact({ customFields: [...values(3), twice] })
    const { contact } = await world.run('query ($id: ID!) { contact(ref: { id: $id }) { customFields { value } } }', {
      id,
    })
    expect(contact.customFields).toEqual([{ value: 'last' }, { value: 'v1' }, { value: 'v2' }])
  })
})
