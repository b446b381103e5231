import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { addContacts, jobOf, runBulk, startBulk, waitForBulk } from './bulk.ts'

interface Killed {
  action: (world: World) => Promise<object>
  events: Readonly<Record<string, number>>
}

/** Returns the actions, and how many events of each type they emit for this number of contacts. */
function killedActions(people: number): Readonly<Record<string, Killed>> {
  return {
    'adds tags': {
      action: async (world) => ({ addTagIds: [(await world.tag()).id] }),
      events: { 'contact.tag_added': people },
    },
    'sets fields': {
      action: async (world) => ({
        update: { country: 'France', customFields: [{ customFieldId: (await world.customField()).id, value: 'x' }] },
      }),
      events: { 'contact.updated': people, 'contact.field_updated': people },
    },
    unsubscribes: {
      action: async () => ({ unsubscribe: {} }),
      events: { 'contact.updated': people, 'contact.unsubscribed': people },
    },
    enrols: {
      action: async (world) => {
        const sequence = await world.sequence()
        await world.stage(sequence, { active: true })
        return { addSequenceIds: [sequence.id] }
      },
      events: { 'sequence.subscribed': people },
    },
    deletes: { action: async () => ({ delete: true }), events: { 'contact.deleted': people } },
  }
}

/** Kills the workers of bulk jobs of all actions, and expects that another one processes each contact once. */
export async function resumeAfterKill(people: number): Promise<void> {
  const first = await newWorld()
  const env = {
    DATABASE_URL: first.server.databaseUrl,
    SECRET: 'a secret that only tests know',
    ROLES: 'worker',
    PORT: '0',
  }
  const runs = await Promise.all(
    Object.entries(killedActions(people)).map(async ([what, { action, events }]) => {
      const world = await newWorld()
      await addContacts(world, people)
      const { id } = await startBulk(world, { all: true }, await action(world))
      const countOf = async (type: string) => (await world.announced(type)).length
      return { what, world, id, events: Object.entries(events), countOf }
    }),
  )
  // No job can process its last contact, however late the workers are killed. A worker runs two jobs at a time.
  const blocker = new pg.Client({ connectionString: first.server.databaseUrl })
  await blocker.connect()
  onTestFinished(() => blocker.end())
  await blocker.query('BEGIN')
  await blocker.query('SELECT FROM contact WHERE email = $1 FOR UPDATE', [`p${people}@example.com`])
  const workers = Array.from({ length: Math.ceil(runs.length / 2) }, () => start('main', [], env))
  const jobs = () => Promise.all(runs.map(({ world, id }) => jobOf(world, id)))
  await until(async () => (await jobs()).every(({ done }) => done > 0))
  for (const worker of workers) worker.signal('SIGKILL')
  await Promise.all(workers.map(({ end }) => end))
  await blocker.query('ROLLBACK')
  expect((await jobs()).filter(({ done, status }) => status === 'RUNNING' && done > 0)).not.toEqual([])
  for (const { what, world, id, events, countOf } of runs) {
    const { done } = await jobOf(world, id)
    for (const [type] of events) expect([what, type, await countOf(type)]).toEqual([what, type, done])
  }

  await ageHeartbeats(first)
  const second = start('main', [], env)
  for (const { what, world, id, events, countOf } of runs) {
    const end = await waitForBulk(world, id, 200_000)
    expect(end, what).toMatchObject({ status: 'COMPLETED', total: people, done: people, changed: people, failed: 0 })
    for (const [type, count] of events) expect([what, type, await countOf(type)]).toEqual([what, type, count])
  }
  second.signal('SIGTERM')
  expect(await second.end).toMatchObject({ code: 0 })
}

/** Expects that a small job ends while three jobs of another account with this many contacts run. */
export async function finishBesideLargeJobs(people: number): Promise<void> {
  const server = await newServer({ ROLES: 'api,worker' })
  const world = await newWorld({ server })
  const other = await newWorld({ server })
  await addContacts(world, people)
  await addContacts(other, 10)
  const [tag, small] = [await world.tag(), await other.tag()]
  const large = await Promise.all(
    Array.from({ length: 3 }, () => startBulk(world, { all: true }, { addTagIds: [tag.id] })),
  )
  await until(async () => (await jobOf(world, large[0].id)).done > 0)
  expect(await runBulk(other, { all: true }, { addTagIds: [small.id] })).toMatchObject({ changed: 10 })
  const states = await Promise.all(large.map(({ id }) => jobOf(world, id)))
  expect(states.filter(({ status }) => status === 'RUNNING').length).toBeGreaterThan(0)
  for (const { id } of large) await waitForBulk(world, id, 100_000)
}
