// @module-tag rows
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { deleteWhileSending, faultsOf, remove, removeAtLast, rowsOf } from './deletion.ts'
import { countStates, createSubscribers, newSender, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

/** How many messages count in the month's quota, once the worker has returned what it did not use. */
async function counted(world: World, expected: number): Promise<void> {
  await until(async () => {
    const [row] = await world.rows<{ used: number }>(
      "SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'emails'",
      [world.accountId],
    )
    return row?.used === expected
  })
}

/** A gate that holds back the answers of the mail server. */
function newGate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let waiting = 0
  const wait = () => {
    waiting += 1
    return opened
  }
  return { wait, waiting: () => waiting, open: () => open() }
}

describe('a contact that is deleted', () => {
  it.each([
    ['accepted', undefined, { state: 'SENT', sentTo: 1, quota: 1 }],
    ['deferred', '451 4.3.0 not now, c1@example.com', { state: 'SKIPPED', sentTo: 0, quota: 0 }],
    ['refused', '554 5.6.0 nothing for c1@example.com', { state: 'FAILED', sentTo: 0, quota: 0 }],
  ])(
    'while its message is in flight: it is %s, and nothing that the server says is stored',
    async (_, answer, after) => {
      const gate = newGate()
      const sink = await newSink({ beforeAnswer: gate.wait, onData: () => answer })
      const world = await newWorld({ server: await newSender(sink.url) })
      const contact = await world.contact({ email: 'c1@example.com', emailMarketing: true })
      const { id } = await sendCampaign(world)
      await until(() => gate.waiting() === 1)
      await remove(world, contact.id)
      expect(await rowsOf(world, contact)).toMatchObject([{ state: 'SENDING', redacted: true }])
      gate.open()
      expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ recipientsCount: 1, sentTo: after.sentTo })
      expect(await rowsOf(world, contact)).toEqual([{ state: after.state, answer: null, attempts: 1, redacted: true }])
      await counted(world, after.quota)
      expect(world.server.errors).toEqual([])
    },
  )

  it('while its message bounces is counted as bounced, and its address is not suppressed', async () => {
    const gate = newGate()
    const sink = await newSink({ onTo: () => gate.wait().then(() => '550 5.1.1 no such user c1@example.com') })
    const world = await newWorld({ server: await newSender(sink.url) })
    const contact = await world.contact({ email: 'c1@example.com', emailMarketing: true })
    const { id } = await sendCampaign(world)
    await until(() => gate.waiting() === 1)
    await remove(world, contact.id)
    gate.open()
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({
      recipientsCount: 1,
      sentTo: 0,
      stats: { bounced: 1 },
    })
    expect(await rowsOf(world, contact)).toEqual([{ state: 'BOUNCED', answer: null, attempts: 1, redacted: true }])
    expect((await world.run('{ suppressions { totalCount } }')).suppressions.totalCount).toBe(0)
    expect(world.server.errors).toEqual([])
  })

  it('while its messages wait, claimed or queued, is not written to, and its campaign ends', async () => {
    const gate = newGate()
    const sink = await newSink({ beforeAnswer: gate.wait })
    const world = await newWorld({ server: await newSender(sink.url) })
    await createSubscribers(world, 200)
    const { id, databaseId } = await sendCampaign(world)
    await until(() => gate.waiting() === 5)
    await until(async () => (await countStates(world, databaseId))['CLAIMED'] !== undefined)
    const waiting = await world.rows<{ id: number; state: string }>(
      `SELECT contact_id AS id, state FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2
         AND state IN ('CLAIMED', 'QUEUED') ORDER BY id DESC`,
      [world.accountId, databaseId],
    )
    const queued = waiting.filter(({ state }) => state === 'QUEUED').slice(0, 20)
    const claimed = waiting.filter(({ state }) => state === 'CLAIMED').slice(0, 20)
    expect([queued.length, claimed.length]).toEqual([20, 20])
    await Promise.all([...queued, ...claimed].map((each) => remove(world, each.id)))
    gate.open()
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({
      recipientsCount: 200,
      sentTo: 160,
      stats: { sent: 160 },
    })
    expect(await countStates(world, databaseId)).toEqual({ SENT: 160, SKIPPED: 40 })
    expect([sink.taken.length, new Set(sink.taken.map(({ to }) => to)).size]).toEqual([160, 160])
    await counted(world, 160)
    expect(world.server.errors).toEqual([])
  })

  it('while its message waits for another attempt is skipped, and its campaign does not wait for that', async () => {
    const sink = await newSink({ onData: ({ to }) => (to === 'c1@example.com' ? '451 4.3.0 later' : undefined) })
    const world = await newWorld({ server: await newSender(sink.url) })
    const contact = await world.contact({ email: 'c1@example.com', emailMarketing: true })
    await world.contact({ email: 'c2@example.com', emailMarketing: true })
    const { id } = await sendCampaign(world)
    await until(async () => (await rowsOf(world, contact))[0]?.attempts === 1)
    await until(() => sink.taken.length === 1)
    await remove(world, contact.id)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ recipientsCount: 2, sentTo: 1 })
    expect(await rowsOf(world, contact)).toMatchObject([{ state: 'SKIPPED', answer: null }])
  })

  it('is not written to again by campaignSendUnknown', async () => {
    const world = await newWorld()
    const [gone, stays] = [await world.contact({ emailMarketing: true }), await world.contact({ emailMarketing: true })]
    const { id } = await sendCampaign(world)
    await world.rows("UPDATE mail_recipient SET state = 'UNKNOWN' WHERE account_id = $1", [world.accountId])
    await remove(world, gone.id)
    const document = 'mutation ($id: ID!) { campaignSendUnknown(input: { id: $id }) { count } }'
    expect((await world.run(document, { id })).campaignSendUnknown).toEqual({ count: 1 })
    expect([await rowsOf(world, gone), await rowsOf(world, stays)]).toMatchObject([
      [{ state: 'UNKNOWN' }],
      [{ state: 'QUEUED' }],
    ])
  })

  it('leaves its sequence: a message in flight is finished, and none follows', async () => {
    const gate = newGate()
    const sink = await newSink({ beforeAnswer: gate.wait })
    const world = await newWorld({ server: await newSender(sink.url) })
    await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
    const sequence = await world.sequence()
    for (let n = 0; n < 2; n += 1) await world.stage(sequence, { active: true, timeValue: 0 })
    const contact = await world.contact({ emailMarketing: true })
    await world.subscribe(contact, sequence)
    await until(() => gate.waiting() === 1)
    await remove(world, contact.id)
    gate.open()
    await until(async () => (await rowsOf(world, contact))[0]?.state === 'SENT')
    const Read = `query ($id: ID!) { sequence(id: $id) { activeContacts stats { sent }
      enrolments { nodes { state nextStage { id } contact { id } } } } }`
    expect((await world.run(Read, { id: sequence.id })).sequence).toEqual({
      ...{ activeContacts: 0, stats: { sent: 1 } },
      enrolments: { nodes: [{ state: 'ENDED', nextStage: null, contact: null }] },
    })
    expect(await rowsOf(world, contact)).toHaveLength(1)
    expect(world.server.errors).toEqual([])
  })
})

