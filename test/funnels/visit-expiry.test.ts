import { expect, it, vi } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { countVisitorDifferences, newVisitExpiry } from '../../src/funnels/index.ts'
import { newBlocker } from '../support/blocker.ts'
import { countRows } from '../support/count-rows.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { subdomain, VisitRecord } from './documents.ts'

const Stats = `query ($id: ID!) { funnel(id: $id) { stats(period: ALL) {
  totals { visitors views } steps { step { id } figures { visitors views } } } } }`
const stepDelete = 'mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }'
const funnelDelete = 'mutation ($id: ID!) { funnelDelete(input: { id: $id }) { deletedFunnelId } }'

/** Number of visits of a batch in these tests. */
const batchSize = 40

/** Creates an account with a server of its own, which has a partition for each of two of three old months. */
async function newOldWorld(): Promise<World> {
  const world = await newWorld({ server: await newServer(), subdomain: subdomain() })
  for (const [name, from, to] of [
    ['202401', '2024-01-01Z', '2024-02-01Z'],
    ['202403', '2024-03-01Z', '2024-04-01Z'],
  ])
    await world.rows(`CREATE TABLE visit_${name} PARTITION OF visit FOR VALUES FROM ('${from}') TO ('${to}')`)
  return world
}

/** Inserts visits of visitors on steps. `n` counts from 1, and `at` is an SQL expression of it. */
async function insertVisits(
  world: World,
  [funnel, ...steps]: readonly Named[],
  { count, visitor = "'v' || n * 7 % 101", at }: { count: number; visitor?: string; at: string },
): Promise<void> {
  await world.rows(
    `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, is_bot)
     SELECT $1, ${at}, $2, ($3::int[])[1 + n % cardinality($3::int[])], ${visitor}, n % 17 = 0 FROM generate_series(1, ${count}) n`,
    [world.accountId, funnel?.databaseId, steps.map(({ databaseId }) => databaseId)],
  )
}

/** Creates a funnel with visitors of one month, of several, with very many visits, and with recent ones. */
async function newVisited(world: World): Promise<{ funnel: Named; steps: Named[] }> {
  const funnel = await world.funnel()
  const steps: Named[] = []
  for (let n = 0; n < 3; n += 1) steps.push(await world.step(funnel))
  const of = [funnel, ...steps]
  await insertVisits(world, of, { count: 500, at: "timestamptz '2024-01-01Z' + n * interval '4 hours'" })
  await insertVisits(world, of, {
    count: 200,
    visitor: "'much'",
    at: "timestamptz '2024-01-01Z' + n * interval '1 hour'",
  })
  await insertVisits(world, of, { count: 100, visitor: "'still'", at: "timestamptz '2024-02-02Z'" })
  // Of today, which is not compared with the figures yet: these visits are inserted without them.
  const today = "date_trunc('day', now()) + n * interval '1 millisecond'"
  await insertVisits(world, of, { count: 60, visitor: "'v' || n", at: today })
  await countRows(world, ['step_visitor'])
  return { funnel, steps }
}

/** Returns the statistics. What is counted must be that of the visits. */
async function readStats(world: World, funnel: Named) {
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  for (const count of countVisitorDifferences) expect(await count(ctx, funnel.databaseId)).toBe(0)
  return (await world.run(Stats, { id: funnel.id })).funnel.stats
}

/** Runs the job in small batches. Returns their number. */
async function expire({ server }: World, afterBatch: (n: number) => Promise<void> = async () => undefined) {
  let batches = 0
  const start = () => ({
    part: async <Result>(run: () => Promise<Result>) => {
      const result = await run()
      batches += 1
      await afterBatch(batches)
      return result
    },
    partSize: () => batchSize,
    pause: async () => undefined,
    end: () => undefined,
  })
  await newVisitExpiry(server.databaseUrl, 400)({ ...server.system, pacing: { ...server.system.pacing, start } })
  return batches
}

async function countOld(world: World): Promise<number> {
  const [row] = await world.rows<{ n: number }>(
    "SELECT count(*)::int AS n FROM visit WHERE account_id = $1 AND created_at < now() - interval '1 year'",
    [world.accountId],
  )
  return row?.n ?? 0
}

it('visits expire in batches, and the totals of all time are the same after each of them', async () => {
  const world = await newOldWorld()
  const { funnel } = await newVisited(world)
  const before = await readStats(world, funnel)
  expect(before.totals.visitors).toBe(103)
  const left: number[] = []
  const batches = await expire(world, async () => {
    expect(await readStats(world, funnel)).toEqual(before)
    left.push(await countOld(world))
  })
  expect(batches).toBeGreaterThan(20)
  expect(left.at(-1)).toBe(0)
  const sizes = left.map((n, place) => (left[place - 1] ?? 800) - n)
  // The visits of one visitor at the same time are one batch without those of bots, since each of them is the last one.
  expect(sizes.filter((size) => size > batchSize)).toEqual([95])
  expect(await checkFigures(world.server.system)).toEqual([])
  await compactFigures(world.server.system)
  expect(await readStats(world, funnel)).toEqual(before)
  const [kept] = await world.rows('SELECT count(DISTINCT visitor)::int AS n FROM step_visitor')
  expect(kept).toEqual({ n: 57 })
  // Nothing is left that could be deleted, and the index of the default partition was deleted.
  expect(await expire(world)).toBe(0)
  expect(
    await world.rows(
      "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indexrelid::regclass::text LIKE '%default_expiry'",
    ),
  ).toEqual([])
})

