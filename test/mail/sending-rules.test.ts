// @module-tag rows
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import {
  createSubscribers,
  hurry,
  newSender,
  readCampaign,
  sendCampaign,
  sharedSender,
  waitForStatus,
} from './sending.ts'
import { newSink } from './sink.ts'

const Rules = `mutation ($input: AccountUpdateInput!) { accountUpdate(input: $input) {
  account { frequencyCap { messages days } quietHours { from until } daysOff } } }`
const setRules = async (world: World, input: object) => (await world.run(Rules, { input })).accountUpdate.account

const Held = `query ($id: ID!) { campaign(id: $id) { status skips { reason count } delays { reason count }
  recipients { nodes { state skipReason skippedAt delayReason delayedAt delayedUntil contact { id } } } } }`
const heldOf = async (world: World, { id }: Pick<Named, 'id'>) => (await world.run(Held, { id })).campaign

const Timeline = `query ($id: ID!) { contact(ref: { id: $id }) { timeline(types: [MESSAGE_SENT, MESSAGE_SKIPPED, MESSAGE_DELAYED]) {
  nodes { type ... on MessageSkippedEntry { recipient { skipReason } } ... on MessageDelayedEntry { recipient { delayReason } } } } } }`

/** The hours around now in UTC. */
function hoursAround(minutes = 60) {
  const time = (offset: number) => new Date(Date.now() + offset * 60_000).toISOString().slice(11, 16)
  return { from: time(-minutes), until: time(minutes) }
}

const utcWorld = async () => {
  const { server, sink } = await sharedSender()
  return { sink, world: await newWorld({ server, timezone: 'UTC' }) }
}

