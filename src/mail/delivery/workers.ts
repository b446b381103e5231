import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inSystemTransaction } from '../../db/transaction.ts'
import { refund } from './claims.ts'

/** After how many seconds without a sign of life a worker loses what it has taken on. Much longer than any pause of a live one. */
const deadAfterSeconds = 30

/** What is said of a message whose worker died while it was handing it over. */
const ambiguous = 'The process that was handing it over ended before the server had answered.'

/** Signs a worker on; answers its number. The database's clock counts, for machines differ. */
export async function signOn(system: System): Promise<number> {
  const [row] = await system.db.$unscoped<{ id: number }>(
    'a worker serves all accounts',
    sql`INSERT INTO mail_worker (seen_at) VALUES (now()) RETURNING id`,
  )
  return (row as { id: number }).id
}

/**
 * A sign of life. Answers how many workers there are, with this one; 0 where it was taken for dead: what it had taken on is
 * no longer its own.
 */
export async function beat(system: System, workerId: number): Promise<number> {
  const [row] = await system.db.$unscoped<{ workers: number }>(
    'a worker serves all accounts',
    sql`UPDATE mail_worker SET seen_at = now() WHERE id = ${workerId} RETURNING (SELECT count(*)::int FROM mail_worker) AS workers`,
  )
  return row?.workers ?? 0
}

/** Signs a worker off; what it leaves in its hands is swept up like a dead one's. */
export async function signOff(system: System, workerId: number): Promise<void> {
  await system.db.$unscoped('a worker serves all accounts', sql`DELETE FROM mail_worker WHERE id = ${workerId}`)
}

interface Swept {
  accountId: number
  isFree: boolean
}

/**
 * Takes from dead workers what they had taken on. What was only claimed is free again, or left out where its campaign was
 * cancelled. What was being handed over may have been sent or not: a campaign's message is left as unknown, for nobody gets
 * one twice by itself; a sequence's is sent again, under the same Message-ID. Messages to deleted contacts are not sent
 * again: they are skipped, or unknown. Returns how many messages.
 */
export async function sweep(system: System): Promise<number> {
  const swept = await inSystemTransaction(system, async (tx) => {
    await tx.db.$executeRaw`
      DELETE FROM mail_worker WHERE id IN (SELECT id FROM mail_worker
        WHERE seen_at < now() - make_interval(secs => ${deadAfterSeconds}) FOR UPDATE SKIP LOCKED)`
    return tx.db.$queryRaw<Swept[]>`
      WITH left_behind AS (
        SELECT r.account_id, r.id, r.state FROM mail_recipient r WHERE r.state IN ('CLAIMED', 'HANDING_OVER')
          AND NOT EXISTS (SELECT FROM mail_worker w WHERE w.id = r.worker_id) FOR UPDATE SKIP LOCKED
      ), freed AS (
        UPDATE mail_recipient r SET worker_id = NULL,
          state = CASE WHEN l.state = 'HANDING_OVER' AND (r.enrolment_id IS NULL OR r.is_redacted) THEN 'UNKNOWN'
            WHEN NOT r.is_redacted AND EXISTS (SELECT FROM mail_source s WHERE s.account_id = r.account_id
              AND s.campaign_id = coalesce(r.campaign_id, 0)) THEN 'QUEUED' ELSE 'SKIPPED' END::recipient_state,
          answer = CASE WHEN l.state = 'HANDING_OVER' AND (r.enrolment_id IS NULL OR r.is_redacted) THEN ${ambiguous} ELSE r.answer END
        FROM left_behind l WHERE r.account_id = l.account_id AND r.id = l.id
        RETURNING r.account_id, coalesce(r.campaign_id, 0) AS campaign_id, r.state
      ), woken AS (
        UPDATE mail_source s SET due_at = least(s.due_at, ${tx.clock.now()}::timestamptz) FROM (SELECT DISTINCT account_id, campaign_id FROM freed) f
        WHERE s.account_id = f.account_id AND s.campaign_id = f.campaign_id
      )
      SELECT account_id AS "accountId", state <> 'UNKNOWN' AS "isFree" FROM freed`
  })
  const free = Map.groupBy(
    swept.filter(({ isFree }) => isFree),
    ({ accountId }) => accountId,
  )
  for (const [accountId, rows] of free) await refund(system, accountId, rows.length)
  return swept.length
}
