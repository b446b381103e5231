// @module-tag rows
import { describe, expect, it } from 'vitest'
import { fail } from '../../src/campaigns/definition/campaigns.ts'
import { campaignList } from '../../src/campaigns/index.ts'
import { startSending } from '../../src/campaigns/sending/sending.ts'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { newWorld, type World } from '../support/world.ts'
import {
  CampaignContentSet,
  CampaignCreate,
  CampaignRead,
  CampaignSchedule,
  CampaignSend,
  CampaignUpdate,
  draft,
  later,
} from './documents.ts'

const send = async (world: World, id: string, audience?: object) =>
  (await world.run(CampaignSend, { input: { id, ...(audience && { audience }) } })).campaignSend.campaign
const sendAnyhow = async (world: World, id: string, audience?: object) =>
  (await world.run(CampaignSend, { input: { id, errorAsStatus: true, ...(audience && { audience }) } })).campaignSend
    .campaign
const read = async (world: World, id: string) => (await world.run(CampaignRead, { id })).campaign
const recipientsOf = async (world: World, id: string): Promise<string[]> =>
  (await read(world, id)).recipients.nodes.map(({ contact }: { contact: { email: string } }) => contact.email)

describe('campaignSend', () => {
  it('takes a snapshot of the contacts that match and consented as recipients', async () => {
    const world = await newWorld()
    const vip = await world.tag()
    const [ada] = [
      await world.contact({ emailMarketing: true, addTagIds: [vip.id] }),
      await world.contact({ addTagIds: [vip.id] }),
    ]
    await world.contact({ emailMarketing: true })
    const { id } = await draft(world, { audience: { lists: { includeTagIds: [vip.id] } } })
    expect((await read(world, id)).audience).toEqual({ total: 2, optIn: 1, sendToAll: false })

    expect(await send(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: 1, sentTo: 0, sentAt: null })
    await world.contact({ emailMarketing: true, addTagIds: [vip.id] })
    expect(await read(world, id)).toMatchObject({
      recipients: { totalCount: 1, nodes: [{ state: 'QUEUED', contact: { email: ada.email } }] },
      audience: { total: 3, optIn: 2 },
    })
  })

  it('sends a scheduled campaign now', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const { id } = await draft(world, { audience: { sendToAll: true } })
    await world.run(CampaignSchedule, { input: { id, scheduledFor: later } })
    expect(await send(world, id)).toMatchObject({ status: 'SENDING', scheduledFor: null, scheduledForLocal: null })
  })

  it.each([
    ['a subject', { subject: '' }, true, 'subject'],
    ['a sender', { fromEmail: '' }, true, 'fromEmail'],
    ['content', {}, false, 'html'],
  ])(
    'without %s returns VALIDATION_ERROR, or status ERROR with errorAsStatus',
    async (_what, input, hasContent, missing) => {
      const world = await newWorld()
      await world.contact({ emailMarketing: true })
      const all = {
        name: 'News',
        subject: 'Hello',
        fromEmail: 'ada@example.com',
        audience: { sendToAll: true },
        ...input,
      }
      const { id } = (await world.run(CampaignCreate, { input: all })).campaignCreate.campaign
      if (hasContent) await world.run(CampaignContentSet, { input: { id, html: '<p>Hello</p>' } })
      const before = await read(world, id)
      expect(await world.fault(CampaignSend, { input: { id, audience: { sendToAll: false } } })).toMatchObject({
        extensions: { code: 'VALIDATION_ERROR', details: { 'input.id': [`${missing} is not set yet`] } },
      })
      expect(await read(world, id)).toEqual(before)
      expect(await world.announced('campaign.error')).toEqual([])

      expect(await sendAnyhow(world, id)).toMatchObject({
        ...{ status: 'ERROR', errorCode: 'TEMPLATE_ERROR', recipientsCount: 0 },
      })
      expect(await recipientsOf(world, id)).toEqual([])
      expect(await world.announced('campaign.error')).toHaveLength(1)

      // It ends in ERROR again until the missing field is set.
      expect(await sendAnyhow(world, id)).toMatchObject({ errorCode: 'TEMPLATE_ERROR' })
      const mended = { id, subject: 'Hello', fromEmail: 'ada@example.com' }
      await world.run(CampaignUpdate, { input: mended })
      await world.run(CampaignContentSet, { input: { id, html: '<p>Hello</p>' } })
      expect(await send(world, id)).toMatchObject({ status: 'SENDING', errorCode: null, recipientsCount: 1 })
    },
  )

  it.each([
    ['no filter', {}],
    ['a filter that finds nobody', { lists: { includeTagIds: ['2000000000'] } }],
    ['nobody who agreed', { sendToAll: true }],
  ])(
    'with %s has no recipients and returns VALIDATION_ERROR, or status ERROR with errorAsStatus',
    async (_what, audience) => {
      const world = await newWorld()
      await world.contact({ emailMarketing: false })
      const { id } = await draft(world)
      expect(await world.fault(CampaignSend, { input: { id, audience } })).toMatchObject({
        extensions: { code: 'VALIDATION_ERROR', details: { 'input.audience': [expect.any(String)] } },
      })
      expect(await read(world, id)).toMatchObject({ status: 'DRAFT', audience: { sendToAll: false } })
      expect(await sendAnyhow(world, id, audience)).toMatchObject({ status: 'ERROR', errorCode: 'NO_RECIPIENTS' })
      await world.contact({ emailMarketing: true })
      expect(await send(world, id, { sendToAll: true })).toMatchObject({ status: 'SENDING', errorCode: null })
    },
  )

  it('continues with the recipients that it had when it stopped', async () => {
    const world = await newWorld()
    const [ada] = [await world.contact({ emailMarketing: true })]
    const { id, databaseId } = await draft(world, { audience: { sendToAll: true } })
    await send(world, id)
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    await inTransaction(ctx, async (tx) => fail(tx, await campaignList.lock(tx, databaseId), 'PROVIDER_DOWN'))
    expect(await read(world, id)).toMatchObject({ status: 'ERROR', errorCode: 'PROVIDER_DOWN' })
    await world.contact({ emailMarketing: true })
    expect(await send(world, id)).toMatchObject({ status: 'SENDING', errorCode: null, recipientsCount: 1 })
    expect(await recipientsOf(world, id)).toEqual([ada?.email])
  })

  it('sends once if a request is repeated with its idempotency key', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const { id } = await draft(world, { audience: { sendToAll: true } })
    const headers = { 'idempotency-key': 'once' }
    for (let turn = 0; turn < 2; turn += 1) {
      const { campaignSend } = await world.run(CampaignSend, { input: { id } }, { headers })
      expect(campaignSend.campaign).toMatchObject({ id, status: 'SENDING', recipientsCount: 1 })
    }
    expect(await world.announced('campaign.sending')).toHaveLength(1)
  })

  it('succeeds while contacts are deleted concurrently', async () => {
    const world = await newWorld()
    const emails = Array.from({ length: 200 }, (_, n) => `contact${n}@example.com`)
    for (let round = 0; round < 3; round += 1) {
      await world.rows(
        `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
         SELECT $1, email, true, now(), now() FROM unnest($2::text[]) email ON CONFLICT DO NOTHING`,
        [world.accountId, emails],
      )
      const { id, databaseId } = await draft(world, { audience: { sendToAll: true } })
      const gone = emails.filter((_, n) => n % 20 === round)
      const document = 'mutation ($email: String!) { contactDelete(input: { contact: { email: $email } }) { deleted } }'
      const [sent] = await Promise.all([send(world, id), ...gone.map((email) => world.run(document, { email }))])
      expect(sent.status).toBe('SENDING')
      // Those who were deleted before the recipients were written down are none; those after are, and are skipped.
      const { totalCount } = (await read(world, id)).recipients
      expect(totalCount).toBeGreaterThanOrEqual(190)
      const left = await world.rows(
        `SELECT r.state FROM mail_recipient r JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
         WHERE r.account_id = $1 AND r.campaign_id = $2 AND r.state = 'QUEUED' AND NOT r.is_redacted`,
        [world.accountId, databaseId],
      )
      expect(left).toHaveLength(190)
      const skipped = await world.rows(
        `SELECT 1 FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2 AND state = 'SKIPPED' AND is_redacted`,
        [world.accountId, databaseId],
      )
      expect(skipped).toHaveLength(totalCount - 190)
    }
    expect(world.server.errors).toEqual([])
  })
})

