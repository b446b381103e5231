import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import {
  CampaignContentSet,
  CampaignCreate,
  CampaignDelete,
  CampaignRead,
  CampaignSchedule,
  CampaignUpdate,
  draft,
} from './documents.ts'

describe('a draft', () => {
  it("defaults to the account's sender, and stores the given fields", async () => {
    const world = await newWorld()
    await world.run(
      'mutation { accountUpdate(input: { senderName: "Ada", senderEmail: "ada@news.example" }) { account { id } } }',
    )
    const plain = await world.run(CampaignCreate, { input: { name: '  News  ' } })
    expect(plain.campaignCreate.campaign).toMatchObject({
      name: 'News',
      subject: '',
      fromName: 'Ada',
      fromEmail: 'ada@news.example',
      status: 'DRAFT',
      scheduledFor: null,
      recipientsCount: 0,
      audience: { sendToAll: false },
    })
    const full = { name: 'More', subject: 'Hello', fromName: 'Grace', fromEmail: 'grace@news.example' }
    const { campaign } = (await world.run(CampaignCreate, { input: full })).campaignCreate
    expect(campaign).toMatchObject(full)
    const change = { id: campaign.id, subject: 'Good day' }
    expect((await world.run(CampaignUpdate, { input: change })).campaignUpdate.campaign).toMatchObject({
      ...full,
      subject: 'Good day',
    })
  })

  it('keeps its plain text if only the HTML is set', async () => {
    const world = await newWorld()
    const { id } = await draft(world)
    await world.run(CampaignContentSet, { input: { id, html: '<p>1</p>', text: 'one' } })
    const { campaignContentSet } = await world.run(CampaignContentSet, { input: { id, html: '<p>2</p>' } })
    expect(campaignContentSet.campaign.email).toEqual({ html: '<p>2</p>', text: 'one' })
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'News', fromEmail: 'nobody' }, 'fromEmail'],
    [{ name: 'News', subject: 'two\nlines' }, 'subject'],
    [{ name: 'News', audience: { lists: { includeTagIds: ['Q29udGFjdDox'] } } }, 'audience.lists.includeTagIds'],
    [
      { name: 'News', audience: { lists: { includeTagIds: Array.from({ length: 1001 }, (_, n) => n) } } },
      'audience.lists.includeTagIds',
    ],
  ])('rejects %j', async (input, field) => {
    const world = await newWorld()
    const { extensions } = await world.fault(CampaignCreate, { input })
    expect(extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { [`input.${field}`]: [expect.any(String)] },
      fields: [{ path: `input.${field}`, code: expect.any(String), message: expect.any(String) }],
    })
  })

  it('rejects an empty body', async () => {
    const world = await newWorld()
    const { id } = await draft(world)
    const { extensions } = await world.fault(CampaignContentSet, { input: { id, html: ' \n' } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'input.html': [expect.any(String)] } })
  })

  it('is deleted with its e-mail and documents, and releases its quota', async () => {
    const world = await newWorld({ limits: { campaigns: 1 } })
    const { id } = await draft(world)
    expect(await world.fault(CampaignCreate, { input: { name: 'One more' } })).toMatchObject({
      extensions: { code: 'QUOTA_EXCEEDED' },
    })
    expect((await world.run(CampaignDelete, { input: { id } })).campaignDelete).toEqual({ deletedCampaignId: id })
    const left = await world.rows(
      `SELECT (SELECT count(*) FROM campaign WHERE account_id = $1)::int AS campaigns,
         (SELECT count(*) FROM email WHERE account_id = $1)::int AS emails,
         (SELECT count(*) FROM document WHERE account_id = $1)::int AS documents`,
      [world.accountId],
    )
    expect(left).toEqual([{ campaigns: 0, emails: 0, documents: 0 }])
    await draft(world)
    expect(await world.announced('quota.reached')).toHaveLength(2)
  })
})

describe('campaignSchedule', () => {
  it.each([
    ['2099-10-25 02:30', '2099-10-25T01:30:00.000Z', '2099-10-25 02:30:00', 'Europe/Paris'],
    ['2099-03-29 02:30', '2099-03-29T01:30:00.000Z', '2099-03-29 03:30:00', undefined],
    ['2099-03-29T02:30', '2099-03-29T06:30:00.000Z', '2099-03-29 02:30:00', 'America/New_York'],
    ['2099-03-29T02:30:00Z', '2099-03-29T02:30:00.000Z', '2099-03-29 04:30:00', undefined],
  ])('parses %s as %s', async (scheduledFor, instant, local, timezone) => {
    const world = await newWorld(timezone ? { timezone } : {})
    const { id } = await draft(world)
    const { campaign } = (await world.run(CampaignSchedule, { input: { id, scheduledFor } })).campaignSchedule
    expect(campaign).toMatchObject({ status: 'SCHEDULED', scheduledFor: instant, scheduledForLocal: local })
  })

  it.each(['2020-01-01 10:00', '2099-02-30 10:00', 'tomorrow', ''])(
    'rejects %j with INVALID_DATE',
    async (scheduledFor) => {
      const world = await newWorld()
      const { id } = await draft(world)
      expect(await world.fault(CampaignSchedule, { input: { id, scheduledFor } })).toMatchObject({
        extensions: { code: 'INVALID_DATE' },
      })
      expect((await world.run(CampaignRead, { id })).campaign.status).toBe('DRAFT')
    },
  )
})
