import { beforeAll, describe, expect, it } from 'vitest'
import { plansOf } from '../support/explain.ts'
import { newWorld, type World } from '../support/world.ts'

const List = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: [CampaignOrderInput!]) {
  campaigns(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
    nodes { name stats { sent openRate clickRate unsubscribeRate bounceRate } } pageInfo { startCursor endCursor } } }`

const rates = [
  ['OPEN_RATE', 'openRate'],
  ['CLICK_RATE', 'clickRate'],
  ['UNSUBSCRIBE_RATE', 'unsubscribeRate'],
  ['BOUNCE_RATE', 'bounceRate'],
] as const

/** Sent messages, and what happened to them. More opens than messages count as all messages. */
const campaigns: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  a: { SENDS: 4, UNIQUE_OPENS: 2, UNIQUE_CLICKS: 1, BOUNCES: 1, REJECTIONS: 1 },
  b: { SENDS: 3, UNIQUE_OPENS: 1, UNSUBSCRIBES: 1 },
  // Its bounce rate is between those of `a` with and without the rejected message.
  c: { SENDS: 100, UNIQUE_OPENS: 50, UNIQUE_CLICKS: 3, UNSUBSCRIBES: 1, BOUNCES: 22 },
  d: { SENDS: 2, UNIQUE_OPENS: 3, BOUNCES: 2 },
  never: {},
  alsoNever: { REJECTIONS: 0 },
}

describe('the rates of campaigns', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    for (const [name, figures] of Object.entries(campaigns)) {
      const { databaseId } = await world.campaign({ name })
      for (const [figure, value] of Object.entries(figures)) {
        const values = [world.accountId, figure, `Campaign:${databaseId}`, value]
        await world.rows(
          `INSERT INTO figure_total (account_id, figure, object, currency, minutes, at, value)
           SELECT $1, $2, $3, '', minutes, '2026-01-01T00:00:00Z', $4 FROM unnest(ARRAY[15, 60]) minutes`,
          values,
        )
        // A correction that is not added to the totals yet.
        await world.rows(
          `INSERT INTO figure_delta (account_id, figure, object, currency, at, value)
           SELECT $1, $2, $3, '', '2026-01-02T00:00:00Z', n FROM unnest(ARRAY[1, -1]) n WHERE $4::int > 0`,
          values,
        )
      }
    }
  })

  async function walk(field: string, direction: string, isBackward = false) {
    const found: { name: string; stats: Record<string, number> }[] = []
    for (let cursor: string | undefined; ; ) {
      const page = isBackward ? { last: 2, before: cursor } : { first: 2, after: cursor }
      const { nodes, pageInfo } = (await world.run(List, { ...page, orderBy: [{ field, direction }] })).campaigns
      if (nodes.length === 0) return found
      found.splice(isBackward ? 0 : found.length, 0, ...nodes)
      cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor
    }
  }

  it.each(rates)('sort campaigns by %s, those without messages last in both directions', async (field, rate) => {
    for (const direction of ['ASC', 'DESC']) {
      const all = await walk(field, direction)
      expect(all).toHaveLength(6)
      expect(
        all
          .slice(-2)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['alsoNever', 'never'])
      const values = all.slice(0, -2).map(({ stats }) => stats[rate] ?? 0)
      const ascending = [...values].sort((one, other) => one - other)
      expect(values).toEqual(direction === 'ASC' ? ascending : ascending.toReversed())
      expect(new Set(values).size).toBeGreaterThan(1)
      expect(await walk(field, direction, true)).toEqual(all)
    }
  })

  it('are read by the primary keys of the roll-ups', async () => {
    await world.rows(
      `INSERT INTO figure_total (account_id, figure, object, currency, minutes, at, value)
       SELECT $1, 'SENDS', 'Campaign:' || 1000000 + n, '', 60, '2026-01-01T00:00:00Z', 1 FROM generate_series(1, 20000) n`,
      [world.accountId],
    )
    await world.rows('ANALYZE figure_total')
    const orderBy = [{ field: 'OPEN_RATE', direction: 'DESC' }]
    const plans = await plansOf(world.server, () => world.run(List, { first: 2, orderBy }))
    const page = plans.find(({ statement }) => /figure_total/.test(statement) && /campaign/.test(statement))
    const scans = page?.scans.filter((scan) => /figure/.test(scan)) ?? []
    expect(scans.filter((scan) => !/^Index.* figure_(total|delta)_pkey$/.test(scan))).toEqual([])
    expect(scans).not.toHaveLength(0)
    expect(page?.looked).toBeLessThan(200)
  })
})
