import { describe, expect, it } from 'vitest'
import { CampaignCreate, CampaignSchedule, CampaignSend, draft, later } from '../campaigns/documents.ts'
import { newWorld } from '../support/world.ts'
import { ContactSegments, Contacts, Create, Delete, ExportLink, newTaggedWorld, Update, update } from './segments.ts'

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
