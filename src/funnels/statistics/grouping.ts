import { type Sql, sql } from '../../db/sql.ts'
import type { VisitQuery } from './conversion.ts'

const timeGroupings = ['DAY', 'WEEK', 'MONTH'] as const
export type TimeGrouping = (typeof timeGroupings)[number]

export const groupings = [...timeGroupings, 'UTM_SOURCE', 'UTM_CAMPAIGN', 'AD_ID'] as const
export type Grouping = (typeof groupings)[number]

/** Returns whether groups are days, weeks or months, whose keys are their first days. */
export function isTime(groupBy: Grouping | null): groupBy is TimeGrouping {
  return (timeGroupings as readonly (string | null)[]).includes(groupBy)
}

/** Arguments of the statements of statistics. */
export interface StatisticsQuery extends VisitQuery {
  groupBy: Grouping | null
  zone: string
}

/** What a row of a statement counts: the whole funnel, a step, or a group. */
export type Level = 'funnel' | 'step' | 'group'

/** Returns the grouping sets of a statement with the columns funnel_id, step_id and key, and the columns that name a group. */
export function setsOf(groupBy: Grouping | null): { readonly sets: Sql; readonly place: Sql } {
  const sets =
    groupBy === null
      ? sql`GROUPING SETS ((funnel_id), (funnel_id, step_id))`
      : sql`GROUPING SETS ((funnel_id), (funnel_id, step_id), (funnel_id, key))`
  const level =
    groupBy === null
      ? sql`CASE GROUPING(step_id) WHEN 1 THEN 'funnel' ELSE 'step' END`
      : sql`CASE GROUPING(step_id, key) WHEN 3 THEN 'funnel' WHEN 1 THEN 'step' ELSE 'group' END`
  return {
    sets,
    place: sql`funnel_id, step_id, ${groupBy === null ? sql`NULL::text AS key` : sql`key`}, ${level} AS level`,
  }
}

/** Returns the key of the group of a row: the first day of a day, week or month as `YYYY-MM-DD`, or an attribution value. */
export function keyOf({ groupBy, zone }: StatisticsQuery, at: Sql, attribution: Sql): Sql {
  const local = sql`${at} AT TIME ZONE ${zone}`
  switch (groupBy) {
    case null:
      return sql`NULL::text`
    case 'DAY':
      return sql`to_char(${local}, 'YYYY-MM-DD')`
    case 'WEEK':
      return sql`to_char(date_trunc('week', ${local}), 'YYYY-MM-DD')`
    case 'MONTH':
      return sql`to_char(${local}, 'YYYY-MM-01')`
    default:
      return sql`coalesce(${attribution}->>${groupBy.toLowerCase()}, '')`
  }
}
