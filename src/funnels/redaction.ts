import { impersonalAttribution } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { visitors } from '../forms/index.ts'

/**
 * Redacts the visits of contacts before their deletion: they keep the id of the contact, and the attribution parameters that
 * are not personal. Deletes the visitors of their browsers and the confirmations of their opt-ins.
 */
export async function redact(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  await tx.sql`
    WITH redacted AS (
      UPDATE visit v SET attribution = ${impersonalAttribution(sql`v.attribution`)}
      WHERE v.account_id = ${tx.sql.account} AND v.contact_id = ANY(${contactIds}::int[]) RETURNING v.visitor_id
    ), deleted AS (${visitors.deletionOfVisitors(tx, contactIds, sql`SELECT visitor_id FROM redacted`)}
    )
    DELETE FROM confirmation WHERE account_id = ${tx.sql.account} AND contact_id = ANY(${contactIds}::int[])`
}

/** Gives the visits and the unconfirmed opt-ins of a contact to another one. */
export async function merge(tx: Ctx, fromId: number, intoId: number): Promise<void> {
  await tx.sql`
    UPDATE visit SET contact_id = ${intoId}::int
    WHERE account_id = ${tx.sql.account} AND contact_id = ${fromId}::int`
  await tx.sql`
    UPDATE confirmation SET contact_id = ${intoId}::int
    WHERE account_id = ${tx.sql.account} AND contact_id = ${fromId}::int`
}
