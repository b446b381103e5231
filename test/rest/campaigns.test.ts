import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

// Without a worker: what these tests say of messages stays as they say it.
const servers = useServers({ ROLES: 'api' })
const later = '2099-12-24 18:00'
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

const post = (world: World, path: string, body: unknown) => world.call('POST', path, { body })
const read = async (world: World, campaign_id: number) =>
  (await world.call('GET', '/v1/campaign', { query: { campaign_id } })).body.data
const setStatus = (world: World, id: number, status: string) =>
  world.rows('UPDATE campaign SET status = $3::campaign_status WHERE account_id = $1 AND id = $2', [
    world.accountId,
    id,
    status,
  ])

/** A campaign that three were sent: one opened and clicked, one opened and unsubscribed; and a fourth who waits. */
async function sentCampaign(world: World): Promise<number> {
  const { id } = await world.campaign()
  for (let n = 0; n < 4; n += 1) await world.contact({ email_marketing: true })
  await post(world, '/v1/campaign-send', { campaign_id: id, send_to_all: true })
  await world.rows(
    `UPDATE mail_recipient r SET state = 'SENT', sent_at = now(), opened_at = CASE WHEN n < 3 THEN now() END,
       clicked_at = CASE WHEN n = 1 THEN now() END, unsubscribed_at = CASE WHEN n = 2 THEN now() END
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM mail_recipient WHERE account_id = $1) one
     WHERE r.account_id = $1 AND r.id = one.id AND n < 4`,
    [world.accountId],
  )
  return id
}

