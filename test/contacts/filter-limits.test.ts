import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { CampaignCreate, CampaignSchedule, CampaignSend, draft, later } from '../campaigns/documents.ts'
import { newWorld, type World } from '../support/world.ts'

const Contacts = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'
const Audience = 'query ($filter: ContactFilterInput) { audience(filter: $filter) { total } }'
const count = async (world: World, filter: object | null) => (await world.run(Contacts, { filter })).contacts.totalCount
const nested = (depth: number): object => (depth === 1 ? { gdpr: true } : { not: nested(depth - 1) })
const conditions = (length: number) => ({ or: Array.from({ length }, () => ({ gdpr: true })) })

describe('the limits of a filter', () => {
  it.each([
    [{ and: [{ email: { contains: 'ab' } }] }, 'filter.and.0.email.contains', 'must have at least 3 characters'],
    [{ not: { city: { in: Array(101).fill('x') } } }, 'filter.not.city.in', 'must have at most 100 values'],
    [{ tags: { none: Array(1001).fill(1) } }, 'filter.tags.none', 'must have at most 1000 ids'],
    [{ tags: { any: ['Q29udGFjdDox'] } }, 'filter.tags.any', 'must be the id of a Tag'],
    [nested(6), 'filter', 'must have at most 5 levels'],
    [conditions(41), 'filter', 'must have at most 40 conditions'],
    [
      { or: Array(41).fill({ createdAt: { range: { from: '2026-01-01', to: '2026-01-02' } } }) },
      'filter',
      'must have at most 40 conditions',
    ],
    [{ tags: { all: Array(41).fill(1) } }, 'filter', 'must have at most 40 conditions'],
    [{ and: Array(41).fill({}) }, 'filter', 'must have at most 40 conditions'],
  ])('are reported with the path: %j', async (filter, path, message) => {
    const world = await newWorld()
    const fault = await world.fault(Contacts, { filter })
    expect(fault).toMatchObject({
      message: `Invalid input: ${path} ${message}.`,
      extensions: { code: 'VALIDATION_ERROR', details: { [path]: [message] } },
    })
  })

  it('allow 5 levels, 40 conditions and 3 characters', async () => {
    const world = await newWorld()
    await world.contact({ email: 'ada@example.com', gdpr: true })
    for (const filter of [nested(5), conditions(40), { email: { contains: 'ADA' } }]) {
      expect(await count(world, filter)).toBe(1)
    }
  })

  it('reports the operators that a custom field does not have', async () => {
    const world = await newWorld()
    const field = await world.customField({ type: 'NUMBER' })
    const fault = await world.fault(Contacts, { filter: { customFields: [{ id: field.id, text: { eq: '1' } }] } })
    const message = 'is not allowed for a custom field of the type NUMBER'
    expect(fault.extensions.details).toEqual({ 'filter.customFields.0.text': [message] })
  })

  it('end a statement that takes longer than 2 seconds, and only this one', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    await world.contact()
    await world.segment({ tags: { any: [tag.id] } })
    const { id: campaign } = await draft(world, { audience: { filter: { tags: { any: [tag.id] } } } })
    const blocker = new pg.Client({ connectionString: world.server.app.database.directUrl })
    await blocker.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE contact_tag')
      const filter = { tags: { any: [tag.id] } }
      const { body, status } = await world.ask(
        `query ($filter: ContactFilterInput) { audience(filter: $filter) { total } contacts(filter: $filter) { totalCount }
          all: contacts { totalCount } }`,
        { filter },
      )
      expect(status).toBe(200)
      const message = 'takes longer than 2 seconds to evaluate; use fewer or narrower conditions'
      for (const error of body.errors) {
        const fields = [{ path: 'filter', code: 'INVALID_VALUE', message }]
        expect(error.extensions).toEqual({ code: 'VALIDATION_ERROR', details: { filter: [message] }, fields })
      }
      expect(body.errors).not.toHaveLength(0)
      const stored = await world.ask(
        `query ($campaign: ID!) { campaign(id: $campaign) { audience { total } } contacts { nodes { segments { id } } }
          segments { nodes { contacts { totalCount } } } }`,
        { campaign },
      )
      expect(stored.body.errors).toHaveLength(3)
      for (const error of stored.body.errors) {
        expect(error.message).toBe(`A stored filter ${message}.`)
        expect(error.extensions).toEqual({ code: 'VALIDATION_ERROR' })
      }
    } finally {
      await blocker.end()
    }
    expect(await count(world, { tags: { any: [tag.id] } })).toBe(0)
  })
})

