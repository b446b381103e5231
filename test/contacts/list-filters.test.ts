import { beforeAll, describe, expect, it } from 'vitest'
import { listDocument, listed, walked } from '../support/listed.ts'
import { newWorld, type World } from '../support/world.ts'

const contacts = { type: 'Contact', field: 'contacts', name: 'firstName' }
const tags = { type: 'Tag', field: 'tags', name: 'name' }
const imports = { type: 'ContactImport', field: 'contactImports', name: 'fileName' }

let world: World
let other: World
let ids: Record<'tag' | 'foreignTag' | 'import', string>

beforeAll(async () => {
  world = await newWorld()
  other = await world.other()
  const people = [
    { email: 'anna@mail.example', firstName: 'Anna', lastName: 'Smith', companyName: 'Acme', phone: '+33 612' },
    { email: 'x@mail.example', firstName: 'Ann', lastName: 'smithson', companyName: 'Acme Paris' },
    {
      email: 'y@mail.example',
      firstName: 'joanna',
      lastName: 'Blacksmith',
      companyName: 'Lighthouse',
      phone: '+49 30',
    },
    { email: 'z@mail.example', firstName: 'Bo', lastName: 'An', companyName: 'Ann Smith Ltd' },
  ]
  for (const person of people) await world.contact(person)
  await other.contact({ email: 'anna@mail.example', firstName: 'foreign Anna' })
  const created = [await world.tag('Big spender'), await world.tag('newsletter'), await world.tag('Spender 2')]
  const foreign = await other.tag('spender')
  const [row] = await world.rows<{ id: number }>(
    `INSERT INTO contact_import (account_id, file_name, status, options, failed, created_at, finished_at) VALUES
     ($1, 'Shop.csv', 'COMPLETED', '{}', 3, '2026-01-01Z', '2026-01-02Z'), ($1, 'fair 2026.csv', 'FAILED', '{}', 0, '2026-01-02Z', '2026-01-02Z'),
     ($1, 'crm.csv', 'RUNNING', '{}', 0, '2026-01-03Z', NULL) RETURNING id`,
    [world.accountId],
  )
  ids = { tag: created[0]?.id as string, foreignTag: foreign.id, import: String(row?.id) }
})

describe('the search of contacts', () => {
  it.each([
    ['whole words before beginnings before parts, the newest first', 'ann', ['Bo', 'Ann', 'Anna', 'joanna']],
    ['words in any order, each in any field', 'smith acme', ['Anna', 'Ann']],
    ['the sum of the ranks of all words', 'ANN smith', ['Bo', 'Ann', 'Anna', 'joanna']],
    ['short words at the beginning of a word', 'an s', ['Bo', 'Ann', 'Anna']],
    ['phone numbers', '+49', ['joanna']],
    ['a single character, the newest first', 'a', ['Bo', 'Ann', 'Anna']],
    ['nothing that is only between words', 'smith-acme', []],
  ])('finds and ranks %s', async (_title, search, names) => {
    expect(await listed(world, contacts, { filter: { search } })).toEqual(names)
  })

  it('is combined with other conditions and negated', async () => {
    expect(await listed(world, contacts, { filter: { search: 'smith', not: { search: 'acme' } } })).toEqual([
      ...['Bo', 'joanna'],
    ])
    expect(await listed(world, contacts, { filter: { or: [{ search: 'lighthouse' }, { search: 'paris' }] } })).toEqual([
      'joanna',
      'Ann',
    ])
  })

  it('pages by rank with cursors', async () => {
    expect(await walked(world, contacts, { filter: { search: 'ann' } })).toEqual(['Bo', 'Ann', 'Anna', 'joanna'])
  })

  it.each([
    [{ filter: { search: 'a '.repeat(11) } }, 'filter.search', 'must have at most 10 words'],
    [{ orderBy: { field: 'RELEVANCE' } }, 'orderBy.0.field', 'RELEVANCE requires filter.search'],
  ])('returns VALIDATION_ERROR for %j', async (variables, path, message) => {
    const fault = await world.fault(listDocument(contacts), variables)
    expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [message] } })
  })
})

