import type { Attribution } from '../../contacts/index.ts'
import type { Ctx, System } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'

/** Attribution of a visit at a point in time. */
interface Touch {
  readonly visitorId: string
  readonly attribution: Attribution
  readonly at: Date
}

/** First-touch and last-touch attribution of a visitor; empty if unknown. */
export interface Touches {
  readonly first: Attribution
  readonly last: Attribution
}

/** Days for which a visitor is stored after its last touch. Equals the lifetime of the cookie. */
const keptDays = 400

/**
 * Stores touches of visitors in one statement. The earliest touch of a visitor is its first touch and the latest its last
 * touch, in whatever order they are stored. Touches without attribution are ignored.
 */
export async function recordTouches(ctx: Ctx, touches: readonly Touch[]): Promise<void> {
  const rows = mergeTouches(touches)
  if (rows.length === 0) return
  await ctx.sql`
    INSERT INTO visitor AS v (account_id, id, first_touch, first_at, last_touch, last_at)
    SELECT ${ctx.sql.account}::int, t.id, t.first, t."firstAt", t.last, t."lastAt"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS t(id text, first jsonb, "firstAt" timestamptz, last jsonb, "lastAt" timestamptz)
    ORDER BY t.id
    ON CONFLICT (account_id, id) DO UPDATE SET
      first_touch = CASE WHEN excluded.first_at < v.first_at THEN excluded.first_touch ELSE v.first_touch END,
      first_at = least(excluded.first_at, v.first_at),
      last_touch = CASE WHEN excluded.last_at >= v.last_at THEN excluded.last_touch ELSE v.last_touch END,
      last_at = greatest(excluded.last_at, v.last_at)`
}

/** Returns the first and the last touch of a visitor. */
export async function findTouches(ctx: Ctx, visitorId: string): Promise<Touches> {
  const [row] = await ctx.sql<Touches>`
    SELECT v.first_touch AS first, v.last_touch AS last FROM visitor v
    WHERE v.account_id = ${ctx.sql.account} AND v.id = ${visitorId}`
  return row ?? { first: {}, last: {} }
}

/**
 * Returns the part of a larger statement that deletes the visitors of contacts: those whose ids `visitorIds` selects, and
 * those that created the contacts.
 */
export function deletionOfVisitors(tx: Ctx, contactIds: readonly number[], visitorIds: Sql): Sql {
  return sql`DELETE FROM visitor v WHERE v.account_id = ${tx.sql.account} AND v.id IN (
    ${visitorIds} UNION ALL SELECT k.visitor_id FROM contact_claim k
    WHERE k.account_id = ${tx.sql.account} AND k.contact_id = ANY(${contactIds}::int[]))`
}

/** Deletes visitors whose last touch is older than the lifetime of the cookie. */
export async function removeOldVisitors(system: System): Promise<void> {
  await removeOld(system, { table: 'visitor', since: 'last_at', keptDays })
}

interface VisitorTouches {
  id: string
  first: Attribution
  firstAt: Date
  last: Attribution
  lastAt: Date
}

/** Merges touches by visitor, because a statement cannot update a row twice. */
function mergeTouches(touches: readonly Touch[]): VisitorTouches[] {
  const rows = new Map<string, VisitorTouches>()
  for (const { visitorId: id, attribution, at } of touches) {
    if (Object.keys(attribution).length === 0) continue
    const row = rows.get(id) ?? { id, first: attribution, firstAt: at, last: attribution, lastAt: at }
    if (at < row.firstAt) Object.assign(row, { first: attribution, firstAt: at })
    if (at >= row.lastAt) Object.assign(row, { last: attribution, lastAt: at })
    rows.set(id, row)
  }
  return [...rows.values()]
}