describe('the maximum number of messages to a contact', () => {
  it('skips or delays further ones, says so everywhere, and does not count those of other contacts', async () => {
    const { world, sink } = await utcWorld()
    expect(await setRules(world, { frequencyCap: { messages: 2, days: 7 } })).toMatchObject({
      frequencyCap: { messages: 2, days: 7 },
    })
    const ada = await world.contact({ emailMarketing: true })
    for (const _each of Array(2)) await waitForStatus(world, (await sendCampaign(world)).id, 'SENT')
    const bob = await world.contact({ emailMarketing: true })
    await world.rows("UPDATE mail_recipient SET sent_at = now() - interval '5 days' WHERE account_id = $1", [
      world.accountId,
    ])
    const skipped = await sendCampaign(world)
    expect(await waitForStatus(world, skipped.id, 'SENT')).toMatchObject({ sentTo: 1 })
    expect(await heldOf(world, skipped)).toMatchObject({
      skips: [{ reason: 'FREQUENCY_CAP', count: 1 }],
      delays: [],
      recipients: {
        nodes: [
          { state: 'SKIPPED', skipReason: 'FREQUENCY_CAP', skippedAt: expect.any(String), contact: { id: ada.id } },
          { state: 'SENT', skipReason: null, skippedAt: null, contact: { id: bob.id } },
        ],
      },
    })
    const delayed = await sendCampaign(world, { frequencyCapAction: 'WAIT' })
    await until(async () => (await heldOf(world, delayed)).delays.length > 0)
    const held = await heldOf(world, delayed)
    expect(held).toMatchObject({ status: 'SENDING', delays: [{ reason: 'FREQUENCY_CAP', count: 1 }] })
    const [ofAda] = held.recipients.nodes
    expect(ofAda).toMatchObject({ state: 'QUEUED', delayReason: 'FREQUENCY_CAP', delayedAt: expect.any(String) })
    const days = (Date.parse(ofAda.delayedUntil) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(1.9)
    expect(days).toBeLessThan(2.1)
    const { contact } = await world.run(Timeline, { id: ada.id })
    expect(contact.timeline.nodes).toMatchObject([
      { type: 'MESSAGE_DELAYED', recipient: { delayReason: 'FREQUENCY_CAP' } },
      { type: 'MESSAGE_SKIPPED', recipient: { skipReason: 'FREQUENCY_CAP' } },
      { type: 'MESSAGE_SENT' },
      { type: 'MESSAGE_SENT' },
    ])
    // A message that leaves the seven days makes room for one.
    await world.rows(
      "UPDATE mail_recipient SET sent_at = sent_at - interval '3 days' WHERE account_id = $1 AND contact_id = $2",
      [world.accountId, ada.databaseId],
    )
    await hurry(world)
    await waitForStatus(world, delayed.id, 'SENT')
    expect(sink.taken.filter(({ to }) => to === ada.email)).toHaveLength(3)
  })

  it('holds for campaigns that two workers send at the same time', async () => {
    const sink = await newSink({ delay: 20 })
    const world = await newWorld({ server: await newServer() })
    await setRules(world, { frequencyCap: { messages: 1, days: 1 } })
    await createSubscribers(world, 60)
    const campaigns: { id: string }[] = []
    for (let n = 0; n < 4; n += 1) campaigns.push(await sendCampaign(world))
    const env = { ROLES: 'worker', DATABASE_URL: world.server.databaseUrl }
    await Promise.all([newSender(sink.url, env), newSender(sink.url, env)])
    for (const { id } of campaigns) await waitForStatus(world, id, 'SENT')
    const sent = await Promise.all(campaigns.map(({ id }) => readCampaign(world, id)))
    expect(sent.reduce((sum, { sentTo }) => sum + sentTo, 0)).toBe(60)
    expect([sink.taken.length, new Set(sink.taken.map(({ to }) => to)).size]).toEqual([60, 60])
  })

  it('sees what another transaction committed after the statement began, and does not wait for it', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const [message] = await world.rows<{ id: string }>(
      `INSERT INTO mail_recipient (account_id, contact_id, state, created_at, due_at) VALUES ($1, $2, 'CLAIMED', now(), now()) RETURNING id`,
      [world.accountId, contact.databaseId],
    )
    const open = async () => {
      const client = new pg.Client({ connectionString: world.server.databaseUrl })
      await client.connect()
      return client
    }
    const [one, other] = [await open(), await open()]
    const hold = `frequency_hold(${world.accountId}, ${contact.databaseId}, 0, false, '{1}', '{1}', now())`
    try {
      await one.query('SELECT pg_advisory_lock(-1, -1)')
      await one.query(`BEGIN; SELECT ${hold}`)
      expect((await other.query(`SELECT ${hold}::text AS until`)).rows).toEqual([{ until: '-infinity' }])
      const pending = other.query(`SELECT pg_advisory_lock(-1, -1)::text, ${hold} > now() AS holds`)
      await until(async () => {
        const waiting = await one.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return waiting.rows.length > 0
      })
      await one.query(`UPDATE mail_recipient SET state = 'SENDING' WHERE id = ${message?.id}; COMMIT`)
      await one.query('SELECT pg_advisory_unlock(-1, -1)')
      expect((await pending).rows).toMatchObject([{ holds: true }])
    } finally {
      await Promise.all([one.end(), other.end()])
    }
  })
})

