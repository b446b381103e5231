import { type ErasureStep, mentions, tableStep } from '../../db/persons/erasure.ts'
import { sql } from '../../db/sql.ts'

/** What is removed from bulk jobs that ended: filters and values that mention the person. A running job needs them. */
export const bulkErasure: readonly ErasureStep[] = [
  tableStep({
    name: 'bulk jobs',
    table: 'bulk_job',
    key: 'id',
    keyType: 'bigint',
    change: (tx, person, inBatch) => tx.sql`
      UPDATE bulk_job t SET options = '{}', filter = CASE WHEN t.filter IS NOT NULL THEN '{}'::jsonb END
      WHERE t.account_id = ${tx.sql.account} AND ${inBatch} AND t.status <> 'RUNNING'
        AND ${mentions(person, sql`concat(t.options::text, ' ', t.filter::text)`)}`,
  }),
]
