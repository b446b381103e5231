import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { funnelJobs } from '../../src/funnels/index.ts'
import { newBlocker } from '../support/blocker.ts'
import { countRows } from '../support/count-rows.ts'
import type { Named, World } from '../support/world.ts'
import { newShop, subdomain, VisitRecord } from './documents.ts'

/** Number of visits that are deleted in several batches of 10,000. */
const many = 25_000

const funnelDelete = 'mutation ($id: ID!) { funnelDelete(input: { id: $id }) { deletedFunnelId } }'
const stepDelete = 'mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }'

/** Creates visits at times that are an SQL expression of their number `n`. By default they are in two partitions. */
async function createVisits(
  world: World,
  [funnel, step]: readonly [Named, Named],
  count = many,
  at = "now() - n % 10 * interval '5 days' - n * interval '1 ms'",
): Promise<void> {
  await world.rows(
    `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id)
     SELECT $1, ${at}, $2, $3, n FROM generate_series(1, $4::int) n`,
    [world.accountId, funnel.databaseId, step.databaseId, count],
  )
}

/** Counts the visits of each step. */
async function count(world: World): Promise<Record<number, number>> {
  const rows = await world.rows<{ step: number; n: number }>(
    'SELECT step_id AS step, count(*)::int AS n FROM visit WHERE account_id = $1 GROUP BY 1',
    [world.accountId],
  )
  return Object.fromEntries(rows.map(({ step, n }) => [step, n]))
}

/** Runs the job of a funnel or a step from its beginning or from the position of the run before until nothing is left to do. */
async function runJob(world: World, funnel: Named, step?: Named): Promise<void> {
  const scope = { accountId: world.accountId, funnelId: funnel.databaseId, ...(step && { stepId: step.databaseId }) }
  let payload: object | undefined = scope
  while (payload !== undefined) {
    const [{ last } = { last: '0' }] = await world.rows<{ last: string }>(
      'SELECT coalesce(max(id), 0)::text AS last FROM graphile_worker._private_jobs',
    )
    await funnelJobs['funnels:clean_up_visits'](world.server.system, payload as never)
    const [next] = await world.rows<{ payload: object }>(
      'SELECT payload FROM graphile_worker._private_jobs WHERE id > $1::bigint AND payload::jsonb @> $2::jsonb',
      [last, JSON.stringify(scope)],
    )
    payload = next?.payload
  }
}

async function newStep(world: World, funnel?: Named): Promise<readonly [Named, Named]> {
  const parent = funnel ?? (await world.funnel())
  return [parent, await world.step(parent)]
}

describe('the visits of a deleted funnel or step', { timeout: 120_000 }, () => {
  it('are deleted from all partitions, and no others', async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const [gone, kept, theirs] = [await newStep(world), await newStep(world), await newStep(other)]
    await createVisits(world, gone)
    await createVisits(world, gone, 10, "timestamptz '2001-01-01' + n * interval '10 years'")
    await createVisits(world, kept, 50)
    await createVisits(other, theirs, 50)
    await world.run(funnelDelete, gone[0])
    await runJob(world, gone[0])
    expect([await count(world), await count(other)]).toEqual([
      { [kept[1].databaseId]: 50 },
      { [theirs[1].databaseId]: 50 },
    ])
    await runJob(world, gone[0])
    // The ids of one account do not exist in another.
    await runJob(world, theirs[0])
    expect(await count(other)).toEqual({ [theirs[1].databaseId]: 50 })
  })

  it('are deleted among those of other steps, at equal times too', async () => {
    const world = await newShop()
    const gone = await newStep(world)
    const kept = await newStep(world, gone[0])
    for (const at of ["now() - n / 7000 * interval '20 days'", "now() - interval '1 day'"])
      for (const step of [gone, kept, gone, kept]) await createVisits(world, step, many, at)
    await world.run(stepDelete, gone[1])
    await runJob(world, ...gone)
    expect(await count(world)).toEqual({ [kept[1].databaseId]: 4 * many })
  })

  it('are deleted if one of them is changed meanwhile, and after a run was killed', async () => {
    const world = await newShop()
    const gone = await newStep(world)
    const kept = await newStep(world, gone[0])
    for (const step of [gone, kept]) await createVisits(world, step)
    await world.run(stepDelete, gone[1])
    const blocker = await newBlocker(world)
    const change = () =>
      blocker.query(
        `UPDATE visit SET attribution = '{"a": "b"}' WHERE account_id = $1 AND id =
           (SELECT min(id) FROM visit WHERE account_id = $1 AND step_id = $2)`,
        [world.accountId, gone[1].databaseId],
      )
    await change()
    const killed = expect(runJob(world, ...gone)).rejects.toThrow()
    await blocker.killed()
    await killed
    const job = runJob(world, ...gone)
    await blocker.waited()
    await blocker.query('COMMIT')
    await job
    expect(await count(world)).toEqual({ [kept[1].databaseId]: many })
  })

  it('are deleted in short transactions if the account is newer than the statistics', async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const [old, gone] = [await newStep(other), await newStep(world)]
    const partitions = await world.rows<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'visit'::regclass",
    )
    // Autovacuum could make new statistics at any moment.
    for (const { name } of partitions) await world.rows(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`)
    await createVisits(other, old, 100_000)
    await world.rows('ANALYZE visit')
    const startedAt = performance.now()
    await createVisits(world, gone, 200_000)
    const createdAt = performance.now()
    await world.run(funnelDelete, gone[0])
    await runJob(world, gone[0])
    // Batches that read all visits again take many times as long as their creation.
    expect(performance.now() - createdAt).toBeLessThan(2 * (createdAt - startedAt))
  })

  it('are deleted with what is counted of them, visits included that are not counted yet', async () => {
    const world = await newShop()
    const gone = await newStep(world)
    const kept = await newStep(world, gone[0])
    const other = await newStep(world)
    for (const step of [gone, kept, other]) await createVisits(world, step, 12_000)
    await countRows(world, ['step_visitor'])
    for (const [, { id: stepId }] of [gone, kept])
      await world.run(VisitRecord, { input: { stepId, visitorId: 'late' } })
    const steps = async () =>
      (
        await world.rows<{ step: number }>(
          'SELECT DISTINCT step_id AS step FROM step_visitor WHERE account_id = $1 ORDER BY 1',
          [world.accountId],
        )
      ).map(({ step }) => step)
    await world.run(stepDelete, gone[1])
    await runJob(world, ...gone)
    await compactFigures(world.server.system)
    expect(await steps()).toEqual([kept[1].databaseId, other[1].databaseId])
    const drifts = await checkFigures(world.server.system)
    expect(
      drifts.filter(({ accountId, figure }) => accountId === world.accountId && figure === 'step_visitor'),
    ).toEqual([])
    await world.run(VisitRecord, { input: { stepId: kept[1].id, visitorId: 'last' } })
    await world.run(funnelDelete, gone[0])
    await runJob(world, gone[0])
    await compactFigures(world.server.system)
    expect(await steps()).toEqual([other[1].databaseId])
  })
})
