import { expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { StepMove, VisitRecord } from '../funnels/documents.ts'
import { countRows } from '../support/count-rows.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const source = 'step_visitor'
const figures = 'visitors views optIns'
const Stats = `query ($ids: [ID!]!, $period: Period, $range: DateRangeInput) { nodes(ids: $ids) { ... on Funnel { stats(period: $period, range: $range) { totals { ${figures} }
  steps { step { databaseId } figures { ${figures} } conversion { visitors reachedNext reachedAnyLater } } } } } }`

/** Returns the statistics of funnels, which must be those of the visits. */
async function readStats(world: World, funnels: readonly Named[]) {
  const read = async (period: object) => (await world.run(Stats, { ids: funnels.map(({ id }) => id), ...period })).nodes
  const counted = await read({ period: 'ALL' })
  // A period with a start is read from the visits.
  expect(await read({ range: { from: '2020-01-01', to: '2099-12-31' } })).toEqual(counted)
  return counted
}

it('visitors and conversion equal the visits, before and after they are counted', async () => {
  const clock = settableClock(new Date('2026-10-01T00:00:00Z'))
  const world = await newWorld({ server: await newServer({}, { clock }), subdomain: 'visited' })
  const { system } = world.server
  const funnels = [await world.funnel(), await world.funnel()] as [Named, Named]
  const steps: Named[] = []
  for (let n = 0; n < 4; n += 1) steps.push(await world.step(funnels[0]))
  const other = await world.step(funnels[1])
  const visit = async (n: number) => {
    clock.set(new Date(Date.parse('2026-10-01T00:00:00Z') + n * 3_600_000))
    // Some visits are recorded late, so that a visitor was on a later step first.
    const at = n % 4 === 0 ? { at: new Date(clock.now().getTime() - (n % 11) * 86_400_000).toISOString() } : {}
    const step = n % 9 === 0 ? other : (steps[(n * n + (n % 5)) % steps.length] as Named)
    await world.run(VisitRecord, {
      input: { stepId: step.id, visitorId: `v${(n * 7) % 13}`, isBot: n % 17 === 0, ...at },
    })
  }
  const visitMany = async (from: number, until: number) => {
    for (let n = from; n < until; n += 1) await visit(n)
  }
  const form = (steps[0] as Named & { form: Named }).form
  const read = 'query ($id: ID!) { form(id: $id) { questions { id } } }'
  const [question] = (await world.run(read, { id: form.id })).form.questions
  await world.submission(form, { complete: true, answers: [{ questionId: question.id, values: ['ada@example.com'] }] })
  await visitMany(1, 40)
  const first = await readStats(world, funnels)
  expect(first[0].stats.totals).toEqual({ visitors: 13, views: 33, optIns: 1 })
  await compactFigures(system)
  expect(await readStats(world, funnels)).toEqual(first)
  await visitMany(40, 90)
  const second = await readStats(world, funnels)
  await compactFigures(system)
  await compactFigures(system)
  expect(await readStats(world, funnels)).toEqual(second)
  expect(await checkFigures(system)).toEqual([])
  await visitMany(90, 110)

  await world.run(StepMove, { id: steps[3]?.id, position: 1 })
  const moved = await readStats(world, funnels)
  expect(moved[0].stats.totals).not.toEqual(second[0].stats.totals)
  await world.run('mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }', {
    id: steps[1]?.id,
  })
  steps.splice(1, 1)
  const deleted = await readStats(world, funnels)
  expect(deleted[0].stats.steps).toHaveLength(3)
  expect(deleted[0].stats.totals.views).toBeLessThan(moved[0].stats.totals.views)
  await visitMany(110, 130)
  await compactFigures(system)
  const last = await readStats(world, funnels)
  expect(await checkFigures(system)).toEqual([])
  await countRows(world, [source])
  expect(await readStats(world, funnels)).toEqual(last)
  expect(await checkFigures(system)).toEqual([])

  for (const change of ["first_at = first_at + interval '1 ms'", "last_at = first_at - interval '1 day'"]) {
    const before = await world.rows('SELECT * FROM step_visitor WHERE account_id = $1', [world.accountId])
    await world.rows(`UPDATE step_visitor SET ${change} WHERE account_id = $1`, [world.accountId])
    const found = await checkFigures(system)
    expect([change, ...found.map(({ figure }) => figure)]).toEqual([change, source])
    await world.rows('DELETE FROM step_visitor WHERE account_id = $1', [world.accountId])
    await world.rows('INSERT INTO step_visitor SELECT * FROM jsonb_populate_recordset(NULL::step_visitor, $1::jsonb)', [
      JSON.stringify(before),
    ])
  }
})

it('a funnel of very many steps is read from its visits, because its parts would grow with the square of them', async () => {
  const world = await newWorld({ subdomain: 'long' })
  const funnel = await world.funnel()
  for (let n = 0; n < 42; n += 1) {
    const step = await world.step(funnel)
    await world.run(VisitRecord, { input: { stepId: step.id, visitorId: 'v' } })
  }
  const read = async () => (await readStats(world, [funnel]))[0].stats.totals
  expect(await read()).toEqual({ visitors: 1, views: 42, optIns: 0 })
  await compactFigures(world.server.system)
  expect(await read()).toEqual({ visitors: 1, views: 42, optIns: 0 })
  const parts = await world.rows("SELECT FROM figure_part_delta WHERE account_id = $1 AND part LIKE 's:%'", [
    world.accountId,
  ])
  expect(parts).toEqual([])
  expect(await checkFigures(world.server.system)).toEqual([])
})

it('statistics of a funnel are the same at every moment while visits are recorded and counted', async () => {
  const world = await newWorld({ subdomain: 'busy' })
  const funnel = await world.funnel()
  const steps = [await world.step(funnel), await world.step(funnel)]
  let written = 0
  let isWriting = true
  const write = async (person: number) => {
    for (let n = 0; n < 30; n += 1) {
      await world.run(VisitRecord, { input: { stepId: steps[n % 2]?.id, visitorId: `v${(person + n) % 7}` } })
      written += 1
    }
  }
  const count = async () => {
    while (isWriting) await compactFigures(world.server.system)
  }
  const read = async () => {
    while (isWriting) {
      const least = written
      const [{ stats }] = (await world.run(Stats, { ids: [funnel.id], period: 'ALL' })).nodes
      expect(stats.totals.views).toBeGreaterThanOrEqual(least)
      expect(stats.totals.visitors).toBeLessThanOrEqual(7)
    }
  }
  const others = Promise.all([count(), count(), read()])
  await Promise.all([write(0), write(3)])
  isWriting = false
  await others
  await compactFigures(world.server.system)
  const [{ stats }] = await readStats(world, [funnel])
  expect(stats.totals).toEqual({ visitors: 7, views: 60, optIns: 0 })
})
