import { describe, expect } from 'vitest'
import { later, post, read, setStatus } from './campaign.ts'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

// Without a worker, so that messages keep the status that the test sets.
const servers = useServers({ ROLES: 'api' })

describe.each(gateways)('campaigns, %s', (gateway) => {
  const open = (limits = {}) => newWorld(servers, gateway, { limits })

  check('CAM-TEST/success', 'confirms the test message in any status, and returns what is missing', async () => {
    const world = await open()
    const { id } = await world.campaign()
    for (const status of ['DRAFT', 'SENT']) {
      await setStatus(world, id, status)
      expect((await post(world, '/v1/campaign-test', { campaign_id: id, email: 'me@example.com' })).body).toEqual({
        success: true,
        data: { id, sent: true },
      })
      expect((await read(world, id)).sent_to).toBe(0)
    }
    for (const email of [undefined, '', 'me', 'a@b.example, c@d.example', 7]) {
      expectError(await post(world, '/v1/campaign-test', { campaign_id: id, email }), 422, 'VALIDATION_ERROR', [
        'email',
      ])
    }
    const { data } = (await post(world, '/v1/campaign', { name: 'Empty' })).body
    const empty = { campaign_id: data.id, email: 'me@example.com' }
    const missing = ['from_email', 'html', 'subject']
    expectError(await post(world, '/v1/campaign-test', empty), 422, 'VALIDATION_ERROR', missing)
  })

  check('CAM-SCHEDULE/success', "stores and returns the time in the account's time zone", async () => {
    const world = await open()
    const { id } = await world.campaign()
    for (const [input, shown] of [
      [later, '2099-12-24 18:00:00'],
      ['2099-12-24T18:00:30', '2099-12-24 18:00:30'],
      ['2099-12-24T18:00:00Z', '2099-12-24 19:00:00'],
      ['2099-06-24T18:00:00.000000Z', '2099-06-24 20:00:00'],
      ['2099-10-25 02:30', '2099-10-25 02:30:00'],
      ['2099-03-29 02:30', '2099-03-29 03:30:00'],
    ]) {
      const response = await post(world, '/v1/campaign-schedule', { campaign_id: id, scheduled_for: input })
      expect(response).toMatchObject({ status: 200 })
      expect(response.body.data).toEqual({ id, status: 'scheduled', scheduled_for: shown })
      expect(await read(world, id)).toMatchObject({ status: 'scheduled', scheduled_for: shown })
    }
  })

  check('CAM-SCHEDULE/INVALID_DATE', 'for a time that has passed, cannot be parsed or does not exist', async () => {
    const world = await open()
    const { id } = await world.campaign()
    for (const scheduled_for of [
      '2020-01-01 10:00',
      '2020-01-01T10:00:00Z',
      new Date().toISOString(),
      '',
      'tomorrow',
      '2099-12-24',
      '2099-13-01 10:00',
      '2099-02-30 10:00',
      '2099-02-30T10:00:00Z',
      '24.12.2099 18:00',
    ]) {
      expectError(await post(world, '/v1/campaign-schedule', { campaign_id: id, scheduled_for }), 400, 'INVALID_DATE')
    }
    expect(await read(world, id)).toMatchObject({ status: 'draft', scheduled_for: null })
  })

  check('CAM-SCHEDULE/NOT_FOUND', 'for a campaign that is being sent or was sent, as for sending', async () => {
    const world = await open()
    for (const status of ['SENDING', 'SENT']) {
      const { id } = await world.campaign()
      await setStatus(world, id, status)
      const body = { campaign_id: id, scheduled_for: later }
      expectError(await post(world, '/v1/campaign-schedule', body), 404, 'NOT_FOUND')
      expectError(await post(world, '/v1/campaign-send', body), 404, 'NOT_FOUND')
    }
  })

  check('CAM-UNSCHEDULE/success', 'makes it a draft again, and returns NOT_FOUND for any other campaign', async () => {
    const world = await open()
    const { id } = await world.campaign({ scheduled_for: later })
    const answer = await post(world, '/v1/campaign-unschedule', { campaign_id: id })
    expect(answer.body).toEqual({ success: true, data: { id, status: 'draft', scheduled_for: null } })
    expectError(await post(world, '/v1/campaign-unschedule', { campaign_id: id }), 404, 'NOT_FOUND')
  })

  check('CAM-SEND/success', 'sends to the contacts that match its filters', async () => {
    const world = await open()
    const [tag, sequence] = [await world.tag(), await world.sequence()]
    await world.stage(sequence.id)
    const tag_ids = String(tag.id)
    await world.contact({ email_marketing: true, tag_ids })
    await world.contact({ email_marketing: true, tag_ids, sequence_ids: String(sequence.id) })
    await world.contact({ email_marketing: false, tag_ids })
    await world.contact({ email_marketing: true })
    const { id } = await world.campaign()
    const filters = {
      incl_tag_ids: [tag.id],
      excl_sequence_ids: [sequence.id],
      excl_tag_ids: [],
      incl_sequence_ids: [],
    }
    const answer = await post(world, '/v1/campaign-send', { campaign_id: id, ...filters })
    expect(answer.body).toEqual({ success: true, data: { id, status: 'sending' } })
    expect(await read(world, id)).toMatchObject({ status: 'sending', recipients_count: 1, sent_to: 0, sent_at: null })
    expectError(await post(world, '/v1/campaign-send', { campaign_id: id }), 404, 'NOT_FOUND')
  })

  check('CAM-SEND/success', 'sends to all contacts with send_to_all, whatever the filters are', async () => {
    const world = await open()
    await world.contact({ email_marketing: true })
    const { id } = await world.campaign()
    const body = { campaign_id: id, send_to_all: true, incl_tag_ids: [2_000_000_000] }
    expect((await post(world, '/v1/campaign-send', body)).body.data).toEqual({ id, status: 'sending' })
    expect((await world.call('GET', '/v1/sending-quota')).body.data.monthly_recipients.used).toBe(1)
  })

  check('CAM-SEND/success', 'accepts a campaign without content or recipients, which ends in ERROR', async () => {
    const world = await open()
    await world.contact({ email_marketing: true })
    const [empty, toNobody] = [(await post(world, '/v1/campaign', { name: 'Empty' })).body.data, await world.campaign()]
    for (const body of [{ campaign_id: empty.id, send_to_all: true }, { campaign_id: toNobody.id }]) {
      const sent = await post(world, '/v1/campaign-send', body)
      expect(sent.body).toEqual({ success: true, data: { id: body.campaign_id, status: 'sending' } })
      expect(await read(world, body.campaign_id)).toMatchObject({ status: 'error', recipients_count: 0, sent_at: null })
    }
  })

  check(
    'CAM-SEND/success',
    'allows PUT, sending again and DELETE for a campaign in ERROR that reached no contact',
    async () => {
      const world = await open()
      await world.contact({ email_marketing: true })
      const failed = async () => {
        const { id } = (await post(world, '/v1/campaign', { name: 'Empty' })).body.data
        await post(world, '/v1/campaign-send', { campaign_id: id, send_to_all: true })
        expect((await read(world, id)).status).toBe('error')
        return id as number
      }
      const put = (path: string, body: object) => world.call('PUT', path, { body })

      const campaign_id = await failed()
      const content = { campaign_id, html: '<p>Hello</p>' }
      expect((await put('/v1/campaign-content', content)).body.data).toEqual({ id: campaign_id, updated: true })
      expect((await read(world, campaign_id)).status).toBe('draft')
      expect((await post(world, '/v1/campaign-send', { campaign_id })).body.data.status).toBe('sending')
      expect((await read(world, campaign_id)).status).toBe('error')
      const meta = { campaign_id, subject: 'Hello', from_email: 'ada@example.com' }
      expect((await put('/v1/campaign', meta)).body.data).toMatchObject({
        id: campaign_id,
        status: 'draft',
        updated: true,
      })
      expect((await post(world, '/v1/campaign-send', { campaign_id })).body.data.status).toBe('sending')
      expect(await read(world, campaign_id)).toMatchObject({ status: 'sending', recipients_count: 1 })

      const again = await failed()
      expect((await post(world, '/v1/campaign-send', { campaign_id: again })).status).toBe(200)
      expect((await world.call('DELETE', '/v1/campaign', { body: { campaign_id: again } })).body.data).toEqual({
        deleted: true,
      })
      expectError(await world.call('GET', '/v1/campaign', { query: { campaign_id: again } }), 404, 'NOT_FOUND')
    },
  )

  check('CAM-SEND/FORBIDDEN', 'if the monthly limit of recipients is exceeded', async () => {
    const world = await open({ monthlyRecipients: 1 })
    for (let n = 0; n < 2; n += 1) await world.contact({ email_marketing: true })
    const { id } = await world.campaign()
    expectError(await post(world, '/v1/campaign-send', { campaign_id: id, send_to_all: true }), 403, 'FORBIDDEN')
    expect(await read(world, id)).toMatchObject({ status: 'draft', recipients_count: 0 })
  })

  check('CAM-SEND/VALIDATION_ERROR', 'for filters of the wrong type, as for scheduling', async () => {
    const world = await open()
    const { id } = await world.campaign()
    for (const field of ['incl_tag_ids', 'excl_tag_ids', 'incl_sequence_ids', 'excl_sequence_ids']) {
      for (const value of ['1,2', 5, {}, null, ['1'], [1.5], [null], [[1]]]) {
        const body = { campaign_id: id, scheduled_for: later, [field]: value }
        expectError(await post(world, '/v1/campaign-send', body), 422, 'VALIDATION_ERROR', [field])
        expectError(await post(world, '/v1/campaign-schedule', body), 422, 'VALIDATION_ERROR', [field])
      }
    }
    const body = { campaign_id: id, send_to_all: 'yes' }
    expectError(await post(world, '/v1/campaign-send', body), 422, 'VALIDATION_ERROR', ['send_to_all'])
  })
})

describe('campaign events', () => {
  const checkEvent = (type: string, act: (world: World) => Promise<unknown>) =>
    check(`EVENT/${type}`, 'is emitted once', async () => {
      const world = await newWorld(servers, 'in-process')
      await act(world)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  checkEvent('campaign.scheduled', (world) => world.campaign({ scheduled_for: later }))
  checkEvent('campaign.unscheduled', async (world) => {
    const { id } = await world.campaign({ scheduled_for: later })
    await post(world, '/v1/campaign-unschedule', { campaign_id: id })
    await post(world, '/v1/campaign-unschedule', { campaign_id: id })
  })
  checkEvent('campaign.sending', async (world) => {
    await world.contact({ email_marketing: true })
    const body = { campaign_id: (await world.campaign()).id, send_to_all: true }
    await post(world, '/v1/campaign-send', body)
    await post(world, '/v1/campaign-send', body)
  })
  checkEvent('campaign.error', async (world) => {
    await post(world, '/v1/campaign-send', { campaign_id: (await world.campaign()).id })
  })
})
