import { firstPlaces, type UsedBlock } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emitAll } from '../../events/index.ts'
import { type SequenceStage, stageTable } from '../planning/progress.ts'

/** Selects the `email_id` of all stages. */
export function emailsOf(ctx: Ctx): Sql {
  return sql`SELECT g.email_id ${stageTable.from(ctx)} AND g.email_id IS NOT NULL`
}

/** Selects what the stage of a message `r` says about the rules of the account. A stage has no window. */
export const holdActions: Sql = sql`SELECT g.frequency_cap_action, g.quiet_hours_action, NULL::smallint, NULL::smallint
  FROM sequence_stage g WHERE g.account_id = r.account_id AND g.id = r.stage_id`

/** Returns those of the e-mails that belong to stages. */
export async function ofStages(ctx: Ctx, emailIds: readonly number[]): Promise<number[]> {
  const stages = await withEmails(ctx, emailIds)
  return stages.flatMap(({ emailId }) => emailId ?? [])
}

/** Emits `sequence_stage.updated` for the stages whose e-mail was made again. */
export async function announceContent(tx: Ctx, emailIds: readonly number[]): Promise<void> {
  await emitAll(
    tx,
    'sequence_stage.updated',
    (await withEmails(tx, emailIds)).map(({ id: stageId, sequenceId }) => ({ stageId, sequenceId })),
  )
}

async function withEmails(ctx: Ctx, emailIds: readonly number[]): Promise<SequenceStage[]> {
  return stageTable.select(ctx, sql`AND g.email_id = ANY(${emailIds}::int[]) ORDER BY g.id`)
}

/** Returns the stages whose message contains reusable blocks, by id of the block. */
export function placesOfBlocks(ctx: Ctx, blockIds: readonly number[]): Promise<UsedBlock[]> {
  const uses = sql`
    SELECT u.reusable_block_id AS "blockId", g.id, g.name
    FROM sequence_stage g JOIN reusable_block_use u ON u.account_id = g.account_id AND u.email_id = g.email_id
    WHERE g.account_id = ${ctx.sql.account} AND u.reusable_block_id = ANY(${blockIds}::int[])`
  return firstPlaces(ctx, 'SequenceStage', uses)
}