describe('lists of contacts, tags and imports', () => {
  it.each([
    [contacts, 'FIRST_NAME', ['Ann', 'Anna', 'Bo', 'joanna']],
    [contacts, 'LAST_NAME', ['Bo', 'joanna', 'Anna', 'Ann']],
    [tags, 'NAME', ['Big spender', 'newsletter', 'Spender 2']],
    [imports, 'FILE_NAME', ['crm.csv', 'fair 2026.csv', 'Shop.csv']],
    [imports, 'STATUS', ['Shop.csv', 'fair 2026.csv', 'crm.csv']],
  ])('$field are ordered by %s', async (list, field, names) => {
    expect(await listed(world, list, { orderBy: { field, direction: 'ASC' } })).toEqual(names)
    expect(await listed(world, list, { orderBy: { field, direction: 'DESC' } })).toEqual(names.toReversed())
  })

  it.each([
    [tags, () => ({ id: { in: [ids.tag, ids.foreignTag] } }), ['Big spender']],
    [tags, () => ({ name: { eq: 'NEWSLETTER' } }), ['newsletter']],
    [tags, () => ({ name: { in: ['newsletter', 'spender 2'] } }), ['Spender 2', 'newsletter']],
    [tags, () => ({ not: { name: { startsWith: 'big' } } }), ['Spender 2', 'newsletter']],
    [tags, () => ({ search: '2 spend' }), ['Spender 2']],
    [tags, () => ({ createdAt: { period: 'YESTERDAY' } }), []],
    [tags, () => ({ createdAt: { exists: false } }), []],
    [imports, () => ({ id: { in: [ids.import] } }), ['Shop.csv']],
    [imports, () => ({ status: ['COMPLETED', 'RUNNING'] }), ['crm.csv', 'Shop.csv']],
    [imports, () => ({ status: [] }), []],
    [imports, () => ({ not: { status: 'RUNNING' } }), ['fair 2026.csv', 'Shop.csv']],
    [imports, () => ({ failed: { gte: 1 } }), ['Shop.csv']],
    [
      imports,
      () => ({ fileName: { contains: '.CSV' }, createdAt: { gte: '2026-01-02T00:00:00Z' } }),
      ['crm.csv', 'fair 2026.csv'],
    ],
    [imports, () => ({ finishedAt: { exists: false } }), ['crm.csv']],
    [imports, () => ({ startedAt: { exists: true } }), []],
    [imports, () => ({ search: '2026 fair' }), ['fair 2026.csv']],
  ])('$field are filtered: case %#', async (list, filter, names) => {
    expect(await listed(world, list, { filter: filter() })).toEqual(names)
  })

  it.each([
    [tags, { id: { in: ['x'] } }, 'filter.id.in'],
    [tags, { name: { contains: 'ab' } }, 'filter.name.contains'],
  ])('of $field return VALIDATION_ERROR for %j', async (list, filter, path) => {
    const { extensions } = await world.fault(listDocument(list), { filter })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [expect.any(String)] } })
  })

  it('of another account have none of these rows', async () => {
    expect(await listed(other, imports, { filter: { id: { in: [ids.import] } } })).toEqual([])
    expect(await listed(other, tags, { filter: { id: { in: [ids.tag] } } })).toEqual([])
  })

  it('of consents are filtered by all columns', async () => {
    const { id } = await world.contact({
      email: 'consents@example.org',
      gdpr: true,
      consent: { source: 'Fair', ip: '192.0.2.1' },
    })
    const consents = { type: 'Consent', field: 'consents', name: 'kind', within: `contact(ref: { id: "${id}" }) {` }
    for (const filter of [
      { kind: ['GDPR'], granted: true, source: { eq: 'fair' } },
      { ip: { startsWith: '192.' }, text: { exists: false }, createdAt: { period: 'TODAY' } },
    ]) {
      expect(await listed(world, consents, { filter })).toEqual(['GDPR'])
      expect(await listed(world, consents, { filter: { not: filter } })).toEqual([])
    }
  })
})
