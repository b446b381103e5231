import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { announcing } from '../suppressions/suppressions.ts'
import * as latestMessages from '../tracking/latest-messages.ts'

/** A contact that is merged into another one, or into which another one is merged. */
interface MergedContact {
  readonly id: number
  readonly email: string
}

/** Returns the SQL condition that a message in a state was sent, may have been sent, or is being sent. */
function isReached(state: Sql): Sql {
  return sql`${state}::text IN ('SENDING', 'SENT', 'BOUNCED', 'UNKNOWN')`
}

/** Returns the SQL order of messages: those that reached the contact, those that are open, others. */
function rank(state: Sql): Sql {
  return sql`CASE WHEN ${isReached(state)} THEN 2 WHEN ${state}::text IN ('QUEUED', 'CLAIMED') THEN 1 ELSE 0 END`
}

/** Returns the stages whose message reached the contact of an enrolment. */
export async function reachedStages(
  tx: Ctx,
  enrolmentIds: readonly number[],
): Promise<{ enrolmentId: number; stageId: number }[]> {
  return tx.sql`
    SELECT r.enrolment_id AS "enrolmentId", r.stage_id AS "stageId" FROM mail_recipient r
    WHERE r.account_id = ${tx.sql.account} AND r.enrolment_id = ANY(${[...enrolmentIds]}::int[])
      AND ${isReached(sql`r.state`)}`
}

/**
 * Gives the messages of a contact to another one. If a campaign has messages to both, the target gets the one that was sent, or
 * else keeps its own. The other one stays with the bare id of the source: it is skipped if it is open. Claimed messages are
 * queued again, so that they are rendered for the target. Complaints and manual suppressions also apply to the target's
 * address, which **emits** `suppression.created`.
 */
export async function mergeMessages(tx: Ctx, from: MergedContact, into: MergedContact): Promise<void> {
  await separateWorse(tx, from.id, into.id)
  const now = tx.clock.now()
  await tx.sql`
    UPDATE mail_recipient r SET contact_id = ${into.id}::int, worker_id = CASE WHEN r.state <> 'CLAIMED' THEN r.worker_id END,
      due_at = CASE WHEN r.state = 'CLAIMED' THEN ${now}::timestamptz ELSE r.due_at END,
      state = CASE WHEN r.state = 'CLAIMED' THEN 'QUEUED' ELSE r.state END
    WHERE r.account_id = ${tx.sql.account} AND r.contact_id = ${from.id}::int AND NOT r.is_redacted
      AND NOT EXISTS (SELECT FROM mail_recipient o WHERE o.account_id = r.account_id AND o.campaign_id = r.campaign_id
        AND o.contact_id = ${into.id}::int)`
  await setAside(tx, from.id, into.id)
  await latestMessages.readAgain(tx, [from.id, into.id])
  await tx.sql`
    UPDATE unsubscribe_answer SET contact_id = ${into.id}::int
    WHERE account_id = ${tx.sql.account} AND contact_id = ${from.id}::int`
  for (const table of [sql`mail_open`, sql`mail_click`])
    await tx.sql`
      UPDATE ${table} SET contact_id = ${into.id}::int
      WHERE account_id = ${tx.sql.account} AND contact_id = ${from.id}::int AND NOT is_bot`
  await tx.sql`
    UPDATE mail_source s SET due_at = ${now}::timestamptz
    WHERE s.account_id = ${tx.sql.account} AND (s.due_at IS NULL OR s.due_at > ${now}::timestamptz)
      AND s.campaign_id IN (SELECT coalesce(r.campaign_id, 0) FROM mail_recipient r
        WHERE r.account_id = ${tx.sql.account} AND r.contact_id = ANY(${[from.id, into.id]}::int[]))`
  await tx.sql`
    WITH copied AS (
      INSERT INTO suppression (account_id, email, reason, detail, created_at)
      SELECT x.account_id, ${into.email}, x.reason, x.detail, x.created_at FROM suppression x
      WHERE x.account_id = ${tx.sql.account} AND address_key(x.email) = address_key(${from.email}) AND x.reason <> 'BOUNCE'
      ON CONFLICT (account_id, address_key(email)) DO NOTHING RETURNING account_id, id, email
    ) ${announcing(tx, 'suppression.created', sql`copied`)}`
}

/** Moves the target's messages that rank below those of the source out of the way. A negative id is that of no contact. */
async function separateWorse(tx: Ctx, fromId: number, intoId: number): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient r SET contact_id = -${intoId}::int FROM mail_recipient o
    WHERE r.account_id = ${tx.sql.account} AND r.contact_id = ${intoId}::int AND o.account_id = r.account_id
      AND o.campaign_id = r.campaign_id AND o.contact_id = ${fromId}::int AND NOT o.is_redacted
      AND ${rank(sql`o.state`)} > ${rank(sql`r.state`)}`
}

/** Redacts the second message of each campaign, and skips it unless it was sent. */
async function setAside(tx: Ctx, fromId: number, intoId: number): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient r SET contact_id = ${fromId}::int, is_redacted = true, answer = NULL,
      state = CASE WHEN r.state IN ('QUEUED', 'CLAIMED') THEN 'SKIPPED' ELSE r.state END,
      skip_reason = CASE WHEN r.state IN ('QUEUED', 'CLAIMED') THEN 'CONTACT_DELETED' ELSE r.skip_reason END,
      skipped_at = CASE WHEN r.state IN ('QUEUED', 'CLAIMED') THEN ${tx.clock.now()}::timestamptz ELSE r.skipped_at END
    WHERE r.account_id = ${tx.sql.account} AND r.contact_id = ANY(${[fromId, -intoId]}::int[])`
}
