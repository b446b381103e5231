import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const Contacts = `query ($filter: ContactFilterInput) { contacts(filter: $filter, first: 100, orderBy: { field: EMAIL, direction: ASC }) {
  totalCount nodes { email } } }`

async function namesOf(world: World, filter: Record<string, unknown>): Promise<string[]> {
  const { contacts } = await world.run(Contacts, { filter })
  const names = contacts.nodes.map(({ email }: { email: string }) => email.replace('@example.com', ''))
  expect(contacts.totalCount).toBe(names.length)
  return names
}

/** Creates contacts with these names and creation times. */
async function createContactsAt(world: World, moments: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, moment] of Object.entries(moments)) {
    const { databaseId } = await world.contact({ email: `${name}@example.com` })
    await world.rows('UPDATE contact SET created_at = $3 WHERE account_id = $1 AND id = $2', [
      world.accountId,
      databaseId,
      moment,
    ])
  }
}

const between = (from: string, to: string) => ({ createdAt: { period: 'BETWEEN', range: { from, to } } })

describe('the period of a list', () => {
  it("uses days in the account's time zone", async () => {
    const world = await newWorld({ timezone: 'America/New_York' })
    await createContactsAt(world, {
      a: '2026-01-10T04:59:59.999Z',
      b: '2026-01-10T05:00:00.000Z',
      c: '2026-01-11T04:59:59.999Z',
      d: '2026-01-11T05:00:00.000Z',
    })
    expect(await namesOf(world, between('2026-01-10', '2026-01-10'))).toEqual(['b', 'c'])
    expect(await namesOf(world, between('2026-01-09', '2026-01-09'))).toEqual(['a'])
    expect(await namesOf(world, between('2026-01-09', '2026-01-11'))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('uses days of 23 and 25 hours in Paris if the account has no time zone', async () => {
    const world = await newWorld()
    await createContactsAt(world, {
      a: '2026-03-28T22:59:59.999Z',
      b: '2026-03-28T23:00:00.000Z',
      c: '2026-03-29T21:59:59.999Z',
      d: '2026-03-29T22:00:00.000Z',
      e: '2026-10-24T21:59:59.999Z',
      f: '2026-10-24T22:00:00.000Z',
      g: '2026-10-25T22:59:59.999Z',
      h: '2026-10-25T23:00:00.000Z',
    })
    expect(await namesOf(world, between('2026-03-29', '2026-03-29'))).toEqual(['b', 'c'])
    expect(await namesOf(world, between('2026-10-25', '2026-10-25'))).toEqual(['f', 'g'])
    expect(await namesOf(world, between('2026-03-30', '2026-10-24'))).toEqual(['d', 'e'])
  })

  it('begins at the first moment of a day without midnight', async () => {
    const world = await newWorld({ timezone: 'America/Santiago' })
    await createContactsAt(world, { a: '2025-09-07T03:59:59.999Z', b: '2025-09-07T04:00:00.000Z' })
    expect(await namesOf(world, between('2025-09-06', '2025-09-06'))).toEqual(['a'])
    expect(await namesOf(world, between('2025-09-07', '2025-09-07'))).toEqual(['b'])
  })

  it.each(['Pacific/Kiritimati', 'America/New_York'])('is relative to today in %s', async (zone) => {
    const world = await newWorld({ timezone: zone })
    const today = DateTime.now().setZone(zone).startOf('day')
    const at = (days: number, milliseconds = 0) => today.plus({ days }).plus({ milliseconds }).toUTC().toISO() as string
    await createContactsAt(world, {
      a: at(-30, 0),
      b: at(-29, 0),
      c: at(-7, 0),
      d: at(-6, 0),
      e: at(-1, -1),
      f: at(-1, 0),
      g: at(0, -1),
      h: at(0, 0),
      i: at(1, -1),
    })
    expect(await namesOf(world, { createdAt: { period: 'TODAY' } })).toEqual(['h', 'i'])
    expect(await namesOf(world, { createdAt: { period: 'YESTERDAY' } })).toEqual(['f', 'g'])
    expect(await namesOf(world, { createdAt: { period: 'LAST_7_DAYS' } })).toEqual(['d', 'e', 'f', 'g', 'h', 'i'])
    expect(await namesOf(world, { createdAt: { period: 'LAST_30_DAYS' } })).toEqual([
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      'i',
    ])
    expect(await namesOf(world, { createdAt: { period: 'ALL' } })).toHaveLength(9)
    expect(await namesOf(world, { createdAt: { period: null } })).toHaveLength(9)
  })

  it.each([
    ['no range', { createdAt: { period: 'BETWEEN' } }],
    ['a range that runs backwards', between('2026-01-02', '2026-01-01')],
  ])('returns INVALID_PERIOD for BETWEEN with %s', async (_name, filter) => {
    const world = await newWorld()
    expect((await world.fault(Contacts, { filter })).extensions.code).toBe('INVALID_PERIOD')
  })

  it('accepts the years 1 to 9999', async () => {
    const world = await newWorld()
    await world.contact({ email: 'a@example.com' })
    expect(await namesOf(world, between('0001-01-01', '9999-12-31'))).toEqual(['a'])
    const fault = await world.fault(Contacts, { filter: between('0000-01-01', '2026-12-31') })
    expect(fault.extensions.code).toBe('BAD_REQUEST')
  })
})

describe('a number of days', () => {
  it('is relative to the time of the query, to the millisecond', async () => {
    const world = await newWorld()
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    await createContactsAt(world, { a: ago(10.01), b: ago(9.99), c: ago(0.01), d: ago(-1) })
    expect(await namesOf(world, { createdAt: { withinDays: 10 } })).toEqual(['b', 'c'])
    expect(await namesOf(world, { createdAt: { beforeDays: 10 } })).toEqual(['a'])
    expect(await namesOf(world, { not: { createdAt: { withinDays: 10 } } })).toEqual(['a', 'd'])
  })

  it.each([0, 36_501])('of %i returns VALIDATION_ERROR', async (days) => {
    const world = await newWorld()
    for (const name of ['withinDays', 'beforeDays']) {
      const { extensions } = await world.fault(Contacts, { filter: { createdAt: { [name]: days } } })
      const details = { [`filter.createdAt.${name}`]: ['must be from 1 to 36500'] }
      expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details })
    }
  })
})

describe('a comparison of an id', () => {
  it('is that of the integer or the global id', async () => {
    const world = await newWorld()
    const [a] = [await world.contact({ email: 'a@example.com' }), await world.contact({ email: 'b@example.com' })]
    expect(await namesOf(world, { id: { eq: a.id } })).toEqual(['a'])
    expect(await namesOf(world, { id: { ne: a.databaseId } })).toEqual(['b'])
  })
})

describe('the filter of a list', () => {
  it('matches contacts with any of the tags and none for an unknown tag', async () => {
    const world = await newWorld()
    const [x, y] = [await world.tag('x'), await world.tag('y')]
    await world.contact({ email: 'a@example.com', addTagIds: [x.id] })
    await world.contact({ email: 'b@example.com', addTagIds: [x.id, y.id] })
    await world.contact({ email: 'c@example.com' })
    expect(await namesOf(world, { tags: { any: [x.id] } })).toEqual(['a', 'b'])
    expect(await namesOf(world, { tags: { any: [x.databaseId, y.id] } })).toEqual(['a', 'b'])
    expect(await namesOf(world, { tags: { any: [y.id] } })).toEqual(['b'])
    expect(await namesOf(world, { tags: { any: [99_999_999] } })).toEqual([])
    expect(await namesOf(world, { tags: { any: [] } })).toEqual([])
    expect(await namesOf(world, { tags: { any: null } })).toEqual(['a', 'b', 'c'])
    const fault = await world.fault(Contacts, { filter: { tags: { any: ['x'] } } })
    expect(fault.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'filter.tags.any': expect.any(Array) },
    })
  })

  it('combines address, consents and all other conditions', async () => {
    const world = await newWorld()
    await world.contact({ email: 'Ada@example.com', emailMarketing: true, gdpr: true })
    await world.contact({ email: 'bob@example.com', gdpr: true })
    await world.contact({ email: 'eve@example.com', emailMarketing: true })
    expect(await namesOf(world, { email: { eq: 'aDA@EXAMPLE.com' } })).toEqual(['Ada'])
    expect(await namesOf(world, { email: { eq: 'ada' } })).toEqual([])
    expect(await namesOf(world, { emailMarketing: true })).toEqual(['Ada', 'eve'])
    expect(await namesOf(world, { emailMarketing: false })).toEqual(['bob'])
    expect(await namesOf(world, { gdpr: false })).toEqual(['eve'])
    expect(
      await namesOf(world, { emailMarketing: true, gdpr: true, createdAt: { period: 'TODAY' }, search: 'a' }),
    ).toEqual(['Ada'])
    expect(await namesOf(world, { emailMarketing: null, gdpr: null, email: null, search: null })).toHaveLength(3)
  })

  it('searches words as plain text, case-insensitive', async () => {
    const world = await newWorld()
    await world.contact({ email: 'a_1@example.com', firstName: 'Zoé', lastName: 'Müller' })
    await world.contact({ email: 'ab1@example.com', firstName: '100%', lastName: "O'Neil", phone: '+33 6 12' })
    await world.contact({ email: 'c@example.com', firstName: 'back\\slash', companyName: 'Müller & Sons', city: 'Zoé' })
    expect(await namesOf(world, { search: 'A_1' })).toEqual(['a_1'])
    expect(await namesOf(world, { search: 'zoÉ' })).toEqual(['a_1'])
    expect(await namesOf(world, { search: 'MÜLL' })).toEqual(['a_1', 'c'])
    expect(await namesOf(world, { search: '00%' })).toEqual(['ab1'])
    expect(await namesOf(world, { search: '%' })).toEqual([])
    expect(await namesOf(world, { search: '+33' })).toEqual(['ab1'])
    expect(await namesOf(world, { search: "o'n" })).toEqual(['ab1'])
    expect(await namesOf(world, { search: 'k\\s' })).toEqual(['c'])
    expect(await namesOf(world, { search: ' müller  ZOÉ ' })).toEqual(['a_1'])
    expect(await namesOf(world, { search: 'a' })).toEqual(['a_1', 'ab1'])
    expect(await namesOf(world, { search: 'b' })).toEqual(['c'])
    expect(await namesOf(world, { not: { search: 'a' } })).toEqual(['c'])
    for (const search of ['', ' ']) expect(await namesOf(world, { search })).toHaveLength(3)
    expect(await namesOf(world, { search: 'EXAMPLE.COM' })).toHaveLength(3)
  })
})
