import { type Sql, sql } from '../db/sql.ts'
import type { FigureName } from '../kernel/figures.ts'

/**
 * Returns the changes of a figure of messages, for `insertFigures`: of the account, and of the campaign, or the sequence and the
 * stage. `rows` selects account_id, campaign_id, sequence_id, stage_id, at and value.
 */
export function messageFigure(figure: FigureName, rows: Sql): Sql {
  return sql`SELECT m.account_id, ${figure}::text, o.object, '', m.at, m.value FROM (${rows}) m CROSS JOIN LATERAL (VALUES (''),
      ('Campaign:' || m.campaign_id), ('Sequence:' || m.sequence_id), ('SequenceStage:' || m.stage_id)) o(object)
    WHERE o.object IS NOT NULL`
}