describe('the stored audience', () => {
  it('keeps each list that the input does not contain, and replaces the others', async () => {
    const world = await newWorld()
    const [a, b, out] = [await world.tag('a'), await world.tag('b'), await world.tag('out')]
    await world.contact({ emailMarketing: true, addTagIds: [a.id] })
    await world.contact({ emailMarketing: true, addTagIds: [b.id] })
    await world.contact({ emailMarketing: true, addTagIds: [b.id, out.id] })
    const { id } = await draft(world)
    const plan = async (audience?: object) => {
      await world.run(CampaignSchedule, { input: { id, scheduledFor: later, ...(audience && { audience }) } })
      const { total, sendToAll } = (await read(world, id)).audience
      return { total, sendToAll }
    }
    expect(await plan()).toEqual({ total: 0, sendToAll: false })
    expect(await plan({ lists: { includeTagIds: [b.id] } })).toEqual({ total: 2, sendToAll: false })
    expect(await plan()).toEqual({ total: 2, sendToAll: false })
    expect(await plan({ lists: { excludeTagIds: [out.id] } })).toEqual({ total: 1, sendToAll: false })
    expect(await plan({ sendToAll: true })).toEqual({ total: 3, sendToAll: true })
    expect(await plan({})).toEqual({ total: 3, sendToAll: true })
    expect(await plan({ lists: { includeTagIds: [a.id, b.id] } })).toEqual({ total: 2, sendToAll: false })
    expect(await plan({ lists: { excludeTagIds: [] } })).toEqual({ total: 3, sendToAll: false })
    expect(await plan({ lists: { includeTagIds: [] } })).toEqual({ total: 0, sendToAll: false })
    expect(await plan({ lists: { excludeTagIds: [out.id] } })).toEqual({ total: 2, sendToAll: false })
  })

  it('matches no contact if a filter names a deleted tag, campaign or contact', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    await world.contact({ emailMarketing: true, addTagIds: [tag.id] })
    const { id } = await draft(world, { audience: { lists: { includeTagIds: [tag.id] } } })
    expect((await read(world, id)).audience.total).toBe(1)
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: tag.id })
    expect((await read(world, id)).audience.total).toBe(0)
    expect(await sendAnyhow(world, id)).toMatchObject({ status: 'ERROR', errorCode: 'NO_RECIPIENTS' })
  })
})

