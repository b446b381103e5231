import type { Ctx, System } from '../../db/context.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import type { FailureCause } from '../failures/failure-causes.ts'
import { suppress } from './suppressions.ts'

/** How long an address is remembered after its last failure. */
const keptDays = 400

/** A message that was not delivered, without a fault of the sender. */
interface SoftBounce {
  readonly recipientId: bigint
  readonly contactId: number
  readonly email: string
  readonly cause: FailureCause
  readonly detail: string
}

/**
 * Counts a soft bounce, once for each message. Suppresses the address when as many failed in a row, over as many days, as the
 * account has set (`softBounceLimit`, `softBounceDays`), without a delivery in between: a message that was sent after a failure
 * and did not fail, or one that was opened or clicked since. Returns whether it suppressed the address.
 */
export async function countSoftBounce(tx: Ctx, bounce: SoftBounce): Promise<boolean> {
  const { recipientId, contactId, email, cause, detail } = bounce
  const id = String(recipientId)
  const now = tx.clock.now()
  const [row] = await tx.sql<{ isOver: boolean; failures: number }>`
    INSERT INTO failing_address AS f (account_id, email, failures, first_failed_at, last_failed_at, recipient_id)
    VALUES (${tx.sql.account}::int, address_key(${email}::text), 1, ${now}::timestamptz, ${now}::timestamptz, ${id}::bigint)
    ON CONFLICT (account_id, email) DO UPDATE SET (failures, first_failed_at, last_failed_at, recipient_id) = (
      SELECT CASE WHEN d.is_delivered THEN 1 ELSE least(f.failures + 1, 32767) END,
        CASE WHEN d.is_delivered THEN excluded.first_failed_at ELSE f.first_failed_at END,
        excluded.last_failed_at, excluded.recipient_id
      FROM (SELECT EXISTS (
        SELECT FROM mail_recipient r WHERE r.account_id = f.account_id AND r.contact_id = ${contactId}::int
          AND (r.state = 'SENT' AND r.failed_at IS NULL AND r.id > f.recipient_id AND r.id < excluded.recipient_id
            OR r.opened_at > f.last_failed_at OR r.clicked_at > f.last_failed_at)) AS is_delivered) d)
    WHERE f.recipient_id < excluded.recipient_id
    RETURNING failures, (SELECT a.soft_bounce_limit > 0 AND f.failures >= a.soft_bounce_limit
      AND f.last_failed_at - f.first_failed_at >= make_interval(days => a.soft_bounce_days)
      FROM account a WHERE a.id = f.account_id) AS "isOver"`
  if (!row?.isOver) return false
  return suppress(tx, {
    email,
    reason: 'BOUNCE',
    cause,
    detail: `${row.failures} failures in a row: ${detail}`.slice(0, 500).toWellFormed(),
  })
}

/** Deletes addresses whose last failure is old. */
export async function removeOldSoftBounces(system: System): Promise<void> {
  await removeOld(system, { table: 'failing_address', since: 'last_failed_at', keptDays })
}
