import { beforeAll, describe, expect, it } from 'vitest'
import { funnelJobs } from '../../src/funnels/index.ts'
import { plansOf } from '../support/explain.ts'
import type { Named, World } from '../support/world.ts'
import { newShop, subdomain } from './documents.ts'

const job = funnelJobs['funnels:clean_up_visits']
const many = 100_000

/** Creates visits of a step by as many visitors in the last hours. */
async function createVisits({ accountId, rows }: World, funnel: Named, step: Named, count: number): Promise<void> {
  await rows(
    `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id)
     SELECT $1, now() - n * interval '10 ms', $2, $3, n FROM generate_series(1, $4::int) n`,
    [accountId, funnel.databaseId, step.databaseId, count],
  )
}
const visitsOf = async ({ accountId, rows }: World) =>
  (await rows<{ n: number }>('SELECT count(*)::int AS n FROM visit WHERE account_id = $1', [accountId]))[0]?.n

describe('beside an account with 100,000 visits', { timeout: 240_000 }, () => {
  let small: World
  let large: World
  let funnels: Named[]
  beforeAll(async () => {
    small = await newShop()
    large = await small.other({ subdomain: subdomain() })
    const funnel = await large.funnel()
    await createVisits(large, funnel, await large.step(funnel), many)
    funnels = [await small.funnel(), await small.funnel()]
    for (const own of funnels) await createVisits(small, own, await small.step(own), 50)
    // The sample is the part that PostgreSQL reads of a million rows, so it may miss the small account.
    await small.rows('BEGIN; SET LOCAL default_statistics_target = 10; ANALYZE visit; COMMIT')
  }, 240_000)

  it('statistics read only visits of the account', async () => {
    const ask = () => small.run('{ funnels { nodes { stats(groupBy: DAY) { totals { visitors } groups { date } } } } }')
    const { nodes } = (await ask()).funnels
    expect(nodes.map(({ stats }: { stats: { totals: object } }) => stats.totals)).toEqual([
      { visitors: 50 },
      { visitors: 50 },
    ])
    const plans = (await plansOf(small.server, ask)).filter(({ statement }) => statement.includes('FROM visit'))
    expect(plans).toHaveLength(1)
    expect(plans[0]?.looked).toBeLessThan(1_000)
    // The default partition is empty, so reading it costs nothing.
    expect(plans[0]?.scans.join()).not.toMatch(/Seq Scan visit_\d/)
  })

  it('statistics run as many statements for many funnels as for one', async () => {
    const ask = (first: number) => () =>
      small.run(
        'query ($n: Int) { funnels(first: $n) { nodes { stats { totals { views } steps { step { name } } } } } }',
        { n: first },
      )
    expect(await small.statements(ask(2))).toBe(await small.statements(ask(1)))
  })

  it('the visits and visitors of a deleted funnel are deleted even if that is requested repeatedly, and no others', async () => {
    const [gone, kept] = funnels as [Named, Named]
    const [step] = (await small.run('query ($id: ID!) { funnel(id: $id) { steps { id databaseId } } }', gone)).funnel
      .steps
    await createVisits(small, gone, step, 10_050)
    for (const [funnel, visitors] of [
      [gone, 10_050],
      [kept, 50],
    ] as const)
      await small.rows(
        `INSERT INTO step_visitor (account_id, funnel_id, visitor, step_id, first_at, last_at)
         SELECT $1, $2, n, $3, now(), now() FROM generate_series(1, $4::int) n`,
        [small.accountId, funnel.databaseId, step.databaseId, visitors],
      )
    const visitorsLeft = async () =>
      (await small.rows('SELECT FROM step_visitor WHERE account_id = $1', [small.accountId])).length
    await small.run('mutation ($id: ID!) { funnelDelete(input: { id: $id }) { deletedFunnelId } }', gone)
    const payload = { accountId: small.accountId, funnelId: gone.databaseId }
    for (let run = 0; run < 3; run += 1) {
      await job(small.server.system, payload)
      expect([await visitsOf(small), await visitorsLeft()]).toEqual([50, 50])
    }
    const [own] = (await small.run('query ($id: ID!) { funnel(id: $id) { steps { databaseId } } }', kept)).funnel.steps
    await job(small.server.system, {
      accountId: small.accountId,
      funnelId: kept.databaseId,
      stepId: own.databaseId + 1,
    })
    expect(await visitsOf(small)).toBe(50)
    // The IDs of one account do not exist in another.
    const [theirs] = (await large.run('{ funnels { nodes { databaseId } } }')).funnels.nodes
    await job(small.server.system, { accountId: small.accountId, funnelId: theirs.databaseId })
    expect(await visitsOf(large)).toBe(many)
  })
})
