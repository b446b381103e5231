import { describe, expect, it } from 'vitest'
import type { Named, World } from '../support/world.ts'
import { newShop, VisitRecord } from './documents.ts'

const Conversion = `query ($id: ID!, $period: Period, $range: DateRangeInput, $filter: [AttributionInput!]) { funnel(id: $id) {
  stats(period: $period, range: $range, filter: $filter) { steps {
    conversion { visitors reachedNext reachedAnyLater nextRate laterRate } } } } }`
const none = { visitors: 0, reachedNext: 0, reachedAnyLater: 0, nextRate: 0, laterRate: 0 }
const read = async (world: World, { id }: Named, args: object = {}) =>
  (await world.run(Conversion, { id, period: 'ALL', ...args })).funnel.stats.steps.map(
    ({ conversion }: { conversion: object }) => conversion,
  )
const at = (minute: number) => `2026-02-01T10:${String(minute).padStart(2, '0')}:00Z`

async function visit(world: World, step: Named, visitorId: string, minute: number, more: object = {}) {
  await world.run(VisitRecord, { input: { stepId: step.id, visitorId, at: at(minute), ...more } })
}

describe('conversion of the steps of a funnel', () => {
  it('counts visitors who visited the next and any later step afterwards', async () => {
    const world = await newShop()
    const [funnel, empty] = [await world.funnel(), await world.funnel()]
    const [one, two, three] = [await world.step(funnel), await world.step(funnel), await world.step(funnel)]
    const steps = [one, two, three]
    await world.step(empty)
    // All steps in order.
    for (const [minute, step] of steps.entries()) await visit(world, step, 'all', minute)
    // Skips the second step.
    await visit(world, one, 'skips', 0)
    await visit(world, three, 'skips', 1)
    // Comes back from the second step, and does not continue.
    await visit(world, two, 'back', 0)
    await visit(world, one, 'back', 1)
    // Comes back, and continues.
    await visit(world, two, 'again', 0)
    await visit(world, one, 'again', 1)
    await visit(world, two, 'again', 2)
    await visit(world, one, 'leaves', 0)
    for (const [minute, step] of steps.entries()) await visit(world, step, 'robot', minute, { isBot: true })

    const expected = [
      { visitors: 5, reachedNext: 2, reachedAnyLater: 3, nextRate: 0.4, laterRate: 0.6 },
      { visitors: 3, reachedNext: 1, reachedAnyLater: 1, nextRate: 1 / 3, laterRate: 1 / 3 },
      { ...none, visitors: 2 },
    ]
    expect(await read(world, funnel)).toEqual(expected)
    expect(await read(world, empty)).toEqual([none])
    expect(await read(world, funnel, { period: 'TODAY' })).toEqual([none, none, none])
    const list = `{ funnels(orderBy: { direction: ASC }) { nodes { stats(period: ALL) { steps {
      conversion { visitors reachedNext reachedAnyLater nextRate laterRate } } } } } }`
    const { funnels } = await world.run(list)
    expect(funnels.nodes[0].stats.steps.map((step: { conversion: object }) => step.conversion)).toEqual(expected)
  })

  it('uses the order of the steps, the period and the attribution of the visits', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [one, two] = [await world.step(funnel), await world.step(funnel)]
    const news = { attribution: [{ key: 'UTM_SOURCE', value: 'news' }] }
    await visit(world, one, 'ada', 0, news)
    await visit(world, two, 'ada', 1, news)
    await visit(world, one, 'bob', 0)
    await visit(world, two, 'bob', 1)
    const reached = async (args: object) =>
      (await read(world, funnel, args)).map((each: { visitors: number; reachedNext: number }) => [
        each.visitors,
        each.reachedNext,
      ])
    expect(await reached({})).toEqual([
      [2, 2],
      [2, 0],
    ])
    expect(await reached({ filter: [{ key: 'UTM_SOURCE', value: 'news' }] })).toEqual([
      [1, 1],
      [1, 0],
    ])
    await visit(world, two, 'late', 0, { at: '2026-02-02T12:00:00Z' })
    await visit(world, one, 'late', 0, { at: '2026-02-01T12:00:00Z' })
    const range = { from: '2026-02-01', to: '2026-02-01' }
    expect(await reached({ period: null, range })).toEqual([
      [3, 2],
      [2, 0],
    ])
    const move = 'mutation ($input: FunnelStepMoveInput!) { funnelStepMove(input: $input) { step { position } } }'
    await world.run(move, { input: { id: two.id, position: 1 } })
    expect(await reached({ period: null, range })).toEqual([
      [2, 0],
      [3, 0],
    ])
  })
})
