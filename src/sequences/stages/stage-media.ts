import type { PlaceSource } from '../../content/index.ts'
import { emitAll } from '../../events/index.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'

/** The e-mails of stages as places of media files. `replace` does not change the e-mails themselves. */
export const mediaPlaces: PlaceSource = {
  find: async (ctx, emailIds) => {
    const rows = await ctx.sql<{ emailId: number; id: number; title: string }>`
      SELECT g.email_id AS "emailId", g.id, q.name || ': ' || g.name AS title FROM sequence_stage g
      JOIN sequence q ON q.account_id = g.account_id AND q.id = g.sequence_id
      WHERE g.account_id = ${ctx.sql.account} AND g.email_id = ANY(${emailIds}::int[])`
    return new Map(
      rows.map(({ emailId, id, title }) => [emailId, { type: 'SequenceStage', id, title, needs: 'sequences:read' }]),
    )
  },
  replace: async (tx, emailIds) => {
    const changed = await tx.sql<{ stageId: number; sequenceId: number }>`
      UPDATE sequence_stage SET updated_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND email_id = ANY(${emailIds}::int[])
      RETURNING id AS "stageId", sequence_id AS "sequenceId"`
    if (changed.length > 0) mustBeAllowed(tx, 'sequences:write')
    await emitAll(tx, 'sequence_stage.updated', changed)
  },
}
