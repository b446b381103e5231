import { expect, it } from 'vitest'
import { start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld } from '../support/world.ts'
import { stageUpdate } from './documents.ts'
import { contactsOfEvents, enrolVariants, newContacts, newStages } from './large.ts'
import { hold, lockOf, waiting } from './locks.ts'

/** Kills a worker while it plans the enrolments of a sequence, and lets two others continue. */
export function testKill(killed: number): void {
  it('workers can be killed while they plan many enrolments, and each enrolment is planned once', async () => {
    const world = await newWorld({ server: await newServer() })
    const { sequence, stages } = await newStages(world, 3)
    const contacts = await newContacts(world, killed)
    const [a, b, c] = stages as [Named, Named, Named]
    const done = (all: readonly Named[]) => `'{${all.map(({ databaseId }) => databaseId).join()}}'`
    const future = { enrolled_at: 'now()', due_at: "timestamptz '2040-01-01'" }
    // Each second enrolment is completed by the move of the last stage. The others would be too if it were applied twice.
    await enrolVariants(world, sequence, contacts, [
      { ...future, done_stage_ids: done([a]), position: '1', next_stage_id: String(b.databaseId) },
      { ...future, done_stage_ids: done([a, b]), position: '2', next_stage_id: String(c.databaseId) },
    ])
    await world.run(stageUpdate, { input: { id: c.id, step: 1 } })
    await world.run(stageUpdate, { input: { id: b.id, timeValue: 8 } })

    const release = await hold(world, lockOf(world, contacts[4_000] as number))
    const env = {
      ...{ ROLES: 'worker', PORT: '0', SECRET: 'a secret that only tests know', SENDERS: 'any' },
      ...{ DATABASE_URL: world.server.databaseUrl, BASE_URL: 'http://127.0.0.1:4000' },
    }
    const first = start('main', [], env)
    await until(async () => (await waiting(world)).length > 0)
    const backends = await waiting(world)
    const planned = async () => (await contactsOfEvents(world, 'sequence.completed', sequence)).length
    const before = await planned()
    expect(before).toBeGreaterThan(0)
    first.signal('SIGKILL')
    await first.end
    await release()
    // PostgreSQL notices the end of the worker after the statement, and rolls it back.
    const isWorking = async () =>
      (await world.rows('SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[])', [backends])).length > 0
    await until(async () => !(await isWorking()))
    expect(await planned()).toBe(before)
    await ageHeartbeats(world)
    const workers = [start('main', [], env), start('main', [], env)]
    await until(async () => (await world.announced('sequence.updated')).length === 1)
    for (const worker of workers) worker.signal('SIGTERM')
    await Promise.all(workers.map((worker) => worker.end))
    const states = await world.rows(
      `SELECT state::text, position, next_stage_id AS next, count(*)::int AS n FROM enrolment WHERE account_id = $1
       GROUP BY 1, 2, 3 ORDER BY 1`,
      [world.accountId],
    )
    expect(states).toEqual([
      { state: 'ACTIVE', position: 2, next: b.databaseId, n: killed / 2 },
      { state: 'COMPLETED', position: 3, next: null, n: killed / 2 },
    ])
    expect(await contactsOfEvents(world, 'sequence.completed', sequence)).toEqual(
      contacts.filter((_, place) => place % 2 === 1),
    )
  }, 120_000)
}