describe('an empty list or null in a filter', () => {
  it.each([
    [{ tags: { any: [] } }, 0],
    [{ city: { in: [] } }, 0],
    [{ id: { in: [] } }, 0],
    [{ or: [] }, 0],
    [{ not: { or: [] } }, 2],
    [{ tags: { all: [], none: [] } }, 2],
    [{ and: [], customFields: [] }, 2],
    [{ or: [{ tags: { none: [] } }, { or: [] }] }, 2],
    [{ email: null, city: { eq: null, in: null }, tags: { any: null }, createdAt: null, or: null, not: null }, 2],
    [null, 2],
  ])('%j matches %i of 2 contacts', async (filter, expected) => {
    const world = await newWorld()
    for (const _ of [1, 2]) await world.contact()
    expect(await count(world, filter)).toBe(expected)
  })

  it.each([{}, { and: [] }, { tags: { none: [] } }, { or: [{}, { gdpr: true }] }])(
    'makes an audience without a condition of %j, which is sent to nobody',
    async (filter) => {
      const world = await newWorld()
      await world.contact({ emailMarketing: true, gdpr: true })
      const { id } = await draft(world, { audience: { filter } })
      const { campaign } = (await world.run(CampaignSend, { input: { id, errorAsStatus: true } })).campaignSend
      expect(campaign).toMatchObject({ status: 'ERROR', errorCode: 'NO_RECIPIENTS' })
    },
  )
})

describe('the scopes of a filter', () => {
  const scopeName = (scope: string) => scope.replace(':', '_').toUpperCase()

  it.each([
    [{ tags: { any: [1] } }, ['campaigns:read'], 'contacts:read'],
    [{ email: { contains: 'ada' } }, ['campaigns:read'], 'contacts:read'],
    [{ or: [{ not: { sequences: { none: [1] } } }] }, ['campaigns:read', 'contacts:read'], 'sequences:read'],
    [{ forms: { exists: true } }, ['campaigns:read', 'contacts:read'], 'forms:read'],
    [{ hasOrders: false }, ['campaigns:read', 'contacts:read'], 'finance:read'],
  ] as const)('returns FORBIDDEN for the audience of %j with a key of %j', async (filter, scopes, missing) => {
    const world = await newWorld()
    const key = await world.key({ scopes })
    expect(await world.fault(Audience, { filter }, { key })).toMatchObject({
      message: `This key lacks the scope ${scopeName(missing)}.`,
      extensions: { code: 'FORBIDDEN', scope: scopeName(missing) },
    })
    const writing = await world.key({ scopes: [...scopes, 'campaigns:write'] })
    const input = { name: 'News', audience: { filter } }
    expect((await world.fault(CampaignCreate, { input }, { key: writing })).extensions.code).toBe('FORBIDDEN')
    const full = await world.key({ scopes: [...scopes, missing] })
    expect((await world.run(Audience, { filter }, { key: full })).audience).toEqual({ total: 0 })
  })

  it('returns FORBIDDEN for a list of contacts and a list of ids', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['contacts:read'] })
    const filter = { campaignsOpened: { any: [1] } }
    expect((await world.fault(Contacts, { filter }, { key })).extensions.code).toBe('FORBIDDEN')
    const lists = '{ audience(lists: { includeTagIds: [1] }) { total } }'
    const other = await world.key({ scopes: ['campaigns:read'] })
    expect((await world.fault(lists, {}, { key: other })).extensions.code).toBe('FORBIDDEN')
  })
})

