import { describe, expect, it } from 'vitest'
import { CampaignCreate, CampaignSchedule, CampaignSend, draft, later } from '../campaigns/documents.ts'
import { newWorld, type World } from '../support/world.ts'

const Create = `mutation ($name: String!, $filter: ContactFilterInput!) {
  segmentCreate(input: { name: $name, filter: $filter }) { segmentId segment { id databaseId name filter contacts { totalCount } } } }`
const Update = `mutation ($id: ID!, $name: String, $filter: ContactFilterInput) {
  segmentUpdate(input: { id: $id, name: $name, filter: $filter }) { segmentId segment { name filter contacts { totalCount } } } }`
const Delete = 'mutation ($id: ID!) { segmentDelete(input: { id: $id }) { deletedSegmentId deletedSegmentDatabaseId } }'
const Contacts = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'
const All = `query ($is: ContactFilterInput, $not: ContactFilterInput, $or: ContactFilterInput) {
  is: contacts(filter: $is) { totalCount } not: contacts(filter: $not) { totalCount } or: contacts(filter: $or) { totalCount } }`
const ContactSegments = '{ contacts { nodes { segments { name } } } }'
const ExportLink =
  'query ($filter: ContactFilterInput!) { exportLink(list: CONTACTS, filter: { contacts: $filter }) { url } }'

const count = async (world: World, filter: object) => (await world.run(Contacts, { filter })).contacts.totalCount
const update = (world: World, id: string, filter: object) => world.run(Update, { id, filter })

/** Creates contacts: one with the tag a, one with a and b, one without tags. */
async function newTaggedWorld() {
  const world = await newWorld()
  const [a, b] = [await world.tag('a'), await world.tag('b')]
  for (const [name, tags] of Object.entries({ one: [a], both: [a, b], none: [] })) {
    await world.contact({ email: `${name}@x.io`, emailMarketing: true, addTagIds: tags.map(({ id }) => id) })
  }
  return { world, a, b, ofA: { tags: { any: [a.id] } }, ofB: { tags: { any: [b.databaseId] } } }
}

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

describe('an audience of segments', () => {
  const Audience =
    'query ($filter: ContactFilterInput, $lists: AudienceListsInput) { audience(filter: $filter, lists: $lists) { total } }'

  it('is evaluated when the campaign is sent', async () => {
    const { world, ofA, ofB } = await newTaggedWorld()
    const { id: segment } = await world.segment(ofA)
    const { id } = await draft(world, { audience: { filter: { segments: { any: [segment] } } } })
    await world.run(CampaignSchedule, { input: { id, scheduledFor: later } })
    await update(world, segment, ofB)
    const { campaign } = (await world.run(CampaignSend, { input: { id } })).campaignSend
    expect(campaign).toMatchObject({ status: 'SENDING', recipientsCount: 1 })
  })

  it('can be given as lists', async () => {
    const { world, ofA, ofB } = await newTaggedWorld()
    const [a, b] = [await world.segment(ofA), await world.segment(ofB)]
    const total = async (lists: object) => (await world.run(Audience, { lists })).audience.total
    expect(await total({ includeSegmentIds: [a.id] })).toBe(2)
    expect(await total({ includeSegmentIds: [a.databaseId], excludeSegmentIds: [b.id] })).toBe(1)
    expect(await total({ excludeSegmentIds: [b.id] })).toBe(2)
  })

  it('is nobody if its segments have no condition', async () => {
    const { world } = await newTaggedWorld()
    const { id: segment } = await world.segment({})
    const { id } = await draft(world, { audience: { filter: { segments: { any: [segment] } } } })
    const { campaign } = (await world.run(CampaignSend, { input: { id, errorAsStatus: true } })).campaignSend
    expect(campaign).toMatchObject({ status: 'ERROR', errorCode: 'NO_RECIPIENTS' })
  })

  it.each([
    [(id: string) => ({ filter: { segments: { none: [id] } } })],
    [(id: string) => ({ filter: { not: { or: [{ segments: { any: [id] } }] } } })],
    [(id: string) => ({ lists: { excludeSegmentIds: [id] } })],
  ])('is not sent if it excludes a segment that was deleted: %s', async (audienceOf) => {
    const { world, ofA } = await newTaggedWorld()
    const segment = await world.segment(ofA)
    const { id } = await draft(world, { audience: audienceOf(segment.id) })
    await world.rows('DELETE FROM segment WHERE account_id = $1', [world.accountId])
    const reason = `excludes the Segment ${segment.databaseId}, which was deleted`
    expect((await world.fault(CampaignSend, { input: { id } })).extensions.details).toEqual({
      'input.audience': [reason],
    })
    const { campaign } = (await world.run(CampaignSend, { input: { id, errorAsStatus: true } })).campaignSend
    expect(campaign).toMatchObject({ status: 'ERROR', errorCode: 'AUDIENCE_INVALID' })
  })

  it('is not sent if a segment excludes a tag that was deleted', async () => {
    const { world, a, b } = await newTaggedWorld()
    const { id: segment } = await world.segment({ tags: { none: [b.id], any: [a.id] } })
    const { id } = await draft(world, { audience: { lists: { includeSegmentIds: [segment] } } })
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: b.id })
    expect((await world.fault(CampaignSend, { input: { id } })).extensions.details).toEqual({
      'input.audience': [`excludes the Tag ${b.databaseId}, which was deleted`],
    })
  })

  it('is not sent if its segments have got too many conditions', async () => {
    const world = await newWorld()
    const ids: string[] = []
    for (let index = 0; index < 6; index += 1) ids.push((await world.segment({ gdpr: true })).id)
    const { id } = await draft(world, { audience: { filter: { segments: { any: ids } } } })
    for (const each of ids) await update(world, each, { or: Array(40).fill({ gdpr: true }) })
    const { campaign } = (await world.run(CampaignSend, { input: { id, errorAsStatus: true } })).campaignSend
    expect(campaign).toMatchObject({ status: 'ERROR', errorCode: 'AUDIENCE_INVALID' })
  })
})

