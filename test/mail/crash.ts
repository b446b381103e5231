import { expect } from 'vitest'
import { type Running, start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStates, createSubscribers, sendCampaign, waitForStatus } from './sending.ts'
import { newSink, type Sink, type SinkMessage } from './sink.ts'

/** Starts a worker process. */
export async function worker(world: World, sink: Sink): Promise<Running> {
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
export async function enrolAll(world: World): Promise<void> {
  await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
  const sequence = await world.sequence()
  const stage = await world.stage(sequence, { active: true, timeValue: 0 })
  await world.rows(
    `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, due_at)
     SELECT account_id, id, $2, now(), '{}', $3, now() FROM contact WHERE account_id = $1`,
    [world.accountId, sequence.databaseId, stage.databaseId],
  )
}

export const messageIdOf = ({ raw }: SinkMessage) => /^message-id: (.*)$/im.exec(raw)?.[1]?.trim() ?? ''

export const distinct = ({ taken }: Sink) => new Set(taken.map(({ to }) => to)).size

/** Kills a worker that sends a campaign to 300 contacts several times, and expects that nobody is lost or written to twice. */
export async function killSenders(kills: number): Promise<void> {
  const sink = await newSink({ delay: 15 })
  const world = await newWorld({ server: await newServer() })
  await createSubscribers(world, 300)
  const { id, databaseId } = await sendCampaign(world)
  for (let turn = 1; turn <= kills; turn += 1) {
    const running = await worker(world, sink)
    await until(() => sink.taken.length >= turn * 60)
    running.signal('SIGKILL')
    await running.end
    await ageHeartbeats(world)
  }
  const last = await worker(world, sink)
  await waitForStatus(world, id, 'SENT')
  last.signal('SIGTERM')
  expect((await last.end).code).toBe(0)

  const { SENT = 0, UNKNOWN = 0, ...others } = await countStates(world, databaseId)
  expect(others).toEqual({})
  expect(SENT + UNKNOWN).toBe(300)
  expect(UNKNOWN).toBeLessThanOrEqual(kills * 5)
  expect(distinct(sink)).toBe(sink.taken.length)
  expect(sink.taken.length).toBeGreaterThanOrEqual(SENT)
  expect(sink.taken.length).toBeLessThanOrEqual(SENT + UNKNOWN)
}

/** Kills a worker that sends the messages of a sequence several times, and expects that only those in flight are repeated. */
export async function killSequenceSenders(kills: number): Promise<void> {
  const sink = await newSink({ delay: 15 })
  const world = await newWorld({ server: await newServer() })
  await createSubscribers(world, 200)
  await enrolAll(world)
  for (let turn = 1; turn <= kills; turn += 1) {
    const running = await worker(world, sink)
    await until(() => sink.taken.length >= turn * 60)
    running.signal('SIGKILL')
    await running.end
    await ageHeartbeats(world)
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
  expect(sink.taken.length - 200).toBeLessThanOrEqual(kills * 5)
  const ids = Map.groupBy(sink.taken, ({ to }) => to)
  for (const [to, messages] of ids) expect(new Set(messages.map(messageIdOf)).size, to).toBe(1)
  expect(new Set(sink.taken.map(messageIdOf)).size).toBe(200)
}
