import { type Sql, sql } from '../../db/sql.ts'

/**
 * Returns the reason why a message `r` is skipped when its claim ends without a result, as SQL. Null if it is queued again: the
 * contact was not deleted, and the campaign was not cancelled.
 */
export function releaseReason(message: Sql): Sql {
  return sql`CASE WHEN ${message}.is_redacted THEN 'CONTACT_DELETED' WHEN NOT EXISTS (SELECT FROM mail_source s
      WHERE s.account_id = ${message}.account_id AND s.campaign_id = coalesce(${message}.campaign_id, 0))
    THEN 'CAMPAIGN_CANCELLED' END`
}