it('a killed expiry continues, and an index that it left incomplete is built again', async () => {
  const world = await newOldWorld()
  const { funnel } = await newVisited(world)
  const before = await readStats(world, funnel)
  for (const batches of [1, 5, 9]) {
    const killed = expire(world, async (n) => {
      if (n === batches) throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await readStats(world, funnel)).toEqual(before)
  }
  await world.rows("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'visit_202401_expiry'::regclass")
  const blocker = await newBlocker(world)
  await blocker.query("UPDATE visit SET contact_id = NULL WHERE visitor_id = 'still'")
  const waiting = expect(expire(world)).rejects.toThrow()
  await blocker.killed()
  await waiting
  await blocker.query('COMMIT')
  await expire(world)
  expect([await countOld(world), await readStats(world, funnel)]).toEqual([0, before])
})

it('a run ends after 20 seconds, so that other jobs get a turn, and the next one continues', async () => {
  const world = await newOldWorld()
  const { funnel } = await newVisited(world)
  const before = await readStats(world, funnel)
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now')
  // No partition takes as long, but all of them together do.
  const batches = await expire(world, async (n) => void clock.mockReturnValue(now + n * 1_300))
  expect(batches).toBe(16)
  clock.mockRestore()
  expect(await countOld(world)).toBeGreaterThan(0)
  expect(await readStats(world, funnel)).toEqual(before)
  await expire(world)
  expect(await countOld(world)).toBe(0)
  expect(await readStats(world, funnel)).toEqual(before)
})

it('visits that are recorded or changed meanwhile, and visits that are not counted yet, are counted once', async () => {
  const world = await newOldWorld()
  const { funnel, steps } = await newVisited(world)
  const record = (visitorId: string, at: string, n = 0) =>
    world.run(VisitRecord, { input: { stepId: steps[n]?.id, visitorId, at } })
  // A visitor who returned, and one whose old visit is recorded now.
  await record('v100', new Date().toISOString())
  await record('late', '2024-01-05T00:00:00Z')
  const before = await readStats(world, funnel)
  let views = before.totals.views
  await expire(world, async (n) => {
    await record('v1', '2024-03-05T00:00:00Z', n % 3)
    await record('v2', new Date().toISOString(), n % 3)
    views += 2
    if (n % 3 === 0) await compactFigures(world.server.system)
    const { totals } = await readStats(world, funnel)
    expect(totals).toEqual({ visitors: before.totals.visitors, views })
  })
  await expire(world)
  expect(await countOld(world)).toBe(0)
  expect((await readStats(world, funnel)).totals).toEqual({ visitors: before.totals.visitors, views })
  expect(await checkFigures(world.server.system)).toEqual([])

  const other = await newVisited(world)
  // The visit of a visitor who returned is counted only after the old ones were deleted.
  for (const { id: stepId } of other.steps) await world.run(VisitRecord, { input: { stepId, visitorId: 'v100' } })
  const unchanged = await readStats(world, other.funnel)
  const blocker = await newBlocker(world)
  await blocker.query('UPDATE visit SET attribution = \'{"a": "b"}\' WHERE visitor_id = \'v7\'')
  const expiring = expire(world)
  await blocker.waited()
  await blocker.query('COMMIT')
  await expiring
  expect(await readStats(world, other.funnel)).toEqual(unchanged)
  await compactFigures(world.server.system)
  expect(await readStats(world, other.funnel)).toEqual(unchanged)
})

it('the totals of a step or a funnel that is deleted meanwhile are deleted too', async () => {
  const world = await newOldWorld()
  const [visited, gone] = [await newVisited(world), await newVisited(world)]
  const step = visited.steps[1]?.id
  await expire(world, async (n) => {
    if (n === 3) await world.run(stepDelete, { id: step })
    if (n === 5) await world.run(funnelDelete, { id: gone.funnel.id })
  })
  const rows = await world.rows<{ funnel: number; step: number }>(
    'SELECT funnel_id AS funnel, step_id AS step FROM visit_total ORDER BY 2',
  )
  const ids = [0, visited.steps[0]?.databaseId, visited.steps[2]?.databaseId]
  expect(rows).toEqual(ids.map((each) => ({ funnel: visited.funnel.databaseId, step: each })))
  const stats = await readStats(world, visited.funnel)
  expect(stats.totals.views).toBe(
    stats.steps.reduce((sum: number, { figures }: { figures: { views: number } }) => sum + figures.views, 0),
  )
})

it('visits of months that have not expired completely stay', async () => {
  const world = await newOldWorld()
  const funnel = await world.funnel()
  const step = await world.step(funnel)
  await insertVisits(world, [funnel, step], { count: 30, visitor: "'v'", at: "now() - n * interval '30 days'" })
  await expire(world)
  const [{ age } = { age: 0 }] = await world.rows<{ age: number }>(
    `SELECT extract(day FROM date_trunc('month', now() - interval '400 days', 'UTC') - min(created_at))::int AS age FROM visit WHERE account_id = $1`,
    [world.accountId],
  )
  expect(age).toBeLessThanOrEqual(0)
  expect(await countOld(world)).toBeGreaterThan(0)
})
