import { describe, expect } from 'vitest'
import { sentCampaign } from './campaign.ts'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers } from './support.ts'

// Without a worker, so that messages keep the status that the test sets.
const servers = useServers({ ROLES: 'api' })

describe.each(gateways)('campaigns, %s', (gateway) => {
  const open = () => newWorld(servers, gateway)

  check('CAM-STATS/success', 'returns percentages of the sent messages', async () => {
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

  check('DELIV-STATS/success', 'returns ratios, and null for bounces', async () => {
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

  check('DELIV-STATS/success', 'counts a contact once with any number of messages and opens', async () => {
    const world = await open()
    await sentCampaign(world)
    await world.rows(
      `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at)
       SELECT r.account_id, $2, r.contact_id, 'SENT', now(), r.sent_at, now() FROM mail_recipient r
       WHERE r.account_id = $1 AND r.opened_at IS NOT NULL`,
      [world.accountId, (await world.campaign()).id],
    )
    const { data } = (await world.call('GET', '/v1/deliverability-stats')).body
    expect(data).toMatchObject({ sent: 3, unique_opens: 2, open_rate: 0.6667, click_rate: 0.3333 })
  })

  check('DELIV-STATS/VALIDATION_ERROR', 'for days out of range', async () => {
    const world = await open()
    for (const days of ['0', '366', '-1', '1.5', 'x', '']) {
      const response = await world.call('GET', '/v1/deliverability-stats', { query: { days } })
      expectError(response, 422, 'VALIDATION_ERROR', ['days'])
    }
  })

  check('AUD-COUNT/success', 'counts all contacts without filters, and returns the filters', async () => {
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

  check('AUD-COUNT/success', 'accepts each filter, repeated or numbered, and matches any of its IDs', async () => {
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

  check('AUD-COUNT/success', 'filters by opens and clicks of a campaign, and by their absence', async () => {
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

  check('AUD-COUNT/VALIDATION_ERROR', 'for a filter that is not an array of integers', async () => {
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
