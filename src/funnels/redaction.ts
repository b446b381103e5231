import type { Ctx } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { redaction, visitors } from '../forms/index.ts'

/**
 * Redacts the visits of a contact that is about to be deleted: they keep its id and the advertisement that led to them.
 * Forgets where its browsers came from, and the opt-ins that wait for its confirmation.
 */
export async function redact(tx: Ctx, contactId: number): Promise<void> {
  await tx.sql`
    WITH redacted AS (
      UPDATE visit v SET attribution = ${redaction.impersonal(sql`v.attribution`)}
      WHERE v.account_id = ${tx.sql.account} AND v.contact_id = ${contactId}::int RETURNING v.visitor_id
    ), forgotten AS (${visitors.deletionOfVisitors(tx, contactId, sql`SELECT visitor_id FROM redacted`)}
    )
    DELETE FROM confirmation WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int`
}
