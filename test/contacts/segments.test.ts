import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import {
  All,
  ContactSegments,
  Contacts,
  Create,
  count,
  Delete,
  ExportLink,
  newTaggedWorld,
  Update,
} from './segments.ts'

describe('segmentCreate and segmentUpdate', () => {
  it('store a filter that can be sent again', async () => {
    const { world, a } = await newTaggedWorld()
    const field = await world.customField({ type: 'NUMBER' })
    const filter = {
      or: [
        { tags: { all: [a.id, String(a.databaseId)], none: null } },
        { customFields: [{ id: field.id, number: { gte: '1.50' } }] },
        { createdAt: { gte: '2026-01-01T00:00:00.000Z', period: 'LAST_30_DAYS' } },
      ],
      not: { email: { in: ['none@x.io', 'x'] } },
    }
    const { segment } = (await world.run(Create, { name: ' VIP ', filter })).segmentCreate
    expect(segment).toMatchObject({ name: 'VIP', filter, contacts: { totalCount: 2 } })
    const again = (await world.run(Update, { id: segment.id, filter: segment.filter })).segmentUpdate.segment
    expect(again).toEqual({ name: 'VIP', filter, contacts: { totalCount: 2 } })
    const renamed = (await world.run(Update, { id: String(segment.databaseId), name: 'Gold' })).segmentUpdate.segment
    expect(renamed).toMatchObject({ name: 'Gold', filter })
    const read = 'query ($id: ID!) { segment(id: $id) { name updatedAt createdAt } node(id: $id) { id } }'
    const found = await world.run(read, { id: segment.id })
    expect(found).toMatchObject({ segment: { name: 'Gold' }, node: { id: segment.id } })
    expect(found.segment.updatedAt > found.segment.createdAt).toBe(true)
  })

  it.each([
    [{ name: '' }, 'name', 'REQUIRED'],
    [{ name: 'x'.repeat(256) }, 'name', 'TOO_LONG'],
    [{ name: 'taken' }, 'name', 'TAKEN'],
    [{ filter: { tags: { any: ['x'] } } }, 'filter.tags.any', 'INVALID_ID'],
    [{ filter: { or: Array(41).fill({ gdpr: true }) } }, 'filter', 'INVALID_VALUE'],
    [{ filter: { not: { and: [{ segments: { any: [1] } }] } } }, 'filter.not.and.0.segments', 'INVALID_VALUE'],
    [{ filter: { segments: {} } }, 'filter.segments', 'INVALID_VALUE'],
    [
      { filter: { and: Array(3).fill({ tags: { any: Array(1000).fill('x1'.repeat(9)) } }) } },
      'filter.and.0.tags.any',
      'INVALID_ID',
    ],
    [{ filter: { and: Array(6).fill({ tags: { any: Array(1000).fill('1234567890') } }) } }, 'filter', 'TOO_LONG'],
  ])('return VALIDATION_ERROR for %j', async (change, path, code) => {
    const world = await newWorld()
    const { id } = await world.segment()
    await world.segment({}, 'taken')
    for (const fault of [
      await world.fault(Create, { name: 'new', filter: {}, ...change }),
      await world.fault(Update, { id, ...change }),
    ]) {
      expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ path: `input.${path}`, code }] })
    }
  })

  it('refuse more than 200 segments', async () => {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO segment (account_id, name, filter, created_at, updated_at)
       SELECT $1, 'segment ' || n, '{}', now(), now() FROM generate_series(1, 200) n`,
      [world.accountId],
    )
    const { code, details } = (await world.fault(Create, { name: 'new', filter: {} })).extensions
    expect({ code, details }).toEqual({
      code: 'VALIDATION_ERROR',
      details: { 'input.name': ['would exceed the maximum of 200 segments per account'] },
    })
  })

  it('return NOT_FOUND for an unknown segment', async () => {
    const world = await newWorld()
    expect((await world.fault(Update, { id: 99_999_999, name: 'x' })).extensions.code).toBe('NOT_FOUND')
    expect((await world.fault(Delete, { id: 99_999_999 })).extensions.code).toBe('NOT_FOUND')
  })
})

describe('the contacts of a segment', () => {
  it('can be filtered and ordered, and are all contacts if the filter is empty', async () => {
    const { world, a, ofA, ofB } = await newTaggedWorld()
    for (const [name, filter] of Object.entries({ a: ofA, all: {} })) await world.segment(filter, name)
    const document = `query ($filter: ContactFilterInput) { segments(orderBy: { field: NAME, direction: ASC }) { nodes { name
      contacts(filter: $filter, orderBy: { field: EMAIL, direction: DESC }) { totalCount nodes { email } } } } }`
    const read = async (filter: object | null) =>
      (await world.run(document, { filter })).segments.nodes.map(({ contacts }: { contacts: object }) => contacts)
    const pageOf = (...names: string[]) => ({
      totalCount: names.length,
      nodes: names.map((name) => ({ email: `${name}@x.io` })),
    })
    expect(await read(null)).toEqual([pageOf('one', 'both'), pageOf('one', 'none', 'both')])
    expect(await read(ofB)).toEqual([pageOf('both'), pageOf('both')])
    expect(await read({ not: { tags: { any: [a.id] } } })).toEqual([pageOf(), pageOf('none')])
    const found = await world.run(
      '{ segments(filter: { search: "AL" }) { nodes { name } } account { segments { totalCount } } }',
    )
    expect(found).toEqual({ segments: { nodes: [{ name: 'all' }] }, account: { segments: { totalCount: 2 } } })
  })
})

describe('the segments of a contact', () => {
  it('are ordered by name', async () => {
    const { world, ofA, ofB } = await newTaggedWorld()
    const none = { or: [] }
    for (const [name, filter] of Object.entries({ d: ofA, c: ofB, b: none, a: {} })) await world.segment(filter, name)
    const { contacts } = await world.run(
      '{ contacts(orderBy: { field: EMAIL, direction: ASC }) { nodes { email segments { name } } } }',
    )
    const names = (...all: string[]) => all.map((name) => ({ name }))
    expect(contacts.nodes).toEqual([
      { email: 'both@x.io', segments: names('a', 'c', 'd') },
      { email: 'none@x.io', segments: names('a') },
      { email: 'one@x.io', segments: names('a', 'd') },
    ])
  })

  it('are evaluated by one statement for 50 contacts, whatever the segments contain', async () => {
    const { world, ofA } = await newTaggedWorld()
    const fields = [await world.customField(), await world.customField(), await world.customField()]
    await world.segment(ofA)
    const run = () => world.run(ContactSegments)
    const before = await world.statements(run)
    await world.rows(
      "INSERT INTO contact (account_id, email, created_at, updated_at) SELECT $1, n || '@y.io', now(), now() FROM generate_series(1, 47) n",
      [world.accountId],
    )
    for (const { id } of fields) await world.segment({ or: [{ customFields: [{ id, exists: true }] }, ofA] })
    expect((await run()).contacts.nodes).toHaveLength(50)
    // The list, the segments, their custom fields, and the evaluation.
    expect([before, await world.statements(run)]).toEqual([3, 4])
  })

  it('can have more values than a statement', async () => {
    const { world } = await newTaggedWorld()
    const texts = { in: Array.from({ length: 100 }, (_, index) => `name ${index}`) }
    await world.rows(
      `INSERT INTO segment (account_id, name, filter, created_at, updated_at)
       SELECT $1, 'segment ' || n, $2, now(), now() FROM generate_series(1, 12) n`,
      [
        world.accountId,
        JSON.stringify({ or: [{ email: { startsWith: 'one' } }, ...Array(29).fill({ firstName: texts })] }),
      ],
    )
    const { contacts } = await world.run(
      '{ contacts(orderBy: { field: EMAIL, direction: DESC }) { nodes { segments { name } } } }',
    )
    expect(contacts.nodes.map(({ segments }: { segments: object[] }) => segments.length)).toEqual([12, 0, 0])
  })
})

describe('a filter by segments', () => {
  it('evaluates the filters of the segments', async () => {
    const { world, ofA, ofB } = await newTaggedWorld()
    const [a, b, all] = [await world.segment(ofA), await world.segment(ofB), await world.segment()]
    for (const [segments, expected] of [
      [{ any: [a.id] }, 2],
      [{ any: [a.id, b.databaseId] }, 2],
      [{ all: [a.id, b.id] }, 1],
      [{ none: [b.id] }, 2],
      [{ all: [a.id], none: [b.id] }, 1],
      [{ any: [all.id] }, 3],
      [{ none: [all.id] }, 0],
      [{ any: [] }, 0],
      [{ all: [], none: [] }, 3],
      [{ any: [99_999_999] }, 0],
      [{ any: [99_999_999, a.id] }, 2],
      [{ none: [99_999_999] }, 3],
      [{}, 3],
    ] as const) {
      const data = await world.run(All, {
        is: { segments },
        not: { not: { segments } },
        or: { or: [{ segments }, ofB] },
      })
      const [is, not, or] = ['is', 'not', 'or'].map((name) => data[name].totalCount)
      expect({ segments, is, not }).toEqual({ segments, is: expected, not: 3 - expected })
      expect(or).toBeGreaterThanOrEqual(Math.max(expected, 1))
    }
    expect(await count(world, { and: [{ segments: { any: [a.id] } }, { email: { startsWith: 'one' } }] })).toBe(1)
  })

  it('has at most 200 conditions with those of the segments', async () => {
    const world = await newWorld()
    const full = { or: Array(40).fill({ gdpr: true }) }
    const ids: string[] = []
    for (let index = 0; index < 6; index += 1) ids.push((await world.segment(full)).id)
    expect(await count(world, { segments: { any: ids.slice(0, 5) } })).toBe(0)
    const fault = await world.fault(Contacts, { filter: { segments: { any: ids } } })
    expect(fault.extensions.details).toEqual({
      filter: ['must have at most 200 conditions, including those of the stored filters'],
    })
    const wrong = await world.fault(Contacts, { filter: { not: { segments: { none: ['x'] } } } })
    expect(wrong.extensions.details).toEqual({ 'filter.not.segments.none': ['must be the id of a Segment'] })
  })

  it('exports the contacts of a segment', async () => {
    const { world, ofA } = await newTaggedWorld()
    const { id } = await world.segment(ofA)
    const { exportLink } = await world.run(ExportLink, { filter: { segments: { any: [id] } } })
    const text = await (await fetch(exportLink.url)).text()
    expect(text.match(/[a-z]+@x\.io/g)).toEqual(['one@x.io', 'both@x.io'])
  })
})
