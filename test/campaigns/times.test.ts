import { describe, expect, it } from 'vitest'
import { startDueCampaigns } from '../../src/campaigns/index.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { CampaignSchedule, CampaignSend, draft } from './documents.ts'

const Update = `mutation ($input: CampaignUpdateInput!) { campaignUpdate(input: $input) { campaign {
  id sendWindow { from until } spreadHours frequencyCapAction quietHoursAction } } }`
const Duplicate = `mutation ($input: CampaignDuplicateInput!) { campaignDuplicate(input: $input) { campaign {
  sendWindow { from until } spreadHours frequencyCapAction quietHoursAction } } }`
const Check = 'query ($id: ID!) { campaignCheck(id: $id) { canSend findings { code severity field message } } }'

const hour = 3_600_000
const timeOf = (at: Date) => at.toISOString().slice(11, 16)

const newUtcWorld = () => newWorld({ timezone: 'UTC' })

/** Returns when the contacts of a campaign get their message, by id, and why then. */
async function plan(world: World, { databaseId }: Pick<Named, 'databaseId'>) {
  const rows = await world.rows<{ id: number; at: Date; reason: string | null }>(
    'SELECT contact_id AS id, due_at AS at, delay_reason::text AS reason FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2 ORDER BY 1',
    [world.accountId, databaseId],
  )
  return rows.map(({ at, reason }) => ({ at: at.getTime(), reason }))
}

const complete = async (world: World, input: object = {}) =>
  draft(world, { audience: { sendToAll: true }, html: '<p>Hello</p>', ...input })

const findings = async (world: World, id: string) =>
  (await world.run(Check, { id })).campaignCheck.findings.filter(
    ({ code }: { code: string }) => !/LINK|PREHEADER/.test(code),
  )

