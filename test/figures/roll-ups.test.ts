// @module-tag rows
import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { newFigureJobs } from '../../src/figures/jobs.ts'
import { newMetrics } from '../../src/kernel/telemetry/metrics.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { start, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { seriesOf, seriesOfNode } from './documents.ts'
import { simulate } from './month.ts'

const day = { range: { from: '2026-01-01', to: '2026-01-01' } }

/** Adds changes of one figure at times of one day, and returns their sum. */
async function addChanges(world: World, count: number): Promise<number> {
  await world.rows(
    `INSERT INTO figure_delta (account_id, figure, object, currency, at, value)
     SELECT $1, 'SENDS', '', '', timestamptz '2026-01-01T06:00Z' + (i % 40) * interval '15 minutes', 1
     FROM generate_series(1, $2::int) i`,
    [world.accountId, count],
  )
  return count
}

const changesLeft = async (world: World, table = 'figure_delta') =>
  (await world.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n

/** The figures and the figures by parts: adds changes, and returns what reads their sum. */
const stores = [
  {
    table: 'figure_delta',
    count: 40_000,
    add: async (world: World, count: number) => {
      await addChanges(world, count)
      return async () => Number((await seriesOf(world, 'SENDS', day)).total)
    },
  },
  {
    table: 'figure_part_delta',
    count: 20_000,
    add: async (world: World, count: number) => {
      const { id, databaseId } = await world.campaign()
      await world.rows(
        `INSERT INTO figure_part_delta (account_id, figure, object, part, at, value)
         SELECT $1, 'LINK_CLICKS', 'Campaign:' || $2::int, 'https://a.io/' || i % 7, timestamptz '2026-01-01T06:00Z' + (i % 40) * interval '15 minutes', 1
         FROM generate_series(1, $3::int) i`,
        [world.accountId, databaseId, count],
      )
      const Links = 'query ($id: ID!) { campaign(id: $id) { links { clicks } } }'
      return async () => {
        const { campaign } = await world.run(Links, { id })
        return campaign.links.reduce((sum: number, { clicks }: { clicks: number }) => sum + clicks, 0)
      }
    },
  },
  {
    table: 'uncounted_visit',
    count: 20_000,
    add: async (world: World, count: number) => {
      const funnel = await world.funnel()
      const step = await world.step(funnel)
      await world.rows(
        `WITH visited AS (
           INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id)
           SELECT $1, now(), $2, $3, (i / 5)::text FROM generate_series(0, $4::int - 1) i RETURNING *
         ) INSERT INTO uncounted_visit (account_id, funnel_id, step_id, visitor, at)
           SELECT account_id, funnel_id, step_id, hashtextextended(visitor_id, 0), created_at FROM visited`,
        [world.accountId, funnel.databaseId, step.databaseId, count],
      )
      const Totals = 'query ($id: ID!) { funnel(id: $id) { stats(period: ALL) { totals { visitors views } } } }'
      return async () => {
        const { visitors, views } = (await world.run(Totals, { id: funnel.id })).funnel.stats.totals
        return visitors === count / 5 ? views : -1
      }
    },
  },
]

/** Kills a process of `compact.ts` at several times of its work. Returns whether it was once killed before its end. */
async function killRepeatedly(world: World, isDone: () => Promise<boolean>): Promise<boolean> {
  let wasKilled = false
  for (let delay = 0; delay < 400 && !(await isDone()); delay += 50) {
    const running = start('test/figures/compact.ts', [], { DATABASE_URL: world.server.databaseUrl })
    await running.line(/^ready/)
    await new Promise((resolve) => setTimeout(resolve, delay))
    running.signal('SIGKILL')
    await running.end
    wasKilled ||= !(await isDone())
  }
  return wasKilled
}

describe('the compaction', () => {
  it('keeps the sum beside writers and other compactions, at every moment', async () => {
    const world = await newWorld()
    const { system } = world.server
    let written = 0
    const write = async () => {
      for (let n = 0; n < 20; n += 1) written += await addChanges(world, 300)
    }
    const compact = async () => {
      for (let n = 0; n < 20; n += 1) await compactFigures(system)
    }
    let isWriting = true
    const read = async () => {
      for (let last = 0; isWriting; ) {
        const lower = written
        const total = Number((await seriesOf(world, 'SENDS', day)).total)
        expect(total).toBeGreaterThanOrEqual(Math.max(last, lower))
        last = total
      }
    }
    const reading = read()
    await Promise.all([write(), write(), compact(), compact()])
    isWriting = false
    await reading
    await compactFigures(system)
    expect(await changesLeft(world)).toBe(0)
    expect((await seriesOf(world, 'SENDS', day)).total).toBe('12000')
    expect(await world.rows('SELECT FROM figure_total WHERE account_id = $1', [world.accountId])).toHaveLength(50)
  })

  it.each(stores)('loses nothing of $table when its process is killed', async ({ table, count, add }) => {
    const world = await newWorld()
    const read = await add(world, count)
    expect(await killRepeatedly(world, async () => (await changesLeft(world, table)) === 0)).toBe(true)
    expect(await read()).toBe(count)
    await compactFigures(world.server.system)
    expect([await read(), await changesLeft(world, table)]).toEqual([count, 0])
  })
})

describe('the check', () => {
  it('finds no difference after 30 days, and reports an injected one', async () => {
    const { world, clock } = await simulate('2026-10-01T00:00:00Z', 30, 'Europe/Berlin')
    clock.set(new Date('2026-10-31T06:00:00Z'))
    const { system } = world.server
    expect(await checkFigures(system)).toEqual([])
    await compactFigures(system)
    expect(await checkFigures(system)).toEqual([])
    await world.rows(
      `INSERT INTO figure_delta (account_id, figure, object, currency, at, value)
       VALUES ($1, 'REVENUE', '', 'EUR', '2026-10-28T10:00Z', 0.01), ($1, 'OPENS', 'Campaign:1', '', '2026-10-29T10:00Z', -1),
         ($1, 'MRR', '', 'EUR', '2026-01-01T00:00Z', 3)`,
      [world.accountId],
    )
    const metrics = newMetrics()
    const logged: object[] = []
    const log = { ...system.log, warn: (drift: object) => logged.push(drift) }
    await newFigureJobs(metrics)['figures:check']?.({ ...system, log: log as never }, undefined as never)
    const common = { accountId: world.accountId, object: '', currency: 'EUR' }
    expect(logged).toEqual(
      expect.arrayContaining([
        { ...common, figure: 'REVENUE', rows: expect.any(String), figures: expect.any(String) },
        { ...common, figure: 'MRR', rows: expect.any(String), figures: expect.any(String) },
        { ...common, figure: 'OPENS', object: 'Campaign:1', currency: '', rows: '12', figures: '11' },
      ]),
    )
    expect(logged).toHaveLength(3)
    expect(await metrics.text()).toContain('campanile_figure_drift{figure="REVENUE"} 1')
  })
})

describe('messages', () => {
  it('are counted for the account, the campaign, the sequence and the stage', async () => {
    const server = await newServer({ ROLES: 'api,worker' })
    const world = await newWorld({ server })
    await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
    const contacts = await Promise.all([1, 2, 3].map(() => world.contact({ emailMarketing: true })))
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true, timeValue: 0 })
    const campaign = await sendCampaign(world)
    await waitForStatus(world, campaign.id, 'SENT')
    await world.subscribe(contacts[0] as { id: string }, sequence)
    const total = async (object: readonly [string, { id: string }]) =>
      (await seriesOfNode(world, object, 'SENDS')).total
    await until(async () => (await total(['Sequence', sequence])) === '1')
    expect(await total(['Campaign', campaign])).toBe('3')
    expect(await total(['SequenceStage', stage])).toBe('1')
    expect((await seriesOf(world, 'SENDS')).total).toBe('4')
    expect(await checkFigures(server.system)).toEqual([])
    const readStats = () =>
      world.run(
        `query ($campaign: ID!, $sequence: ID!) {
          campaign(id: $campaign) { stats { ...of } } sequence(id: $sequence) { stats { ...of } stages { stats { ...of } } } }
        fragment of on MailStats { sent opened clicked unsubscribed bounced }`,
        { campaign: campaign.id, sequence: sequence.id },
      )
    const nothing = { opened: 0, clicked: 0, unsubscribed: 0, bounced: 0 }
    const [three, one] = [3, 1].map((sent) => ({ stats: { ...nothing, sent } }))
    const expected = { campaign: three, sequence: { ...one, stages: [one] } }
    expect(await readStats()).toEqual(expected)
    await compactFigures(server.system)
    expect(await readStats()).toEqual(expected)
  })
})
