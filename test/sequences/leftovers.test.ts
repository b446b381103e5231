import { describe, expect, it } from 'vitest'
import { sequenceJobs } from '../../src/sequences/index.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** More sequences than one statement looks for. */
const n = 1_100

/** Creates sequences, each with an enrolment that has ended. Returns the ids of the sequences. */
async function newEnded(world: World): Promise<number[]> {
  const contact = await world.contact()
  const rows = await world.rows<{ id: number }>(
    `WITH created AS (
       INSERT INTO sequence (account_id, name, type, created_at) SELECT $1, 's' || i, 'NORMAL', now() FROM generate_series(1, $3::int) i
       RETURNING id
     ), enrolled AS (
       INSERT INTO enrolment (account_id, contact_id, sequence_id, state, enrolled_at, ended_at)
       SELECT $1, $2, id, 'ENDED', now(), now() FROM created
     ) SELECT id FROM created ORDER BY id`,
    [world.accountId, contact.databaseId, n],
  )
  return rows.map(({ id }) => id)
}

const sequencesOf = async (world: World) =>
  (
    await world.rows<{ id: number }>('SELECT sequence_id AS id FROM enrolment WHERE account_id = $1 ORDER BY 1', [
      world.accountId,
    ])
  ).map(({ id }) => id)

describe('enrolments of a sequence that a process of the version before deleted', () => {
  it('are deleted by a job, and no others', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
    const other = await world.other()
    const kept: [World, number[]][] = []
    for (const each of [world, other]) {
      const ids = await newEnded(each)
      const deleted = ids.filter((_, place) => place % 20 === 7 || place === n - 1)
      // Such a process deletes no enrolment that has ended.
      await each.rows('DELETE FROM sequence WHERE account_id = $1 AND id = ANY($2)', [each.accountId, deleted])
      kept.push([each, ids.filter((id) => !deleted.includes(id))])
      expect(await sequencesOf(each)).toEqual(ids)
    }
    await world.rows("SELECT graphile_worker.add_job('sequences:remove-leftovers')")
    for (const [each, ids] of kept) {
      await until(async () => (await sequencesOf(each)).length <= ids.length)
      expect(await sequencesOf(each)).toEqual(ids)
      expect(await each.announced('sequence.unsubscribed')).toEqual([])
    }
    expect(world.server.errors).toEqual([])
  })

  it('are searched in parts, between which the job rests', async () => {
    const world = await newWorld()
    await newEnded(world)
    const { system } = world.server
    let parts = 0
    const start: typeof system.pacing.start = () => {
      const work = system.pacing.start()
      const part: typeof work.part = (run) => {
        parts += 1
        return work.part(run)
      }
      return { ...work, part }
    }
    await sequenceJobs['sequences:remove-leftovers']({ ...system, pacing: { start } })
    expect(parts).toBe(3)
  })
})