describe('segmentDelete', () => {
  it.each([
    [(id: string) => ({ filter: { or: [{ segments: { all: [id] } }] } })],
    [(_id: string, databaseId: number) => ({ filter: { not: { segments: { none: [databaseId] } } } })],
    [(id: string) => ({ lists: { includeSegmentIds: [id] } })],
    [(id: string) => ({ lists: { excludeSegmentIds: [id] } })],
  ])('returns INVALID_STATE while a campaign that can be sent uses the segment: %s', async (audienceOf) => {
    const { world, ofA } = await newTaggedWorld()
    const { id, databaseId } = await world.segment(ofA)
    const other = await world.segment(ofA)
    const campaign = await draft(world, { name: 'Spring', audience: audienceOf(id, databaseId) })
    const expected = { message: 'The segment is used by the campaign “Spring”.', extensions: { code: 'INVALID_STATE' } }
    expect(await world.fault(Delete, { id })).toMatchObject(expected)
    await world.run(CampaignSchedule, { input: { id: campaign.id, scheduledFor: later } })
    expect(await world.fault(Delete, { id })).toMatchObject(expected)
    expect((await world.run(Delete, { id: other.id })).segmentDelete.deletedSegmentId).toBe(other.id)
    await world.run(CampaignSend, { input: { id: campaign.id } })
    expect((await world.run(Delete, { id })).segmentDelete).toEqual({
      deletedSegmentId: id,
      deletedSegmentDatabaseId: databaseId,
    })
    expect((await world.run(Contacts, { filter: null })).contacts.totalCount).toBe(3)
  })

  it('names five campaigns at most', async () => {
    const world = await newWorld()
    const { id } = await world.segment()
    for (let index = 1; index <= 7; index += 1)
      await world.run(CampaignCreate, {
        input: { name: `C${index}`, audience: { lists: { includeSegmentIds: [id] } } },
      })
    expect((await world.fault(Delete, { id })).message).toBe(
      'The segment is used by the campaigns “C1”, “C2”, “C3”, “C4”, “C5” and 2 more.',
    )
  })
})

describe('a key without the scope of a condition', () => {
  it.each([
    ['finance:read', { hasOrders: true }],
    ['campaigns:read', { or: [{ campaignsOpened: { any: ['1'] } }, { gdpr: false }] }],
  ] as const)('cannot use a segment that needs %s', async (missing, filter) => {
    const world = await newWorld()
    await world.contact()
    const secret = await world.segment(filter, 'secret')
    const open = await world.segment({ gdpr: false }, 'open')
    const scopes = ['contacts:read', 'contacts:write', 'campaigns:write', 'campaigns:read'] as const
    const key = await world.key({ scopes: scopes.filter((scope) => scope !== missing) })
    const refused = async (document: string, variables: object) =>
      expect(await world.fault(document, variables, { key })).toMatchObject({
        message: `This key lacks the scope ${missing.replace(':', '_').toUpperCase()}.`,
        extensions: { code: 'FORBIDDEN' },
      })
    const uses = { segments: { none: [secret.id] } }
    await refused(Create, { name: 'new', filter })
    await refused(Update, { id: open.id, filter })
    await refused(Contacts, { filter: uses })
    await refused(Contacts, { filter: { or: [{ not: uses }] } })
    await refused(ExportLink, { filter: uses })
    await refused(CampaignCreate, { input: { name: 'x', audience: { filter: uses } } })
    await refused(CampaignCreate, { input: { name: 'x', audience: { lists: { excludeSegmentIds: [secret.id] } } } })
    const { body } = await world.ask('{ segments { nodes { name filter contacts { totalCount } } } }', {}, { key })
    expect(body.data.segments.nodes).toEqual([
      { name: 'open', filter: { gdpr: false }, contacts: { totalCount: 1 } },
      { name: 'secret', filter, contacts: null },
    ])
    expect(body.errors).toMatchObject([
      { path: ['segments', 'nodes', 1, 'contacts'], extensions: { code: 'FORBIDDEN' } },
    ])
    expect((await world.run(ContactSegments, {}, { key })).contacts.nodes).toEqual([{ segments: [{ name: 'open' }] }])
  })

  it('cannot download an export whose segment has got such a condition', async () => {
    const world = await newWorld()
    await world.contact()
    const { id } = await world.segment({})
    const key = await world.key({ scopes: ['contacts:read'] })
    const link = async () =>
      (await world.run(ExportLink, { filter: { segments: { any: [id] } } }, { key })).exportLink.url
    const url = await link()
    expect((await fetch(url)).status).toBe(200)
    await update(world, id, { hasOrders: false })
    expect((await fetch(url)).status).toBe(404)
  })

  it('needs contacts:read to read segments and contacts:write to change them', async () => {
    const world = await newWorld()
    const { id } = await world.segment()
    const [reading, other] = [
      await world.key({ scopes: ['contacts:read'] }),
      await world.key({ scopes: ['forms:read'] }),
    ]
    for (const document of ['{ segments { totalCount } }', `{ segment(id: "${id}") { name } }`])
      expect((await world.fault(document, {}, { key: other })).extensions.code).toBe('FORBIDDEN')
    expect((await world.fault(Delete, { id }, { key: reading })).extensions.code).toBe('FORBIDDEN')
    expect((await world.fault(Update, { id, name: 'x' }, { key: reading })).extensions.code).toBe('FORBIDDEN')
  })
})
