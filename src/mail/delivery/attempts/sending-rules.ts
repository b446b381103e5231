import { frequency } from '../../../contacts/index.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import { defaultZone } from '../../../kernel/values/period.ts'
import { ports } from '../../ports.ts'

/** Delay after which a message is requested again because another worker decides about one to the same contact. */
const busyMs = 1_000

/**
 * Selects the limits on the messages to a contact, of which each one holds: at most `n` in so many `days`. They are that of the
 * account, and what the contact chose. `a` is the account and `r` the message.
 */
const limits = sql`SELECT a.frequency_cap::int AS n, a.frequency_cap_days::int AS days WHERE a.frequency_cap > 0
  UNION ALL ${frequency.chosenLimit(sql`r.account_id`, sql`r.contact_id`)}`

/**
 * Selects what happens to the message `r` if a rule of its account holds it back, and no row otherwise: its `state`, which is
 * QUEUED or SKIPPED, the `rule`, and the time `until` which it holds. `rule` is null if another worker decides about the
 * contact at the moment. `v` has the `verdict` on the message so far, and the `time_zone` of the contact. Locks the contact for
 * other workers until the transaction ends (`frequency_hold`), so the statement that starts the attempt must evaluate it once.
 */
export function holdOf(now: Date): Sql {
  const busyUntil = new Date(now.getTime() + busyMs)
  const accountZone = sql`coalesce(a.timezone, ${defaultZone})`
  return sql`
    SELECT h.rule, h.until, CASE CASE WHEN h.rule = 'FREQUENCY_CAP' THEN h.frequency_cap_action
        WHEN h.rule IN ('QUIET_HOURS', 'DAY_OFF') THEN h.quiet_hours_action END WHEN 'SKIP' THEN 'SKIPPED' ELSE 'QUEUED' END::recipient_state AS state
    FROM (
      SELECT o.*, coalesce(t.reason, CASE WHEN f.until > '-infinity' THEN 'FREQUENCY_CAP' END::delay_reason) AS rule,
        CASE WHEN t.reason IS NOT NULL THEN t.allowed_at WHEN f.until > '-infinity' THEN f.until ELSE ${busyUntil}::timestamptz END AS until
      FROM account a CROSS JOIN LATERAL (${ports.holdActions()}) o
        CROSS JOIN LATERAL sending_time(${now}::timestamptz, v.time_zone, ${accountZone}, a.days_off::int[], a.quiet_from, a.quiet_until,
          o.window_from, o.window_until) t
        CROSS JOIN LATERAL (SELECT CASE WHEN t.reason IS NULL THEN (
          SELECT frequency_hold(r.account_id, r.contact_id, r.id, r.attempts > 0, array_agg(l.n), array_agg(l.days), ${now}::timestamptz)
          FROM (${limits}) l HAVING count(*) > 0) END AS until OFFSET 0) f
      WHERE a.id = r.account_id AND v.verdict = 'SENDING' AND (t.reason IS NOT NULL OR f.until IS NOT NULL) OFFSET 0) h`
}