describe('contacts that are deleted by 50 clients at once', () => {
  it('while a sequence writes to them leave it, and neither they nor the worker meet an error', async () => {
    const sink = await newSink({ delay: 10, keepRaw: false })
    const world = await newWorld({ server: await newSender(sink.url, { DATABASE_POOL_SIZE: '10' }) })
    await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
    const sequence = await world.sequence()
    for (let n = 0; n < 3; n += 1) await world.stage(sequence, { active: true, timeValue: 0 })
    await createSubscribers(world, 100)
    const people = await world.rows<{ id: number }>('SELECT id FROM contact WHERE account_id = $1', [world.accountId])
    await world.rows(
      `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, due_at)
       SELECT c.account_id, c.id, $2, now(), '{}', g.id, now() FROM contact c
       JOIN sequence_stage g ON g.account_id = c.account_id AND g.sequence_id = $2 AND g.step = 1
       WHERE c.account_id = $1`,
      [world.accountId, sequence.databaseId],
    )
    await until(() => sink.taken.length >= 20)
    const leave = async () => {
      for (let each = people.shift(); each; each = people.shift()) await removeAtLast(world, each.id)
    }
    await Promise.all(Array.from({ length: 50 }, leave))
    const open = `SELECT 1 FROM mail_recipient WHERE account_id = $1 AND state IN ('QUEUED', 'CLAIMED', 'SENDING')`
    await until(async () => (await world.rows(open, [world.accountId])).length === 0)
    expect(faultsOf(world)).toEqual([])
    const Read = 'query ($id: ID!) { sequence(id: $id) { activeContacts stats { sent } enrolments { totalCount } } }'
    expect((await world.run(Read, { id: sequence.id })).sequence).toEqual({
      ...{ activeContacts: 0, stats: { sent: sink.taken.length }, enrolments: { totalCount: 100 } },
    })
    const unmarked = await world.rows('SELECT 1 FROM mail_recipient WHERE account_id = $1 AND NOT is_redacted', [
      world.accountId,
    ])
    expect(unmarked).toEqual([])
  }, 120_000)
})

describe('contacts that are deleted while their campaign is sent', { timeout: 120_000 }, () => {
  it('are missed and doubled by no kill of a worker, and are not written to afterwards', () =>
    deleteWhileSending({ all: 240, gone: 100, kills: 1 }))
})
