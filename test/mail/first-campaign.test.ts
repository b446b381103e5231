// @module-tag rows
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'
import { analyseAfterCampaign, readRowsAFewTimes } from './first-campaign.ts'
import { createSubscribers, newSender } from './sending.ts'
import { newSink } from './sink.ts'

describe('the first import and campaign of a new account', { timeout: 120_000 }, () => {
  it('read each row a few times with statistics of another account', () => readRowsAFewTimes(analyseAfterCampaign))
})

describe('a worker', () => {
  it('analyses tables after bulk work, without autovacuum', async () => {
    const sink = await newSink()
    const world = await newWorld({ server: await newSender(sink.url) })
    const rowsOf = async () =>
      Number(
        (await world.rows<{ n: number }>("SELECT reltuples AS n FROM pg_class WHERE oid = 'contact'::regclass"))[0]?.n,
      )
    await world.rows('ALTER TABLE contact SET (autovacuum_enabled = off)')
    await world.rows('ANALYZE contact')
    expect(await rowsOf()).toBe(0)
    await createSubscribers(world, 5_000)
    await until(async () => (await rowsOf()) === 5_000)
  })
})
