import type { Ctx, System } from '../db/context.ts'
import { deleteOld } from '../db/retention.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Attribution } from '../kernel/attribution.ts'

/** What led a browser to the account's pages, at a time. */
export interface Touch {
  readonly visitorId: string
  readonly attribution: Attribution
  readonly at: Date
}

/** What led a browser here at first, and the last time; empty where that is not known. */
export interface Touches {
  readonly first: Attribution
  readonly last: Attribution
}

/** For how long a browser is remembered after it was last led here: as long as it keeps its cookie. */
const keptDays = 400

/**
 * Keeps what led visitors here, in one statement: the first of each stays, the last takes the place of the one before,
 * in whatever order they come. One that says nothing is nothing.
 */
export async function keepTouches(ctx: Ctx, touches: readonly Touch[]): Promise<void> {
  const rows = merged(touches)
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

/** What led a visitor here, first and last, by the id in its cookie. */
export async function touchesOf(ctx: Ctx, visitorId: string): Promise<Touches> {
  const [row] = await ctx.sql<Touches>`
    SELECT v.first_touch AS first, v.last_touch AS last FROM visitor v
    WHERE v.account_id = ${ctx.sql.account} AND v.id = ${visitorId}`
  return row ?? { first: {}, last: {} }
}

/**
 * The part of a larger statement that forgets what led the browsers of a contact here: those whose ids `visitorIds` selects,
 * and the one that created the contact.
 */
export function forgetting(tx: Ctx, contactId: number, visitorIds: Sql): Sql {
  return sql`DELETE FROM visitor v WHERE v.account_id = ${tx.sql.account} AND v.id IN (
    ${visitorIds} UNION ALL SELECT k.visitor_id FROM contact_claim k
    WHERE k.account_id = ${tx.sql.account} AND k.contact_id = ${contactId}::int)`
}

/** Forgets who was led here last longer ago than browsers keep a cookie. */
export async function forgetOld(system: System): Promise<void> {
  await deleteOld(system, { table: 'visitor', since: 'last_at', keptDays })
}

interface Row {
  id: string
  first: Attribution
  firstAt: Date
  last: Attribution
  lastAt: Date
}

/** A statement takes each visitor once. */
function merged(touches: readonly Touch[]): Row[] {
  const rows = new Map<string, Row>()
  for (const { visitorId: id, attribution, at } of touches) {
    if (Object.keys(attribution).length === 0) continue
    const row = rows.get(id) ?? { id, first: attribution, firstAt: at, last: attribution, lastAt: at }
    if (at < row.firstAt) Object.assign(row, { first: attribution, firstAt: at })
    if (at >= row.lastAt) Object.assign(row, { last: attribution, lastAt: at })
    rows.set(id, row)
  }
  return [...rows.values()]
}
