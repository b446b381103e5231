import type { Ctx } from '../../../db/context.ts'
import { type Sql, sql } from '../../../db/sql.ts'

/** Marks the unsent messages of enrolments as SKIPPED. */
export async function skipEnrolments(tx: Ctx, enrolmentIds: readonly number[]): Promise<void> {
  if (enrolmentIds.length === 0) return
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED', skip_reason = 'ENROLMENT_ENDED', skipped_at = ${tx.clock.now()}::timestamptz
    WHERE account_id = ${tx.sql.account} AND enrolment_id = ANY(${enrolmentIds}::int[])
      AND state IN ('QUEUED', 'CLAIMED')`
}

/** Marks unsent messages as SKIPPED. */
export async function skipMessages(tx: Ctx, keys: readonly MessageKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.sql`
    UPDATE mail_recipient r SET state = 'SKIPPED', skip_reason = 'ENROLMENT_ENDED', skipped_at = ${tx.clock.now()}::timestamptz
    FROM ${keyed(tx, keys)} AND r.state::text IN ('QUEUED', 'CLAIMED')`
}

/** Deletes queued messages, so that they can be queued again. */
export async function removeQueued(tx: Ctx, keys: readonly MessageKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.sql`DELETE FROM mail_recipient r USING ${keyed(tx, keys)} AND r.state::text = 'QUEUED'`
}

/** The message of a stage to an enrolment, which has one at most. */
interface MessageKey {
  readonly enrolmentId: number
  readonly stageId: number
}

/** A message of a stage to the contact of an enrolment. */
export interface StageMessage extends MessageKey {
  readonly sequenceId: number
  readonly contactId: number
  readonly emailId: number | null
}

/**
 * Puts messages of stages into the queue, and returns for each whether it has its final state. Idempotent: an enrolment has
 * one message per stage. The caller must open the account's source afterwards.
 */
export async function enqueue(
  tx: Ctx,
  messages: readonly StageMessage[],
): Promise<(MessageKey & { readonly isDone: boolean })[]> {
  if (messages.length === 0) return []
  const now = tx.clock.now()
  const messageRows = rowsOf(messages)
  await tx.sql`
    INSERT INTO mail_recipient (account_id, enrolment_id, stage_id, sequence_id, contact_id, email_id, created_at, due_at)
    SELECT ${tx.sql.account}::int, x."enrolmentId", x."stageId", x."sequenceId", x."contactId", x."emailId", ${now}::timestamptz,
      ${now}::timestamptz FROM ${messageRows} ORDER BY x."enrolmentId"
    ON CONFLICT (account_id, enrolment_id, stage_id) DO NOTHING`
  return findMessages(tx, messages)
}

/** Returns those of the messages that were queued, and for each whether it has its final state. */
export async function findMessages(
  ctx: Ctx,
  keys: readonly MessageKey[],
): Promise<(MessageKey & { readonly isDone: boolean })[]> {
  if (keys.length === 0) return []
  return ctx.sql`
    SELECT r.enrolment_id AS "enrolmentId", r.stage_id AS "stageId",
      r.state NOT IN ('QUEUED', 'CLAIMED', 'SENDING') AS "isDone"
    FROM mail_recipient r, ${keyed(ctx, keys)}`
}

/**
 * Records a message that is not an e-mail, with its final state. `sent_at` stays null, because statistics count e-mail only.
 */
export async function addCompleted(
  tx: Ctx,
  message: StageMessage,
  state: 'SENT' | 'FAILED',
  answer: string,
): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    INSERT INTO mail_recipient (account_id, enrolment_id, stage_id, sequence_id, contact_id, state, answer, created_at, due_at)
    SELECT ${tx.sql.account}::int, x."enrolmentId", x."stageId", x."sequenceId", x."contactId", ${state}::recipient_state,
      ${answer}, ${now}::timestamptz, ${now}::timestamptz FROM ${rowsOf([message])}
    ON CONFLICT (account_id, enrolment_id, stage_id) DO NOTHING`
}

function rowsOf(messages: readonly StageMessage[]): Sql {
  return sql`jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
    AS x("enrolmentId" int, "stageId" int, "sequenceId" int, "contactId" int, "emailId" int)`
}

/** Selects the messages `r` with these keys: the rest of a FROM clause, to which conditions are appended with AND. */
function keyed(ctx: Ctx, keys: readonly MessageKey[]): Sql {
  const own = keys.map(({ enrolmentId, stageId }) => ({ enrolmentId, stageId }))
  return sql`jsonb_to_recordset(${JSON.stringify(own)}::jsonb) AS x("enrolmentId" int, "stageId" int)
    WHERE r.account_id = ${ctx.sql.account} AND r.enrolment_id = x."enrolmentId" AND r.stage_id = x."stageId"`
}
