import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Takes what enrolments have in the queue out of it: who has left is not written to any more. */
export async function skipOfEnrolments(tx: Ctx, enrolmentIds: readonly number[]): Promise<void> {
  if (enrolmentIds.length === 0) return
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED'
    WHERE account_id = ${tx.sql.account} AND enrolment_id = ANY(${enrolmentIds}::int[])
      AND state IN ('QUEUED', 'CLAIMED')`
}

/** Takes what a sequence has in the queue out of it: all of it, or what comes from one stage. */
export async function skipOfSequence(tx: Ctx, sequenceId: number, stageId: number | null = null): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED'
    WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId}
      AND (${stageId}::int IS NULL OR stage_id = ${stageId}::int) AND state IN ('QUEUED', 'CLAIMED')`
}

/** Takes back what comes from a stage and was not sent: as if it had never been asked for. */
export async function withdraw(tx: Ctx, sequenceId: number, stageId: number): Promise<void> {
  await tx.sql`
    DELETE FROM mail_recipient WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId} AND stage_id = ${stageId}
      AND state = 'QUEUED'`
}

/** A message that a stage asks for. */
export interface FromStage {
  readonly enrolmentId: number
  readonly stageId: number
  readonly sequenceId: number
  readonly contactId: number
  readonly emailId: number | null
}

/**
 * Puts messages of stages into the queue, and answers what became of all of them so far: exactly one message is there for
 * an enrolment and a stage, however often it is asked for. The caller opens the account's source afterwards.
 */
export async function add(
  tx: Ctx,
  messages: readonly FromStage[],
): Promise<{ enrolmentId: number; stageId: number; isDone: boolean }[]> {
  if (messages.length === 0) return []
  const now = tx.clock.now()
  const given = rowsOf(messages)
  await tx.sql`
    INSERT INTO mail_recipient (account_id, enrolment_id, stage_id, sequence_id, contact_id, email_id, created_at, due_at)
    SELECT ${tx.sql.account}::int, x."enrolmentId", x."stageId", x."sequenceId", x."contactId", x."emailId", ${now}::timestamptz,
      ${now}::timestamptz FROM ${given} ORDER BY x."enrolmentId"
    ON CONFLICT (account_id, enrolment_id, stage_id) DO NOTHING`
  return tx.sql`
    SELECT r.enrolment_id AS "enrolmentId", r.stage_id AS "stageId",
      r.state NOT IN ('QUEUED', 'CLAIMED', 'HANDING_OVER') AS "isDone"
    FROM ${given} JOIN mail_recipient r ON r.account_id = ${tx.sql.account} AND r.enrolment_id = x."enrolmentId"
      AND r.stage_id = x."stageId"`
}

/** Whether a stage has its message for an enrolment. */
export async function has(ctx: Ctx, enrolmentId: number, stageId: number): Promise<boolean> {
  const rows = await ctx.sql`
    SELECT 1 FROM mail_recipient
    WHERE account_id = ${ctx.sql.account} AND enrolment_id = ${enrolmentId} AND stage_id = ${stageId}`
  return rows.length > 0
}

/**
 * Writes down a message that did not go by e-mail, with what became of it. It has no time of sending: what was sent, opened
 * and clicked are figures of e-mail.
 */
export async function addDone(tx: Ctx, message: FromStage, state: 'SENT' | 'FAILED', answer: string): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    INSERT INTO mail_recipient (account_id, enrolment_id, stage_id, sequence_id, contact_id, state, answer, created_at, due_at)
    SELECT ${tx.sql.account}::int, x."enrolmentId", x."stageId", x."sequenceId", x."contactId", ${state}::recipient_state,
      ${answer}, ${now}::timestamptz, ${now}::timestamptz FROM ${rowsOf([message])}
    ON CONFLICT (account_id, enrolment_id, stage_id) DO NOTHING`
}

function rowsOf(messages: readonly FromStage[]): Sql {
  return sql`jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
    AS x("enrolmentId" int, "stageId" int, "sequenceId" int, "contactId" int, "emailId" int)`
}