describe('the quota of monthly recipients', () => {
  const quota = async (world: World) =>
    (await world.run('{ account { quota { monthlyRecipients { limit used remaining } } } }')).account.quota
      .monthlyRecipients

  it('counts each contact once a month', async () => {
    const world = await newWorld({ limits: { monthlyRecipients: 3 } })
    for (let created = 0; created < 2; created += 1) await world.contact({ emailMarketing: true })
    for (let sent = 0; sent < 2; sent += 1) await send(world, (await draft(world)).id, { sendToAll: true })
    expect(await quota(world)).toEqual({ limit: 3, used: 2, remaining: 1 })
    await world.contact({ emailMarketing: true })
    await send(world, (await draft(world)).id, { sendToAll: true })
    expect(await quota(world)).toEqual({ limit: 3, used: 3, remaining: 0 })
    expect(await world.announced('quota.reached')).toHaveLength(1)
  })

  it('rejects a campaign that exceeds it and does not change the campaign', async () => {
    const world = await newWorld({ limits: { monthlyRecipients: 1 } })
    for (let created = 0; created < 2; created += 1) await world.contact({ emailMarketing: true })
    const { id } = await draft(world)
    const fault = await world.fault(CampaignSend, { input: { id, audience: { sendToAll: true } } })
    expect(fault.extensions.code).toBe('QUOTA_EXCEEDED')
    expect(await read(world, id)).toMatchObject({ status: 'DRAFT', audience: { sendToAll: false }, recipientsCount: 0 })
    expect(await quota(world)).toEqual({ limit: 1, used: 0, remaining: 1 })
  })

  it("restarts with the calendar month of the account's time zone", async () => {
    const world = await newWorld({ timezone: 'America/New_York' })
    await world.contact({ emailMarketing: true })
    const clock = settableClock(new Date('2027-03-01T04:59:00Z'))
    const sentAt = async (time: string) => {
      clock.set(new Date(time))
      const { databaseId } = await draft(world, { audience: { sendToAll: true } })
      const ctx = newCtx({ ...world.server.system, clock }, { accountId: world.accountId })
      await inTransaction(ctx, async (tx) => startSending(tx, await campaignList.lock(tx, databaseId)))
      return (
        await world.rows<{ period: string; used: number }>(
          `SELECT period, used FROM quota_usage WHERE account_id = $1 AND slot = 'monthly_recipients' ORDER BY period`,
          [world.accountId],
        )
      ).map(({ period, used }) => `${period} ${used}`)
    }
    expect(await sentAt('2027-03-01T04:59:00Z')).toEqual(['2027-02 1'])
    expect(await sentAt('2027-03-01T04:59:59Z')).toEqual(['2027-02 1'])
    expect(await sentAt('2027-03-01T05:00:00Z')).toEqual(['2027-02 1', '2027-03 1'])
  })

  it('counts the common recipients of two concurrent campaigns once', async () => {
    const world = await newWorld({ limits: { monthlyRecipients: 50 } })
    await world.rows(
      `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
       SELECT $1, n || '@example.com', true, now(), now() FROM generate_series(1, 50) n`,
      [world.accountId],
    )
    const drafts = [await draft(world), await draft(world), await draft(world)]
    const sent = await Promise.all(drafts.map(({ id }) => send(world, id, { sendToAll: true })))
    expect(sent.map(({ status, recipientsCount }) => [status, recipientsCount])).toEqual(
      drafts.map(() => ['SENDING', 50]),
    )
    expect(await quota(world)).toEqual({ limit: 50, used: 50, remaining: 0 })
  })
})
