import { describe, expect } from 'vitest'
import { later, post, read, sentCampaign, setStatus } from './campaign.ts'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers } from './support.ts'

// Without a worker, so that messages keep the status that the test sets.
const servers = useServers({ ROLES: 'api' })
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

describe.each(gateways)('campaigns, %s', (gateway) => {
  const open = (limits = {}) => newWorld(servers, gateway, { limits })

  check('CAM-CREATE/success', 'returns a draft, with empty strings for absent fields', async () => {
    const world = await open()
    const response = await post(world, '/v1/campaign', { name: 'News' })
    const data = { id: expect.any(Number), name: 'News', subject: '', from_name: '', from_email: '', status: 'draft' }
    expect(response).toMatchObject({ status: 201, body: { success: true } })
    expect(response.body.data).toEqual(data)
    expect(await read(world, response.body.data.id)).toEqual({
      ...data,
      sent_to: 0,
      recipients_count: 0,
      sent_at: null,
      scheduled_for: null,
      created_at: isoMicroseconds,
    })
  })

  check('CAM-CREATE/VALIDATION_ERROR', 'for invalid fields', async () => {
    const world = await open()
    const wrong: [Record<string, unknown>, string][] = [
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: ' ' }, 'name'],
      [{ name: 'News', from_email: 'nobody' }, 'from_email'],
      [{ name: 'News', subject: 5 }, 'subject'],
      [{ name: 'News', subject: 'two\nlines' }, 'subject'],
      [{ name: 'News', from_name: null }, 'from_name'],
    ]
    for (const [body, field] of wrong)
      expectError(await post(world, '/v1/campaign', body), 422, 'VALIDATION_ERROR', [field])
  })

  check('CAM-CREATE/FORBIDDEN', 'if the limit of campaigns is exceeded', async () => {
    const world = await open({ campaigns: 1 })
    await world.campaign()
    expectError(await post(world, '/v1/campaign', { name: 'One more' }), 403, 'FORBIDDEN')
    const { data } = (await world.call('GET', '/v1/sending-quota')).body
    expect(data.campaigns).toEqual({ limit: 1, used: 1, remaining: 0 })
  })

  check('CAM-UPDATE/success', 'changes only the fields that are sent', async () => {
    const world = await open()
    const { id, name } = await world.campaign()
    const answer = await world.call('PUT', '/v1/campaign', {
      body: { campaign_id: id, subject: 'Good day', from_name: '' },
    })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      id,
      name,
      subject: 'Good day',
      from_name: '',
      from_email: 'ada@example.com',
      status: 'draft',
      updated: true,
    })
  })

  check('CAM-UPDATE/NOT_FOUND', 'for a campaign that is not a draft, also for its content', async () => {
    const world = await open()
    for (const status of ['SCHEDULED', 'SENDING', 'SENT']) {
      const { id, name } = await world.campaign()
      await setStatus(world, id, status)
      const change = { campaign_id: id, name: 'Other', html: '<p>Other</p>' }
      expectError(await world.call('PUT', '/v1/campaign', { body: change }), 404, 'NOT_FOUND')
      expectError(await world.call('PUT', '/v1/campaign-content', { body: change }), 404, 'NOT_FOUND')
      expect((await read(world, id)).name).toBe(name)
    }
  })

  check('CAM-CONTENT/success', 'returns that the content was updated', async () => {
    const world = await open()
    const { id } = await world.campaign()
    const body = { campaign_id: id, html: '<p>Hello</p>', text: 'Hello' }
    expect((await world.call('PUT', '/v1/campaign-content', { body })).body).toEqual({
      success: true,
      data: { id, updated: true },
    })
    const without = { campaign_id: id }
    expectError(await world.call('PUT', '/v1/campaign-content', { body: without }), 422, 'VALIDATION_ERROR', ['html'])
  })

  check('CAM-DELETE/success', 'deletes a draft', async () => {
    const world = await open()
    const { id } = await world.campaign()
    const answer = await world.call('DELETE', '/v1/campaign', { body: { campaign_id: id } })
    expect(answer.body).toEqual({ success: true, data: { deleted: true } })
    expectError(await world.call('GET', '/v1/campaign', { query: { campaign_id: id } }), 404, 'NOT_FOUND')
  })

  check('CAM-DELETE/CAMPAIGN_SCHEDULED', 'for a scheduled campaign, which stays scheduled', async () => {
    const world = await open()
    const { id } = await world.campaign({ scheduled_for: later })
    expectError(await world.call('DELETE', '/v1/campaign', { body: { campaign_id: id } }), 409, 'CAMPAIGN_SCHEDULED')
    expect((await read(world, id)).status).toBe('scheduled')
  })

  check('CAM-DELETE/NOT_FOUND', 'for any other campaign that is not a draft', async () => {
    const world = await open()
    for (const status of ['SENDING', 'SENT']) {
      const { id } = await world.campaign()
      await setStatus(world, id, status)
      expectError(await world.call('DELETE', '/v1/campaign', { body: { campaign_id: id } }), 404, 'NOT_FOUND')
    }
  })

  check('CAM-LIST/success', 'lists newest first, filtered by status and period', async () => {
    const world = await open()
    const [draft, scheduled] = [await world.campaign(), await world.campaign({ scheduled_for: later })]
    const list = async (query = {}) => (await world.call('GET', '/v1/campaigns', { query })).body
    const all = await list({ per_page: 1 })
    expect(all.meta).toEqual({ current_page: 1, last_page: 2, per_page: 1, total: 2 })
    expect(all.data).toEqual([await read(world, scheduled.id)])
    for (const [status, ids] of [
      ['draft', [draft.id]],
      ['scheduled', [scheduled.id]],
      ['sending', []],
      ['sent', []],
      ['error', []],
    ]) {
      expect((await list({ status })).data.map(({ id }: { id: number }) => id)).toEqual(ids)
    }
    expect((await list({ period: 'today' })).meta.total).toBe(2)
    expect(await list({ period: 'yesterday' })).toMatchObject({ data: [], meta: { last_page: 1, total: 0 } })
  })

  check('CAM-LIST/INVALID_STATUS', 'for an unknown status', async () => {
    const world = await open()
    for (const status of ['', 'Draft', 'unscheduled', 'DRAFT', 'draft,sent']) {
      expectError(await world.call('GET', '/v1/campaigns', { query: { status } }), 400, 'INVALID_STATUS')
    }
  })

  check('CAM-GET/success', 'returns the time of sending and the number of recipients', async () => {
    const world = await open()
    const id = await sentCampaign(world)
    await setStatus(world, id, 'SENT')
    await world.rows("UPDATE campaign SET sent_at = '2026-02-10T12:00:00.123Z', sent_to = 3 WHERE id = $1", [id])
    expect(await read(world, id)).toMatchObject({
      status: 'sent',
      sent_to: 3,
      recipients_count: 4,
      sent_at: '2026-02-10T12:00:00.123000Z',
      scheduled_for: null,
    })
  })
})