describe.each(gateways)('campaigns, %s', (gateway) => {
  const open = (limits = {}) => newWorld(servers, gateway, { limits })

  check('CAM-CREATE/success', 'answers a draft, with empty strings for what is not set', async () => {
    const world = await open()
    const answer = await post(world, '/v1/campaign', { name: 'News' })
    const data = { id: expect.any(Number), name: 'News', subject: '', from_name: '', from_email: '', status: 'draft' }
    expect(answer).toMatchObject({ status: 201, body: { success: true } })
    expect(answer.body.data).toEqual(data)
    expect(await read(world, answer.body.data.id)).toEqual({
      ...data,
      sent_to: 0,
      recipients_count: 0,
      sent_at: null,
      scheduled_for: null,
      created_at: isoMicroseconds,
    })
  })

  check('CAM-CREATE/VALIDATION_ERROR', 'for what a campaign cannot be', async () => {
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

  check('CAM-CREATE/FORBIDDEN', 'where the plan allows no more campaigns', async () => {
    const world = await open({ campaigns: 1 })
    await world.campaign()
    expectError(await post(world, '/v1/campaign', { name: 'One more' }), 403, 'FORBIDDEN')
    const { data } = (await world.call('GET', '/v1/sending-quota')).body
    expect(data.campaigns).toEqual({ limit: 1, used: 1, remaining: 0 })
  })

  check('CAM-UPDATE/success', 'changes only what is sent', async () => {
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

  check('CAM-UPDATE/NOT_FOUND', 'for anything but a draft, and so for its content', async () => {
    const world = await open()
    for (const status of ['SCHEDULED', 'SENDING', 'SENT', 'ERROR']) {
      const { id, name } = await world.campaign()
      await setStatus(world, id, status)
      const change = { campaign_id: id, name: 'Other', html: '<p>Other</p>' }
      expectError(await world.call('PUT', '/v1/campaign', { body: change }), 404, 'NOT_FOUND')
      expectError(await world.call('PUT', '/v1/campaign-content', { body: change }), 404, 'NOT_FOUND')
      expect((await read(world, id)).name).toBe(name)
    }
  })

  check('CAM-CONTENT/success', 'answers that it is updated', async () => {
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

  check('CAM-TEST/success', 'answers that it is sent, whatever the status, and says what it lacks', async () => {
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

  check('CAM-SCHEDULE/success', "answers and keeps the time of the account's zone", async () => {
    const world = await open()
    const { id } = await world.campaign()
    for (const [given, shown] of [
      [later, '2099-12-24 18:00:00'],
      ['2099-12-24T18:00:30', '2099-12-24 18:00:30'],
      ['2099-12-24T18:00:00Z', '2099-12-24 19:00:00'],
      ['2099-06-24T18:00:00.000000Z', '2099-06-24 20:00:00'],
      ['2099-10-25 02:30', '2099-10-25 02:30:00'],
      ['2099-03-29 02:30', '2099-03-29 03:30:00'],
    ]) {
      const answer = await post(world, '/v1/campaign-schedule', { campaign_id: id, scheduled_for: given })
      expect(answer).toMatchObject({ status: 200 })
      expect(answer.body.data).toEqual({ id, status: 'scheduled', scheduled_for: shown })
      expect(await read(world, id)).toMatchObject({ status: 'scheduled', scheduled_for: shown })
    }
  })

  check('CAM-SCHEDULE/INVALID_DATE', 'for a time that has passed, cannot be read or does not exist', async () => {
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

  check('CAM-SCHEDULE/NOT_FOUND', 'for what is on its way or sent, as sending it is', async () => {
    const world = await open()
    for (const status of ['SENDING', 'SENT']) {
      const { id } = await world.campaign()
      await setStatus(world, id, status)
      const body = { campaign_id: id, scheduled_for: later }
      expectError(await post(world, '/v1/campaign-schedule', body), 404, 'NOT_FOUND')
      expectError(await post(world, '/v1/campaign-send', body), 404, 'NOT_FOUND')
    }
  })

  check('CAM-UNSCHEDULE/success', 'makes it a draft again, and is NOT_FOUND for one that is none', async () => {
    const world = await open()
    const { id } = await world.campaign({ scheduled_for: later })
    const answer = await post(world, '/v1/campaign-unschedule', { campaign_id: id })
    expect(answer.body).toEqual({ success: true, data: { id, status: 'draft', scheduled_for: null } })
    expectError(await post(world, '/v1/campaign-unschedule', { campaign_id: id }), 404, 'NOT_FOUND')
  })

  check('CAM-DELETE/success', 'deletes a draft', async () => {
    const world = await open()
    const { id } = await world.campaign()
    const answer = await world.call('DELETE', '/v1/campaign', { body: { campaign_id: id } })
    expect(answer.body).toEqual({ success: true, data: { deleted: true } })
    expectError(await world.call('GET', '/v1/campaign', { query: { campaign_id: id } }), 404, 'NOT_FOUND')
  })

  check('CAM-DELETE/CAMPAIGN_SCHEDULED', 'for one that is scheduled, which stays so', async () => {
    const world = await open()
    const { id } = await world.campaign({ scheduled_for: later })
    expectError(await world.call('DELETE', '/v1/campaign', { body: { campaign_id: id } }), 409, 'CAMPAIGN_SCHEDULED')
    expect((await read(world, id)).status).toBe('scheduled')
  })

  check('CAM-DELETE/NOT_FOUND', 'for anything else but a draft', async () => {
    const world = await open()
    for (const status of ['SENDING', 'SENT', 'ERROR']) {
      const { id } = await world.campaign()
      await setStatus(world, id, status)
      expectError(await world.call('DELETE', '/v1/campaign', { body: { campaign_id: id } }), 404, 'NOT_FOUND')
    }
  })

  check('CAM-SEND/success', 'sends to those its filters find', async () => {
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

  check('CAM-SEND/success', 'sends to everyone with send_to_all, whatever the filters say', async () => {
    const world = await open()
    await world.contact({ email_marketing: true })
    const { id } = await world.campaign()
    const body = { campaign_id: id, send_to_all: true, incl_tag_ids: [2_000_000_000] }
    expect((await post(world, '/v1/campaign-send', body)).body.data).toEqual({ id, status: 'sending' })
    expect((await world.call('GET', '/v1/sending-quota')).body.data.monthly_recipients.used).toBe(1)
  })

  check('CAM-SEND/success', 'takes on what ends in error, where there is nothing or nobody to send to', async () => {
    const world = await open()
    await world.contact({ email_marketing: true })
    const [empty, toNobody] = [(await post(world, '/v1/campaign', { name: 'Empty' })).body.data, await world.campaign()]
    for (const body of [{ campaign_id: empty.id, send_to_all: true }, { campaign_id: toNobody.id }]) {
      const sent = await post(world, '/v1/campaign-send', body)
      expect(sent.body).toEqual({ success: true, data: { id: body.campaign_id, status: 'sending' } })
      expect(await read(world, body.campaign_id)).toMatchObject({ status: 'error', recipients_count: 0, sent_at: null })
    }
  })

  check('CAM-SEND/FORBIDDEN', 'where the plan allows no more recipients this month', async () => {
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

  check('CAM-LIST/success', 'lists newest first, by status and period', async () => {
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

  check('CAM-LIST/INVALID_STATUS', 'for a status that is none', async () => {
    const world = await open()
    for (const status of ['', 'Draft', 'unscheduled', 'DRAFT', 'draft,sent']) {
      expectError(await world.call('GET', '/v1/campaigns', { query: { status } }), 400, 'INVALID_STATUS')
    }
  })

  check('CAM-GET/success', 'tells when it was sent, and to how many', async () => {
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

  check('CAM-STATS/success', 'counts in per cent of what was sent', async () => {
    const world = await open()
    const [sent, fresh] = [await sentCampaign(world), await world.campaign()]
    const stats = async (campaign_id: number) =>
      (await world.call('GET', '/v1/campaign-stats', { query: { campaign_id } })).body.data
    expect(await stats(sent)).toEqual({
      sent_to: 3,
      opens: 2,
      clicks: 1,
      unsubscribes: 1,
      open_rate: 66.7,
      click_rate: 33.3,
      unsubscribe_rate: 33.3,
    })
    const nothing = {
      sent_to: 0,
      opens: 0,
      clicks: 0,
      unsubscribes: 0,
      open_rate: 0,
      click_rate: 0,
      unsubscribe_rate: 0,
    }
    expect(await stats(fresh.id)).toEqual(nothing)
  })

  check('DELIV-STATS/success', 'counts in ratios, and does not measure what comes back', async () => {
    const world = await open()
    await sentCampaign(world)
    const { data } = (await world.call('GET', '/v1/deliverability-stats')).body
    expect(data).toEqual({
      period_days: 30,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      sent: 3,
      unique_opens: 2,
      unique_clicks: 1,
      unsubscribes: 1,
      open_rate: 0.6667,
      click_rate: 0.3333,
      unsubscribe_rate: 0.3333,
      bounce_rate: null,
      complaint_rate: null,
    })
    const year = (await world.call('GET', '/v1/deliverability-stats', { query: { days: 365 } })).body.data
    expect([year.period_days, year.sent]).toEqual([365, 3])
  })

  check('DELIV-STATS/VALIDATION_ERROR', 'for days out of range', async () => {
    const world = await open()
    for (const days of ['0', '366', '-1', '1.5', 'x', '']) {
      const answer = await world.call('GET', '/v1/deliverability-stats', { query: { days } })
      expectError(answer, 422, 'VALIDATION_ERROR', ['days'])
    }
  })

  check('AUD-COUNT/success', 'counts everyone without filters, and echoes them', async () => {
    const world = await open()
    await world.contact({ email_marketing: true })
    await world.contact()
    const { data } = (await world.call('GET', '/v1/audience-count')).body
    expect(data).toEqual({
      total: 2,
      opt_in: 1,
      filters: {
        filterWay: 0,
        lists: [],
        inclTags: [],
        exclTags: [],
        inclSeqs: [],
        exclSeqs: [],
        inclOpens: [],
        exclOpens: [],
        inclNotOpened: [],
        exclNotOpened: [],
        inclClicks: [],
        exclClicks: [],
        inclNotClicked: [],
        exclNotClicked: [],
      },
    })
  })

  check('AUD-COUNT/success', 'takes each filter, repeated or numbered, and any of its ids', async () => {
    const world = await open()
    const [a, b] = [await world.tag(), await world.tag()]
    await world.contact({ email_marketing: true, tag_ids: String(a.id) })
    await world.contact({ tag_ids: String(b.id) })
    await world.contact()
    const count = async (query: Record<string, string | number | string[]>) => {
      const { status, body } = await world.call('GET', '/v1/audience-count', { query })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.data
    }
    const ids = [String(a.id), String(b.id)]
    expect(await count({ 'incl_tag_ids[]': ids })).toMatchObject({
      total: 2,
      opt_in: 1,
      filters: { inclTags: [a.id, b.id] },
    })
    expect(await count({ 'incl_tag_ids[0]': a.id, 'incl_tag_ids[1]': b.id })).toMatchObject({ total: 2 })
    expect(await count({ 'excl_tag_ids[]': ids })).toMatchObject({ total: 1, filters: { exclTags: [a.id, b.id] } })
    expect(await count({ 'incl_tag_ids[]': ids, 'excl_tag_ids[]': a.id })).toMatchObject({ total: 1, opt_in: 0 })
    for (const id of [-1, 0, 2_147_483_648, Number.MAX_SAFE_INTEGER]) {
      expect(await count({ 'incl_tag_ids[]': id })).toMatchObject({ total: 0, opt_in: 0, filters: { inclTags: [id] } })
      expect(await count({ 'excl_tag_ids[]': id })).toMatchObject({ total: 3, filters: { exclTags: [id] } })
    }
  })

  check('AUD-COUNT/success', 'knows who opened and clicked what, and who did not', async () => {
    const world = await open()
    const sent = await sentCampaign(world)
    await world.contact()
    const total = async (name: string) =>
      (await world.call('GET', '/v1/audience-count', { query: { [`${name}[]`]: sent } })).body.data.total
    expect({
      opened: [await total('incl_opens_email_ids'), await total('excl_opens_email_ids')],
      notOpened: [await total('incl_not_opened_email_ids'), await total('excl_not_opened_email_ids')],
      clicked: [await total('incl_clicks_email_ids'), await total('excl_clicks_email_ids')],
      notClicked: [await total('incl_not_clicked_email_ids'), await total('excl_not_clicked_email_ids')],
    }).toEqual({ opened: [2, 3], notOpened: [1, 4], clicked: [1, 4], notClicked: [2, 3] })
  })

  check('AUD-COUNT/VALIDATION_ERROR', 'for a filter that is no array of integers', async () => {
    const world = await open()
    for (const kind of ['tag', 'sequence', 'opens_email', 'not_opened_email', 'clicks_email', 'not_clicked_email']) {
      for (const way of ['incl', 'excl']) {
        const name = `${way}_${kind}_ids`
        const wrong: Record<string, string | string[]>[] = [
          { [name]: '5' },
          { [name]: '' },
          { [name]: '1,2' },
          { [`${name}[]`]: '' },
          { [`${name}[]`]: 'abc' },
          { [`${name}[]`]: '1,2' },
          { [`${name}[]`]: ['1', '2.5'] },
          { [`${name}[]`]: '1', [name]: '2' },
        ]
        for (const query of wrong) {
          expectError(await world.call('GET', '/v1/audience-count', { query }), 422, 'VALIDATION_ERROR', [name])
        }
      }
    }
  })
})

describe('campaign events', () => {
  const announces = (type: string, act: (world: World) => Promise<unknown>) =>
    check(`EVENT/${type}`, 'is announced once', async () => {
      const world = await newWorld(servers, 'in-process')
      await act(world)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  announces('campaign.scheduled', (world) => world.campaign({ scheduled_for: later }))
  announces('campaign.unscheduled', async (world) => {
    const { id } = await world.campaign({ scheduled_for: later })
    await post(world, '/v1/campaign-unschedule', { campaign_id: id })
    await post(world, '/v1/campaign-unschedule', { campaign_id: id })
  })
  announces('campaign.sending', async (world) => {
    await world.contact({ email_marketing: true })
    const body = { campaign_id: (await world.campaign()).id, send_to_all: true }
    await post(world, '/v1/campaign-send', body)
    await post(world, '/v1/campaign-send', body)
  })
  announces('campaign.error', async (world) => {
    await post(world, '/v1/campaign-send', { campaign_id: (await world.campaign()).id })
  })
})
