import type { Ctx } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { redaction, visitors } from '../forms/index.ts'

/**
 * Redacts the visits of a contact before its deletion: they keep the id of the contact, and the attribution parameters that
 * are not personal. Deletes the visitors of its browsers and the confirmations of its opt-ins.
 */
export async function redact(tx: Ctx, contactId: number): Promise<void> {
  await tx.sql`
    WITH redacted AS (
      UPDATE visit v SET attribution = ${redaction.impersonal(sql`v.attribution`)}
      WHERE v.account_id = ${tx.sql.account} AND v.contact_id = ${contactId}::int RETURNING v.visitor_id
    ), deleted AS (${visitors.deletionOfVisitors(tx, contactId, sql`SELECT visitor_id FROM redacted`)}
    )
    DELETE FROM confirmation WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int`
}
