import type { Ctx } from '../kernel/context.ts'

/** Takes what enrolments have in the queue out of it: who has left is not written to any more. */
export async function skipOfEnrolments(tx: Ctx, enrolmentIds: readonly number[]): Promise<void> {
  if (enrolmentIds.length === 0) return
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED'
    WHERE account_id = ${tx.sql.account} AND enrolment_id = ANY(${enrolmentIds}::int[]) AND state = 'QUEUED'`
}

/** Takes what a sequence has in the queue out of it: all of it, or what comes from one stage. */
export async function skipOfSequence(tx: Ctx, sequenceId: number, stageId: number | null = null): Promise<void> {
  await tx.sql`
    UPDATE mail_recipient SET state = 'SKIPPED'
    WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId}
      AND (${stageId}::int IS NULL OR stage_id = ${stageId}::int) AND state = 'QUEUED'`
}
