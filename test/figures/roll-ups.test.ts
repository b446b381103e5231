import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { fillFigures } from '../../src/figures/fill.ts'
import { newFigureJobs } from '../../src/figures/jobs.ts'
import { newMetrics } from '../../src/kernel/metrics.ts'
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
    count: 200_000,
    add: async (world: World, count: number) => {
      await addChanges(world, count)
      return async () => Number((await seriesOf(world, 'SENDS', day)).total)
    },
  },
  {
    table: 'figure_part_delta',
    count: 50_000,
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
    count: 50_000,
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
async function killRepeatedly(world: World, job: string, isDone: () => Promise<boolean>): Promise<boolean> {
  let wasKilled = false
  for (let delay = 0; delay < 400 && !(await isDone()); delay += 50) {
    const running = start('test/figures/compact.ts', [job], { DATABASE_URL: world.server.databaseUrl })
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
    expect(await killRepeatedly(world, 'compact', async () => (await changesLeft(world, table)) === 0)).toBe(true)
    expect(await read()).toBe(count)
    await compactFigures(world.server.system)
    expect([await read(), await changesLeft(world, table)]).toEqual([count, 0])
  })
})

/** Makes an account look as if it existed before figures were counted, and was upgraded two hours ago. */
async function forget(world: World): Promise<void> {
  const account = [world.accountId]
  await world.rows('DELETE FROM figure_delta WHERE account_id = $1', account)
  await world.rows('DELETE FROM figure_total WHERE account_id = $1', account)
  await world.rows('DELETE FROM figure_part_delta WHERE account_id = $1', account)
  await world.rows('DELETE FROM figure_part_total WHERE account_id = $1', account)
  await world.rows('DELETE FROM latest_message WHERE account_id = $1', account)
  await world.rows(
    `INSERT INTO figure_fill SELECT $1, unnest(ARRAY['contact', 'contact_consent', 'contact_tag', 'mail_recipient', 'mail_open', 'mail_click',
       'order', 'billing_subscription', 'submission', 'visit', 'submission_parts', 'mail_click_parts', 'enrolment_parts', 'latest_message', 'step_visitor']), $2::timestamptz`,
    [world.accountId, new Date(Date.now() - 2 * 3_600_000)],
  )
}

const accountFigures = [
  ...['REVENUE', 'ORDERS', 'MRR', 'CHURNED_SUBSCRIPTIONS', 'CHURNED_MRR'],
  ...['SENDS', 'OPENS', 'UNIQUE_OPENS', 'CLICKS', 'UNIQUE_CLICKS', 'UNSUBSCRIBES'],
]

describe('older rows', () => {
  it('are counted exactly, beside changes of them', async () => {
    const { world, form, step, clock } = await simulate('2026-10-01T00:00:00Z', 30, 'Europe/Berlin')
    const range = { range: { from: '2026-10-01', to: '2026-10-31' } }
    const read = async () => [
      ...(await Promise.all(accountFigures.map(async (figure) => (await seriesOf(world, figure, range)).points))),
      (await seriesOfNode(world, ['Form', form], 'SUBMISSIONS_STARTED', range)).points,
      (await seriesOfNode(world, ['FunnelStep', step], 'VISITS', range)).points,
      (await seriesOfNode(world, ['FunnelStep', step], 'OPT_INS', range)).points,
    ]
    await world.rows("UPDATE billing_subscription SET status = 'ACTIVE', ended_at = NULL WHERE status = 'ERROR'")
    const order = await world.order({ status: 'COMPLETED', createdAt: '2026-10-02T10:00:00Z' })
    await compactFigures(world.server.system)
    await forget(world)
    const since = (await seriesOf(world, 'REVENUE', range)).completeSince
    expect(Date.parse(since ?? '')).toBeGreaterThan(0)
    // Nothing is counted within an hour of the upgrade.
    await world.rows('UPDATE figure_fill SET complete_since = $1', [clock.now()])
    await fillFigures(world.server.system)
    expect((await seriesOf(world, 'REVENUE', range)).total).toBe('0.00')
    await world.run('mutation ($id: ID!) { orderRefund(input: { id: $id }) { order { id } } }', order)
    expect((await seriesOf(world, 'REVENUE', range)).total).toBe('-12.00')
    await world.rows('UPDATE figure_fill SET complete_since = $1', [new Date(clock.now().getTime() - 7_200_000)])
    await fillFigures(world.server.system)
    expect(await checkFigures(world.server.system)).toEqual([])
    const filled = await read()
    expect((await seriesOf(world, 'REVENUE', range)).completeSince).toBeNull()
    await Promise.all([fillFigures(world.server.system), compactFigures(world.server.system)])
    expect(await read()).toEqual(filled)
    const revenue = 'query ($range: DateRangeInput) { revenue(range: $range) { amount { amount } } }'
    expect((await seriesOf(world, 'REVENUE', range)).total).toBe(
      (await world.run(revenue, range)).revenue[0].amount.amount,
    )
  })

  it('are counted once when the process is killed', async () => {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO mail_recipient (account_id, contact_id, campaign_id, state, created_at, sent_at, opened_at)
       SELECT $1, i, 1, 'SENT', now(), '2026-01-01T06:00Z', '2026-01-01T08:00Z' FROM generate_series(1, 100000) i`,
      [world.accountId],
    )
    await forget(world)
    const left = async () => (await world.rows('SELECT FROM figure_fill WHERE source = $1', ['mail_recipient'])).length
    expect(await killRepeatedly(world, 'fill', async () => (await left()) === 0)).toBe(true)
    // The database may still roll back the work of the killed process, which the next one skips and the one after it does.
    await until(async () => {
      await fillFigures(world.server.system)
      return (await left()) === 0
    })
    expect((await seriesOf(world, 'SENDS', day)).total).toBe('100000')
    expect((await seriesOf(world, 'UNIQUE_OPENS', day)).total).toBe('100000')
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
    // Without the roll-ups, rows are counted.
    await forget(world)
    expect(await readStats()).toEqual(expected)
  })
})
