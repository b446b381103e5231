import { describe, expect, it } from 'vitest'
import { type Running, start, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStates, createSubscribers, sendCampaign, waitForStatus } from './sending.ts'
import { newSink, type Sink, type SinkMessage } from './sink.ts'

/** Starts a worker process. */
async function worker(world: World, sink: Sink): Promise<Running> {
  const running = start('main', [], {
    ROLES: 'worker',
    PORT: '0',
    DATABASE_URL: world.server.databaseUrl,
    SECRET: 'a secret that only tests know',
    SENDERS: 'any',
    BASE_URL: 'http://127.0.0.1:4000',
    MAIL_URL: sink.url,
  })
  await running.line(/^ready/)
  return running
}

/** Enrols all contacts in a sequence with one e-mail that is due now. */
async function enrolAll(world: World): Promise<void> {
  await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
  const sequence = await world.sequence()
  const stage = await world.stage(sequence, { active: true, timeValue: 0 })
  await world.rows(
    `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, due_at)
     SELECT account_id, id, $2, now(), '{}', $3, now() FROM contact WHERE account_id = $1`,
    [world.accountId, sequence.databaseId, stage.databaseId],
  )
}

const messageIdOf = ({ raw }: SinkMessage) => /^message-id: (.*)$/im.exec(raw)?.[1]?.trim() ?? ''

/** Expires the leases of all workers. */
const expireLeases = (world: World) => world.rows("UPDATE mail_worker SET seen_at = now() - interval '1 minute'")

const distinct = ({ taken }: Sink) => new Set(taken.map(({ to }) => to)).size

describe('a worker', () => {
  it('that is killed repeatedly sends no message twice and misses none that is not UNKNOWN', async () => {
    const sink = await newSink({ delay: 15 })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 300)
    const { id, databaseId } = await sendCampaign(world)
    for (let turn = 1; turn <= 3; turn += 1) {
      const running = await worker(world, sink)
      await until(() => sink.taken.length >= turn * 60)
      running.signal('SIGKILL')
      await running.end
      await expireLeases(world)
    }
    const last = await worker(world, sink)
    await waitForStatus(world, id, 'SENT')
    last.signal('SIGTERM')
    expect((await last.end).code).toBe(0)

    const { SENT = 0, UNKNOWN = 0, ...others } = await countStates(world, databaseId)
    expect(others).toEqual({})
    expect(SENT + UNKNOWN).toBe(300)
    expect(UNKNOWN).toBeLessThanOrEqual(3 * 5)
    expect(distinct(sink)).toBe(sink.taken.length)
    expect(sink.taken.length).toBeGreaterThanOrEqual(SENT)
    expect(sink.taken.length).toBeLessThanOrEqual(SENT + UNKNOWN)
  }, 120_000)

  it('that is stopped releases what is not in flight, and ends in time', async () => {
    const sink = await newSink({ delay: 30 })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 150)
    const { id, databaseId } = await sendCampaign(world)
    const first = await worker(world, sink)
    await until(() => sink.taken.length >= 40)
    const toldAt = performance.now()
    first.signal('SIGTERM')
    expect((await first.end).code).toBe(0)
    expect(performance.now() - toldAt).toBeLessThan(10_000)
    const { SENT = 0, QUEUED = 0, ...others } = await countStates(world, databaseId)
    expect([others, SENT + QUEUED, SENT]).toEqual([{}, 150, sink.taken.length])

    await worker(world, sink)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 150 })
    expect([sink.taken.length, distinct(sink)]).toEqual([150, 150])
  }, 120_000)

  it('that is stopped ends in time although a mail server does not reply', async () => {
    const sink = await newSink({ beforeAnswer: () => new Promise(() => undefined) })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 20)
    const { databaseId } = await sendCampaign(world)
    const running = await worker(world, sink)
    await until(async () => (await countStates(world, databaseId))['HANDING_OVER'] === 5)
    const toldAt = performance.now()
    running.signal('SIGTERM')
    expect((await running.end).code).toBe(0)
    expect(performance.now() - toldAt).toBeLessThan(10_000)
    // Each of these was given whole to the server, which said nothing.
    expect(await countStates(world, databaseId)).toEqual({ QUEUED: 15, UNKNOWN: 5 })
  }, 120_000)

  it('sends nothing twice when two workers run', async () => {
    // Answers only when more than one worker's connections are open at a time, so that both have their part.
    const sink: Sink = await newSink({ beforeAnswer: () => until(() => sink.most() > 5) })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 400)
    await Promise.all([worker(world, sink), worker(world, sink)])
    const { id } = await sendCampaign(world)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 400 })
    expect([sink.taken.length, distinct(sink)]).toEqual([400, 400])
    expect(sink.most()).toBeLessThanOrEqual(10)
  }, 120_000)

  it('that is killed repeats only messages of sequences that were in flight, with the same Message-ID', async () => {
    const sink = await newSink({ delay: 15 })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 200)
    await enrolAll(world)
    for (let turn = 1; turn <= 2; turn += 1) {
      const running = await worker(world, sink)
      await until(() => sink.taken.length >= turn * 60)
      running.signal('SIGKILL')
      await running.end
      await expireLeases(world)
    }
    await worker(world, sink)
    await until(() => distinct(sink) === 200)
    await until(async () => {
      const rows = await world.rows<{ n: number }>(
        "SELECT count(*)::int AS n FROM enrolment WHERE account_id = $1 AND state = 'COMPLETED'",
        [world.accountId],
      )
      return rows[0]?.n === 200
    })
    expect(sink.taken.length - 200).toBeLessThanOrEqual(2 * 5)
    const ids = Map.groupBy(sink.taken, ({ to }) => to)
    for (const [to, messages] of ids) expect(new Set(messages.map(messageIdOf)).size, to).toBe(1)
    expect(new Set(sink.taken.map(messageIdOf)).size).toBe(200)
  }, 120_000)

  it('that was suspended until its lease expired sends none of its claims when it continues', async () => {
    const sink = await newSink({ delay: 15 })
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 200)
    const { id, databaseId } = await sendCampaign(world)
    const sleeper = await worker(world, sink)
    await until(() => sink.taken.length >= 60)
    sleeper.signal('SIGSTOP')
    await expireLeases(world)
    const heir = await worker(world, sink)
    await until(async () => {
      const { QUEUED = 0, CLAIMED = 0, HANDING_OVER = 0 } = await countStates(world, databaseId)
      return QUEUED + CLAIMED + HANDING_OVER === 0
    })
    const [before, known] = [sink.taken.length, await countStates(world, databaseId)]
    sleeper.signal('SIGCONT')
    // Its lease has expired, so it registers again.
    await until(async () => (await world.rows('SELECT 1 FROM mail_worker')).length === 2)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: known['SENT'] })
    expect(await countStates(world, databaseId)).toEqual(known)
    expect(known['UNKNOWN'] ?? 0).toBeLessThanOrEqual(5)
    expect(distinct(sink)).toBe(sink.taken.length)
    expect(sink.taken.length - before).toBeLessThanOrEqual(known['UNKNOWN'] ?? 0)
    for (const running of [sleeper, heir]) {
      running.signal('SIGTERM')
      expect((await running.end).code).toBe(0)
    }
  }, 120_000)
})
