import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

type Hours = readonly [from: number, until: number]

/** The rules of one row. Days are ISO weekdays, hours are minutes of the day. */
interface Rules {
  readonly daysOff: readonly number[]
  readonly quiet: Hours | null
  readonly window: Hours | null
}

/** Rules whose hours begin and end at times that do not exist, or exist twice, when clocks change. */
const rules: Rules[] = [
  { daysOff: [], quiet: [22 * 60, 8 * 60], window: null },
  { daysOff: [], quiet: [0, 2 * 60 + 30], window: null },
  { daysOff: [7], quiet: [2 * 60 + 30, 3 * 60], window: null },
  { daysOff: [6, 7], quiet: null, window: [2 * 60, 2 * 60 + 30] },
]

/** Each changes its clocks twice in the year: by an hour, in the south by half an hour, and at midnight. */
const zones = ['Europe/Paris', 'Australia/Lord_Howe', 'America/Santiago']

const isWithin = ([from, until]: Hours, minute: number) =>
  from < until ? minute >= from && minute < until : minute >= from || minute < until

const stepMs = 30 * 60_000
const start = Date.UTC(2027, 0, 1)
const count = (365 * 24 * 60 * 60_000) / stepMs
/** How much later than necessary hours can end: as much as clocks are put forward. */
const longestGapMs = 60 * 60_000

describe('sending_time', () => {
  it.each(zones)('returns the first allowed time in a year in %s', { timeout: 30_000 }, async (zone) => {
    const world = await newWorld()
    const locals = Array.from({ length: count + 1 }, (_, n) => {
      const { hour, minute, weekday } = DateTime.fromMillis(start + n * stepMs, { zone })
      return { weekday, minute: hour * 60 + minute }
    })
    for (const { daysOff, quiet, window } of rules) {
      const found = await world.rows<{ at: Date; reason: string | null }>(
        `SELECT t.allowed_at AS at, t.reason::text FROM generate_series(0, $1::int) n, sending_time($2::timestamptz + n * interval '30 minutes',
          $3, 'UTC', $4::int[], $5::int, $6::int, $7::int, $8::int) t ORDER BY n`,
        [count, new Date(start), zone, daysOff, ...(quiet ?? [null, null]), ...(window ?? [null, null])],
      )
      const allowed = locals.map(
        ({ weekday, minute }) =>
          !daysOff.includes(weekday) && !(quiet && isWithin(quiet, minute)) && (!window || isWithin(window, minute)),
      )
      const faults: unknown[] = []
      let next = Number.POSITIVE_INFINITY
      for (let n = count; n >= 0; n -= 1) {
        const at = start + n * stepMs
        if (allowed[n]) next = at
        const { at: end = new Date(0), reason = null } = found[n] ?? {}
        const late = end.getTime() - next
        const isRight = allowed[n]
          ? late === 0 && reason === null
          : late >= 0 && late <= longestGapMs && reason !== null
        const isEndAllowed = allowed[(end.getTime() - start) / stepMs]
        if (next < Number.POSITIVE_INFINITY && !(isRight && isEndAllowed)) faults.push([new Date(at), end, reason])
      }
      expect(faults).toEqual([])
    }
  })

  it('uses the zone of the account for a zone that it does not know, and ignores a window within the quiet hours', async () => {
    const world = await newWorld()
    const [row] = await world.rows(
      `SELECT (SELECT allowed_at FROM sending_time('2027-01-01 23:00Z', 'Moon/Base', 'Europe/Paris', '{}', 0, 360, NULL, NULL)) = '2027-01-02 05:00Z' AS a,
        (SELECT allowed_at FROM sending_time('2027-01-01 23:30Z', '', 'UTC', '{}', 1320, 360, 1380, 60)) = '2027-01-02 06:00Z' AS b`,
    )
    expect(row).toEqual({ a: true, b: true })
  })
})