describe('an audience that excludes something deleted', () => {
  const TagDelete = 'mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }'
  const FieldDelete = 'mutation ($id: ID!) { customFieldDelete(input: { id: $id }) { deletedCustomFieldId } }'

  it.each([
    ['none of a tag', (tag: string) => ({ tags: { none: [tag] } })],
    ['not any of a tag', (tag: string) => ({ not: { tags: { any: [tag] } } })],
    ['a list of the REST API', undefined],
  ])('is not sent: %s', async (_what, filterOf) => {
    const world = await newWorld()
    const tag = await world.tag()
    await world.contact({ emailMarketing: true, addTagIds: [tag.id] })
    await world.contact({ emailMarketing: true })
    const audience = filterOf ? { filter: filterOf(tag.id) } : { lists: { excludeTagIds: [tag.id] } }
    const { id } = await draft(world, { audience })
    await world.run(CampaignSchedule, { input: { id, scheduledFor: later } })
    await world.run(TagDelete, { id: tag.id })
    const fault = await world.fault(CampaignSend, { input: { id } })
    const reason = `excludes the Tag ${tag.databaseId}, which was deleted`
    const fields = [{ path: 'input.audience', code: 'INVALID_VALUE', message: reason }]
    expect(fault.extensions).toEqual({ code: 'VALIDATION_ERROR', details: { 'input.audience': [reason] }, fields })
    const { campaign } = (await world.run(CampaignSend, { input: { id, errorAsStatus: true } })).campaignSend
    expect(campaign).toMatchObject({ status: 'ERROR', errorCode: 'AUDIENCE_INVALID', recipientsCount: 0 })
  })

  it('is sent again after the filter was corrected, and includes by what was deleted match nobody', async () => {
    const world = await newWorld()
    const field = await world.customField({ type: 'TEXT' })
    const tag = await world.tag()
    await world.contact({ emailMarketing: true, addTagIds: [tag.id] })
    const { id } = await draft(world, {
      audience: { filter: { or: [{ customFields: [{ id: field.id, exists: false }] }, { tags: { any: [tag.id] } }] } },
    })
    await world.run(FieldDelete, { id: field.id })
    expect((await world.fault(CampaignSend, { input: { id } })).extensions.details).toEqual({
      'input.audience': [`excludes the CustomField ${field.databaseId}, which was deleted`],
    })
    const filter = { or: [{ customFields: [{ id: field.id, exists: true }] }, { tags: { any: [tag.id] } }] }
    const { campaign } = (await world.run(CampaignSend, { input: { id, audience: { filter } } })).campaignSend
    expect(campaign).toMatchObject({ status: 'SENDING', recipientsCount: 1 })
  })
})

describe('the filter of a campaign', () => {
  const Read = 'query ($id: ID!) { campaign(id: $id) { audience { total filter } } }'

  it('is stored with its times, replaces lists, and must match beside lists that follow', async () => {
    const world = await newWorld()
    const [a, b] = [await world.tag('a'), await world.tag('b')]
    await world.contact({ addTagIds: [a.id] })
    await world.contact({ addTagIds: [a.id, b.id] })
    const { id } = await draft(world, { audience: { lists: { includeTagIds: [b.id] } } })
    const plan = async (audience: object) => {
      await world.run(CampaignSchedule, { input: { id, scheduledFor: later, audience } })
      return (await world.run(Read, { id })).campaign.audience
    }
    const filter = { tags: { any: [a.id] }, createdAt: { gte: '2026-01-01T00:00:00.000Z' } }
    expect(await plan({ filter })).toEqual({ total: 2, filter })
    expect(await plan({ lists: { excludeTagIds: [b.databaseId] } })).toEqual({
      total: 1,
      filter: { and: [{ tags: { none: [b.databaseId] } }, filter] },
    })
    const both = { id, audience: { filter, lists: { includeTagIds: [] } } }
    expect((await world.fault(CampaignSend, { input: both })).extensions.details).toEqual({
      'input.audience.lists': ['cannot be combined with filter'],
    })
  })
})