describe('a campaign', () => {
  it('is sent over some hours evenly, within its window', async () => {
    const world = await newUtcWorld()
    for (const _each of Array(8)) await world.contact({ emailMarketing: true })
    const spread = await complete(world, { spreadHours: 8 })
    const before = Date.now()
    await world.run(CampaignSend, { input: { id: spread.id } })
    const times = (await plan(world, spread)).map(({ at }) => (at - before) / hour).toSorted((a, b) => a - b)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(times[0]).toBeLessThan(0.1)
    expect(times.at(-1)).toBeLessThan(8)
    expect(Math.max(...gaps)).toBeLessThan(2)
    expect(Math.min(...gaps)).toBeGreaterThan(0.4)

    const opens = new Date(Math.ceil((before + 3 * hour) / hour) * hour)
    const sendWindow = { from: timeOf(opens), until: timeOf(new Date(opens.getTime() + hour)) }
    const windowed = await complete(world, { sendWindow })
    await world.run(CampaignSend, { input: { id: windowed.id } })
    expect(new Set((await plan(world, windowed)).map(({ at, reason }) => `${at} ${reason}`))).toEqual(
      new Set([`${opens.getTime()} SEND_WINDOW`]),
    )
  })

  it('is sent at a local time in the time zone of each contact, and at once where it has passed', async () => {
    const world = await newUtcWorld()
    for (const timeZone of ['Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati', null])
      await world.contact({ emailMarketing: true, ...(timeZone && { timeZone }) })
    const { id, databaseId } = await complete(world)
    const tomorrow = new Date(Date.now() + 24 * hour).toISOString().slice(0, 10)
    const schedule = (scheduledFor: string) => ({ input: { id, scheduledFor, inContactZones: true } })
    const fault = await world.fault(CampaignSchedule, schedule(`${tomorrow}T09:00+01:00`))
    expect(fault.extensions.code).toBe('INVALID_DATE')
    await world.run(CampaignSchedule, schedule(`${tomorrow} 09:00`))
    const Scheduled = 'query ($id: ID!) { campaign(id: $id) { status scheduledFor localTime } }'
    const nine = Date.parse(`${tomorrow}T09:00Z`)
    expect((await world.run(Scheduled, { id })).campaign).toEqual({
      status: 'SCHEDULED',
      localTime: `${tomorrow} 09:00:00`,
      scheduledFor: new Date(
        Math.max(nine - 14 * hour, Date.parse((await world.run(Scheduled, { id })).campaign.scheduledFor)),
      ).toISOString(),
    })
    // The scheduler runs at the time in the first zone. Kiritimati has passed it by an hour when it is late.
    await world.rows(
      "UPDATE campaign SET scheduled_for = now(), local_time = to_char(now() AT TIME ZONE 'UTC' + interval '13 hours', 'YYYY-MM-DD HH24:MI:SS') WHERE id = $1 AND account_id = $2",
      [databaseId, world.accountId],
    )
    const before = Date.now()
    await startDueCampaigns(world.server.system)
    const planned = (await plan(world, { databaseId })).map(({ at, reason }) => [
      Math.round((at - before) / hour),
      reason,
    ])
    const winter = [4, 18, 0, 13]
    const summer = [4, 17, 0, 13]
    const expected = [winter, summer].map(([tokyo, newYork]) => [
      [tokyo, 'LOCAL_TIME'],
      [newYork, 'LOCAL_TIME'],
      [0, null],
      [13, 'LOCAL_TIME'],
    ])
    expect(expected).toContainEqual(planned)
  })

  it('keeps its delivery settings in a copy, and refuses impossible ones', async () => {
    const world = await newWorld()
    const { id } = await complete(world)
    const settings = {
      sendWindow: { from: '09:00', until: '17:30' },
      spreadHours: 6,
      frequencyCapAction: 'WAIT',
      quietHoursAction: 'SKIP',
    }
    expect((await world.run(Update, { input: { id, ...settings } })).campaignUpdate.campaign).toMatchObject(settings)
    expect((await world.run(Update, { input: { id, name: 'New' } })).campaignUpdate.campaign).toMatchObject(settings)
    expect((await world.run(Duplicate, { input: { id } })).campaignDuplicate.campaign).toEqual(settings)
    expect((await world.run(Update, { input: { id, sendWindow: null } })).campaignUpdate.campaign.sendWindow).toBeNull()
    const fault = await world.fault(Update, {
      input: { id, spreadHours: 169, sendWindow: { from: '9:00', until: '17:00' } },
    })
    expect(fault.extensions.details).toMatchObject({
      'input.spreadHours': ['must be from 0 to 168'],
      'input.sendWindow.from': [expect.stringContaining('must be a time of the day')],
    })
  })

  it('is checked against the rules of the account', async () => {
    const world = await newUtcWorld()
    const ada = await world.contact({ emailMarketing: true })
    const { id } = await complete(world)
    expect(await findings(world, id)).toEqual([])
    const around = { from: timeOf(new Date(Date.now() - hour)), until: timeOf(new Date(Date.now() + hour)) }
    const AccountRules = 'mutation ($input: AccountUpdateInput!) { accountUpdate(input: $input) { account { id } } }'
    await world.run(AccountRules, { input: { frequencyCap: { messages: 1, days: 3 }, quietHours: around } })
    await world.rows(
      `INSERT INTO mail_recipient (account_id, contact_id, state, created_at, sent_at) VALUES ($1, $2, 'SENT', now(), now())`,
      [world.accountId, ada.databaseId],
    )
    expect(await findings(world, id)).toMatchObject([
      { code: 'QUIET_HOURS', severity: 'WARNING', field: 'QUIET_HOURS_ACTION' },
      {
        code: 'FREQUENCY_CAP',
        field: 'FREQUENCY_CAP_ACTION',
        message: 'The audience has 1 contacts that had 1 messages in the last 3 days, and are skipped.',
      },
    ])
    const sendWindow = { from: around.from, until: timeOf(new Date()) }
    await world.run(Update, { input: { id, sendWindow, frequencyCapAction: 'WAIT' } })
    expect((await findings(world, id)).map(({ code }: { code: string }) => code)).toContain('SEND_WINDOW_QUIET')
  })
})
