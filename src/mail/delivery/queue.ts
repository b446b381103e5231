import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Marks the unsent messages of enrolments as SKIPPED. */
export async function skipEnrolments(tx: Ctx, enrolmentIds: readonly number[]): Promise<void> {
  if (enrolmentIds.length === 0) return
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED'
    WHERE account_id = ${tx.sql.account} AND enrolment_id = ANY(${enrolmentIds}::int[])
      AND state IN ('QUEUED', 'CLAIMED')`
}

/** Marks the unsent messages of a sequence, or of one of its stages, as SKIPPED. */
export async function skipSequence(tx: Ctx, sequenceId: number, stageId: number | null = null): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED'
    WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId}
      AND (${stageId}::int IS NULL OR stage_id = ${stageId}::int) AND state IN ('QUEUED', 'CLAIMED')`
}

/** Deletes the queued messages of a stage, so that they can be queued again. */
export async function removeQueued(tx: Ctx, sequenceId: number, stageId: number): Promise<void> {
  await tx.sql`
    DELETE FROM mail_recipient WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId} AND stage_id = ${stageId}
      AND state = 'QUEUED'`
}

/** A message of a stage to the contact of an enrolment. */
export interface StageMessage {
  readonly enrolmentId: number
  readonly stageId: number
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
): Promise<{ enrolmentId: number; stageId: number; isDone: boolean }[]> {
  if (messages.length === 0) return []
  const now = tx.clock.now()
  const messageRows = rowsOf(messages)
  await tx.sql`
    INSERT INTO mail_recipient (account_id, enrolment_id, stage_id, sequence_id, contact_id, email_id, created_at, due_at)
    SELECT ${tx.sql.account}::int, x."enrolmentId", x."stageId", x."sequenceId", x."contactId", x."emailId", ${now}::timestamptz,
      ${now}::timestamptz FROM ${messageRows} ORDER BY x."enrolmentId"
    ON CONFLICT (account_id, enrolment_id, stage_id) DO NOTHING`
  return tx.sql`
    SELECT r.enrolment_id AS "enrolmentId", r.stage_id AS "stageId",
      r.state NOT IN ('QUEUED', 'CLAIMED', 'HANDING_OVER') AS "isDone"
    FROM ${messageRows} JOIN mail_recipient r ON r.account_id = ${tx.sql.account} AND r.enrolment_id = x."enrolmentId"
      AND r.stage_id = x."stageId"`
}

/** Returns whether an enrolment has its message of a stage. */
export async function isEnqueued(ctx: Ctx, enrolmentId: number, stageId: number): Promise<boolean> {
  const rows = await ctx.sql`
    SELECT 1 FROM mail_recipient
    WHERE account_id = ${ctx.sql.account} AND enrolment_id = ${enrolmentId} AND stage_id = ${stageId}`
  return rows.length > 0
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
