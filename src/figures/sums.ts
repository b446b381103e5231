import { type Ctx, type Loader, many } from '../db/context.ts'
import type { Limits } from '../kernel/values/intervals.ts'
import { identityOf } from '../kernel/values/page.ts'

/** The sum of the changes in an interval. Bucket 0 is the time before the first limit. */
interface Sum {
  readonly bucket: number
  readonly value: string
}

export type Sums = readonly Sum[]

/** Start of time, for figures that are the sum of all changes. */
const beginning = '0001-01-01T00:00:00Z'

/**
 * Returns a loader of sums by figure, objects and currency. One statement reads the sums of all figures and parents of a request
 * that have the same intervals. It reads the totals and the changes that are not added yet in one snapshot. Intervals of the
 * period before are numbered from 1, followed by those of the period.
 */
export function sumsBetween({ previous, current }: Limits): Loader<string, Sum[]> {
  const limits = [...previous, ...current.slice(1)]
  const [from, until] = [limits[0] as Date, limits.at(-1) as Date]
  const batch = async (ctx: Ctx, keys: readonly string[]) => {
    const wanted = keys.flatMap((key, place) => {
      const { figure, objects, currency, isState } = JSON.parse(key) as Key
      const since = isState ? beginning : from
      return objects.map((object) => ({ place, figure, object, currency, since }))
    })
    const rows = await ctx.sql<Sum & { place: number }>`
      SELECT w.place, width_bucket(c.at, ${limits}::timestamptz[]) AS bucket, sum(c.value)::text AS value
      FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        AS w(place int, figure text, object text, currency text, since timestamptz)
      CROSS JOIN LATERAL (
        SELECT t.at, t.value FROM figure_total t WHERE t.account_id = ${ctx.sql.account} AND t.figure = w.figure
          AND t.object = w.object AND t.currency = w.currency AND t.minutes = ${minutesOf(limits)}::int AND t.at >= w.since AND t.at < ${until}::timestamptz
        UNION ALL
        SELECT d.at, d.value FROM figure_delta d WHERE d.account_id = ${ctx.sql.account} AND d.figure = w.figure
          AND d.object = w.object AND d.currency = w.currency AND d.at >= w.since AND d.at < ${until}::timestamptz
      ) c GROUP BY 1, 2`
    const byKey = new Map<string, Sum[]>(keys.map((key) => [key, []]))
    for (const row of rows) byKey.get(keys[row.place] as string)?.push(row)
    return byKey
  }
  return { ...many<string, Sum>(batch), name: `figures ${identityOf(limits)}` }
}

/** Returns which totals to read: those of hours, of which there are fewer, unless a limit is within an hour in UTC. */
function minutesOf(limits: readonly Date[]): 15 | 60 {
  return limits.every((limit) => limit.getTime() % 3_600_000 === 0) ? 60 : 15
}

/** The figure, the objects and the currency of a key. */
interface Key {
  readonly figure: string
  readonly objects: readonly string[]
  readonly currency: string
  readonly isState: boolean
}
