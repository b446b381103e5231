import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const Days = `query ($id: ID!, $days: Int, $period: Period) { campaign(id: $id) {
  series(figure: UNIQUE_OPENS, firstDays: $days, period: $period) { since until total points { start value } } } }`

describe('the series of the first days of a campaign', () => {
  it('begins on the day of the first message, and ends after the days, or today', async () => {
    const world = await newWorld({ timezone: 'Asia/Tokyo' })
    const { id, databaseId } = await world.campaign()
    const read = async (days: number) => (await world.run(Days, { id, days })).campaign.series
    expect(await read(30)).toBeNull()
    const count = (figure: string, at: string) =>
      world.rows(
        `INSERT INTO figure_delta (account_id, figure, object, currency, at, value) VALUES ($1, $2, $3, '', $4::timestamptz, 1)`,
        [world.accountId, figure, `Campaign:${databaseId}`, at],
      )
    // 1 March in Tokyo.
    await count('SENDS', '2026-02-28T16:00:00Z')
    await count('SENDS', '2026-03-05T00:00:00Z')
    for (const at of ['2026-02-28T17:00:00Z', '2026-03-02T00:00:00Z', '2026-04-20T00:00:00Z']) {
      await count('UNIQUE_OPENS', at)
    }
    const series = await read(30)
    expect(series).toMatchObject({ since: '2026-02-28T15:00:00.000Z', until: '2026-03-30T15:00:00.000Z', total: '2' })
    expect(series.points).toHaveLength(30)
    expect(series.points.slice(0, 2).map(({ value }: { value: string }) => value)).toEqual(['1', '1'])
    const other = await world.campaign()
    await world.rows(
      `INSERT INTO figure_delta (account_id, figure, object, currency, at, value) VALUES ($1, 'SENDS', $2, '', now(), 1)`,
      [world.accountId, `Campaign:${other.databaseId}`],
    )
    expect((await world.run(Days, { id: other.id, days: 30 })).campaign.series.points).toHaveLength(1)
  })

  it('refuses other numbers of days, and a period beside them', async () => {
    const world = await newWorld()
    const { id } = await world.campaign()
    for (const variables of [{ days: 0 }, { days: 91 }, { days: 30, period: 'TODAY' }]) {
      const { extensions } = await world.fault(Days, { id, ...variables })
      expect(extensions, JSON.stringify(variables)).toMatchObject({ code: 'VALIDATION_ERROR' })
    }
  })
})