describe('quiet hours and days off', () => {
  it('hold messages back in the time zone of the contact, or else of the account', async () => {
    const { world, sink } = await utcWorld()
    await setRules(world, { quietHours: hoursAround(), daysOff: [] })
    const ada = await world.contact({ emailMarketing: true })
    const far = await world.contact({ emailMarketing: true, timeZone: 'Etc/GMT+12' })
    const waits = await sendCampaign(world)
    const skips = await sendCampaign(world, { quietHoursAction: 'SKIP' })
    expect(await waitForStatus(world, skips.id, 'SENT')).toMatchObject({ sentTo: 1 })
    expect((await heldOf(world, skips)).skips).toEqual([{ reason: 'QUIET_HOURS', count: 1 }])
    await until(() => sink.taken.length === 2)
    expect(sink.taken.map(({ to }) => to)).toEqual([far.email, far.email])
    const [ofAda] = (await heldOf(world, waits)).recipients.nodes
    expect(ofAda).toMatchObject({ state: 'QUEUED', delayReason: 'QUIET_HOURS', contact: { id: ada.id } })
    expect(Date.parse(ofAda.delayedUntil) - Date.now()).toBeGreaterThan(58 * 60_000)

    // A rule that is set later holds as well, and a message that is due again is sent when the rule allows it.
    const today = new Date().toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }).toUpperCase()
    await setRules(world, { quietHours: null, daysOff: [today] })
    await hurry(world)
    await until(async () => (await heldOf(world, waits)).delays[0]?.reason === 'DAY_OFF')
    expect((await heldOf(world, waits)).recipients.nodes[0].delayedUntil).toMatch(/T00:00:00/)
    await setRules(world, { daysOff: [] })
    await hurry(world)
    await waitForStatus(world, waits.id, 'SENT')
    expect(sink.taken).toHaveLength(3)
  })

  it('skip the e-mail of a stage or let it wait, as the stage says, and do not hold tests back', async () => {
    const { world, sink } = await utcWorld()
    await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
    await setRules(world, { quietHours: hoursAround() })
    const ada = await world.contact({ emailMarketing: true })
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true, timeValue: 0, quietHoursAction: 'SKIP' })
    const second = await world.stage(sequence, { active: true, timeValue: 0 })
    await world.subscribe(ada, sequence)
    const messages = () =>
      world.rows(
        'SELECT state::text, skip_reason::text, delay_reason::text FROM mail_recipient WHERE account_id = $1 ORDER BY id',
        [world.accountId],
      )
    const expected = [
      { state: 'SKIPPED', skip_reason: 'QUIET_HOURS', delay_reason: null },
      { state: 'QUEUED', skip_reason: null, delay_reason: 'QUIET_HOURS' },
    ]
    await until(async () => JSON.stringify(await messages()) === JSON.stringify(expected))
    const Test = 'mutation ($input: SequenceStageTestInput!) { sequenceStageTest(input: $input) { results { error } } }'
    await world.run(Test, { input: { id: second.id, emails: ['test@example.com'] } })
    expect(sink.taken.map(({ to }) => to)).toEqual(['test@example.com'])
  })
})

describe('the rules of an account', () => {
  it('are refused with what is wrong, and null removes them', async () => {
    const world = await newWorld()
    const details = async (input: object) => (await world.fault(Rules, { input })).extensions.details
    expect(await details({ frequencyCap: { messages: 0, days: 91 } })).toEqual({
      'input.frequencyCap.messages': ['must be from 1 to 100'],
      'input.frequencyCap.days': ['must be from 1 to 90'],
    })
    expect(await details({ quietHours: { from: '22:00', until: '22:00' } })).toEqual({
      'input.quietHours.until': ['must differ from the beginning'],
    })
    expect(await details({ quietHours: { from: '24:00', until: '8:00' } })).toMatchObject({
      'input.quietHours.from': [expect.stringContaining('must be a time of the day')],
    })
    const week = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']
    expect(await details({ daysOff: week })).toEqual({ 'input.daysOff': ['must leave a day of the week'] })
    const rules = { frequencyCap: { messages: 3, days: 7 }, quietHours: { from: '22:00', until: '08:00' } }
    expect(await setRules(world, { ...rules, daysOff: ['SUNDAY', 'SATURDAY'] })).toEqual({
      ...rules,
      daysOff: ['SATURDAY', 'SUNDAY'],
    })
    expect(await setRules(world, { name: 'Ada', daysOff: null })).toMatchObject(rules)
    expect(await setRules(world, { frequencyCap: null, quietHours: null, daysOff: [] })).toEqual({
      frequencyCap: null,
      quietHours: null,
      daysOff: [],
    })
  })
})
