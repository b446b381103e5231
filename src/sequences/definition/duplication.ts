import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { nameOfCopy } from '../../kernel/copies.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { emails } from '../../mail/index.ts'
import { changesContacts, type StageAction } from '../actions/stage-action.ts'
import { stagesOf } from '../planning/progress.ts'
import { lockShared, type Sequence } from './sequences.ts'

const Copy = z.object({ name: name(255).optional() })

/**
 * Creates a sequence with the type and the stages of another one. The stages have copies of the e-mails, and are inactive, so
 * that nothing is sent before they were activated. Enrolments and statistics are not copied. An action that names the
 * original names the copy. The name defaults to `Copy of …`.
 *
 * Emits `sequence.created`, but no event for each stage. Throws NOT_FOUND, VALIDATION_ERROR, and FORBIDDEN if an action of a
 * stage changes contacts and the key may not.
 */
export async function duplicate(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined },
): Promise<{ sequence: Sequence }> {
  const { name: newName } = check(Copy, sent({ name: input.name }))
  return inTransaction(ctx, async (tx) => {
    const source = await lockShared(tx, input.id)
    const stages = await tx.load(stagesOf, source.id)
    if (stages.some(({ action }) => changesContacts(action as StageAction | null))) mustBeAllowed(tx, 'contacts:write')
    const emailIds = stages.flatMap(({ emailId }) => emailId ?? [])
    const emailCopies = await emails.copyAll(tx, emailIds)
    const [accountId, now] = [tx.accountId, tx.clock.now()]
    const copyName = newName ?? nameOfCopy(source.name)
    const sequence = await tx.db.sequence.create({
      data: { accountId, name: copyName, type: source.type, createdAt: now, updatedAt: now },
    })
    await tx.sql`
      INSERT INTO sequence_stage (account_id, sequence_id, step, name, stage_type, time_value, time_type, email_id, action,
        sms_text, frequency_cap_action, quiet_hours_action, created_at, updated_at)
      SELECT g.account_id, ${sequence.id}::int, g.step, g.name, g.stage_type, g.time_value, g.time_type, m.copy_id,
        CASE WHEN g.action->'sequenceId' = to_jsonb(g.sequence_id)
          THEN g.action || jsonb_build_object('sequenceId', ${sequence.id}::int) ELSE g.action END,
        g.sms_text, g.frequency_cap_action, g.quiet_hours_action, ${now}::timestamptz, ${now}::timestamptz
      FROM sequence_stage g LEFT JOIN unnest(${emailIds}::int[], ${emailIds.map((id) => emailCopies.get(id) ?? null)}::int[])
        AS m(id, copy_id) ON m.id = g.email_id
      WHERE g.account_id = ${tx.sql.account} AND g.sequence_id = ${source.id} ORDER BY g.step, g.id`
    await emit(tx, 'sequence.created', { sequenceId: sequence.id })
    return { sequence }
  })
}
