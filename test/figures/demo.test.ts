import { expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/reconciliation.ts'
import { newDemo } from '../support/demo.ts'
import { seriesOf } from './documents.ts'

it('the demonstration has figures over several weeks, which equal its rows, and a bulk job', async () => {
  const world = await newDemo()
  for (const figure of ['NEW_CONTACTS', 'SENDS', 'UNIQUE_OPENS', 'ORDERS', 'MRR']) {
    const { points } = await seriesOf(world, figure, { interval: 'WEEK' })
    expect(points.filter(({ value }) => Number(value) > 0).length, figure).toBeGreaterThan(2)
  }
  expect(await checkFigures(world.server.system)).toEqual([])
  const { nodes } = (await world.run('{ bulkJobs { nodes { status changed done apiKey { name } } } }')).bulkJobs
  expect(nodes).toMatchObject([{ status: 'COMPLETED', apiKey: { name: 'demo' } }])
  expect(nodes[0].changed).toBeGreaterThan(0)
})
