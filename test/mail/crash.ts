import { expect } from 'vitest'
import { type Running, start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { footer, text } from './conditions.ts'
import { documentOf } from './content.ts'
import { read } from './reading.ts'
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

/** How many contacts are written to, and after how many more messages each worker is killed. */
const peopleFor = (kills: number) => 100 + 60 * kills
const messagesBefore = 40

/** Kills a worker that sends a campaign several times, and expects that nobody is lost or written to twice. */
export async function killSenders(
  kills: number,
  send: (world: World) => ReturnType<typeof sendCampaign> = sendCampaign,
) {
  const sink = await newSink({ delay: 15 })
  const world = await newWorld({ server: await newServer() })
  const people = peopleFor(kills)
  await createSubscribers(world, people)
  const { id, databaseId } = await send(world)
  for (let turn = 1; turn <= kills; turn += 1) {
    const running = await worker(world, sink)
    await until(() => sink.taken.length >= turn * messagesBefore)
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
  expect(SENT + UNKNOWN).toBe(people)
  expect(UNKNOWN).toBeLessThanOrEqual(kills * 5)
  expect(distinct(sink)).toBe(sink.taken.length)
  expect(sink.taken.length).toBeGreaterThanOrEqual(SENT)
  expect(sink.taken.length).toBeLessThanOrEqual(SENT + UNKNOWN)
  return { world, sink }
}

/**
 * The same with a block for every other contact. Expects that each one receives what is for it, also from the worker that takes
 * over, and that the view in a browser shows what was sent when the contacts match no more.
 */
export async function killConditionalSenders(kills: number): Promise<void> {
  const { world, sink } = await killSenders(kills, async (world) => {
    await world.rows("UPDATE contact SET first_name = 'Ada' WHERE account_id = $1 AND id % 2 = 0", [world.accountId])
    const content = documentOf(text('Always'), text('Sometimes', { firstName: { eq: 'Ada' } }), footer)
    return sendCampaign(world, {}, { content })
  })
  const rows = await world.rows<{ email: string; isAda: boolean }>(
    `SELECT email, first_name IS NOT DISTINCT FROM 'Ada' AS "isAda" FROM contact WHERE account_id = $1`,
    [world.accountId],
  )
  const isAda = new Map(rows.map((row) => [row.email, row.isAda]))
  const messages = await Promise.all(sink.taken.map(read))
  const hasBlock = (words: string) => words.includes('Sometimes')
  expect(
    messages.filter(({ to, html, text }) => [html, text].some((part) => hasBlock(part) !== isAda.get(to))),
  ).toEqual([])
  await world.rows("UPDATE contact SET first_name = 'Bob' WHERE account_id = $1", [world.accountId])
  for (const { to, html } of messages.slice(0, 40)) {
    const view = /\/t\/v\/[^"]*/.exec(html)?.[0] ?? ''
    const shown = await (await fetch(`${world.server.url}${view}`)).text()
    expect([shown.includes('Always'), hasBlock(shown)], to).toEqual([true, isAda.get(to)])
  }
}

/** Kills a worker that sends the messages of a sequence several times, and expects that only those in flight are repeated. */
export async function killSequenceSenders(kills: number): Promise<void> {
  const sink = await newSink({ delay: 15 })
  const world = await newWorld({ server: await newServer() })
  const people = peopleFor(kills)
  await createSubscribers(world, people)
  await enrolAll(world)
  for (let turn = 1; turn <= kills; turn += 1) {
    const running = await worker(world, sink)
    await until(() => sink.taken.length >= turn * messagesBefore)
    running.signal('SIGKILL')
    await running.end
    await ageHeartbeats(world)
  }
  await worker(world, sink)
  await until(() => distinct(sink) === people)
  await until(async () => {
    const rows = await world.rows<{ n: number }>(
      "SELECT count(*)::int AS n FROM enrolment WHERE account_id = $1 AND state = 'COMPLETED'",
      [world.accountId],
    )
    return rows[0]?.n === people
  })
  expect(sink.taken.length - people).toBeLessThanOrEqual(kills * 5)
  const ids = Map.groupBy(sink.taken, ({ to }) => to)
  for (const [to, messages] of ids) expect(new Set(messages.map(messageIdOf)).size, to).toBe(1)
  expect(new Set(sink.taken.map(messageIdOf)).size).toBe(people)
}

/**
 * Kills one of two workers that send three campaigns to 100 contacts, of which each may get two messages. Expects that each gets
 * two of them, or may have got them, and no one a third.
 */
export async function killCappedSenders(kills: number): Promise<void> {
  const sink = await newSink({ delay: 15 })
  const world = await newWorld({ server: await newServer() })
  await world.rows('UPDATE account SET frequency_cap = 2, frequency_cap_days = 1 WHERE id = $1', [world.accountId])
  await createSubscribers(world, 100)
  const campaigns = [await sendCampaign(world), await sendCampaign(world), await sendCampaign(world)]
  const other = await worker(world, sink)
  for (let turn = 1; turn <= kills; turn += 1) {
    const running = await worker(world, sink)
    await until(() => sink.taken.length >= turn * 50)
    running.signal('SIGKILL')
    await running.end
    await world.rows(
      "UPDATE mail_worker SET seen_at = seen_at - interval '1 minute' WHERE id = (SELECT max(id) FROM mail_worker)",
    )
  }
  for (const { id } of campaigns) await waitForStatus(world, id, 'SENT')
  other.signal('SIGTERM')
  expect((await other.end).code).toBe(0)
  const rows = await world.rows<{ contact: number; reached: number; skipped: number }>(
    `SELECT contact_id AS contact, count(*) FILTER (WHERE state IN ('SENT', 'UNKNOWN'))::int AS reached,
       count(*) FILTER (WHERE skip_reason = 'FREQUENCY_CAP')::int AS skipped
     FROM mail_recipient WHERE account_id = $1 GROUP BY 1`,
    [world.accountId],
  )
  expect(rows.filter(({ reached, skipped }) => reached !== 2 || skipped !== 1)).toEqual([])
  const counts = [...Map.groupBy(sink.taken, ({ to }) => to).values()].map(({ length }) => length)
  expect([rows.length, Math.max(...counts)]).toEqual([100, 2])
}
