import { type ErasureStep, mentions, tableStep } from '../../db/persons/erasure.ts'
import { sql } from '../../db/sql.ts'
import { type NumberedRow, partsOf } from './file/stored-rows.ts'

/** Number of chunks that one batch reads. A chunk has up to a megabyte. */
const chunksPerBatch = 5

/** Rows of imports that are not yet applied. Rows that mention the person become empty, and fail when they are applied. */
const chunks: ErasureStep = {
  name: 'import rows',
  tables: ['contact_import_chunk'],
  run: async (tx, person, position) => {
    const [afterImport, afterNumber] = (position ?? '0 -1').split(' ').map(Number)
    const found = await tx.sql<{ importId: number; number: number; rows: string }>`
      SELECT k.import_id AS "importId", k.number, k.rows FROM contact_import_chunk k
      WHERE k.account_id = ${tx.sql.account} AND (k.import_id, k.number) > (${afterImport}::int, ${afterNumber}::int)
        AND ${mentions(person, sql`k.rows`)}
      ORDER BY k.import_id, k.number LIMIT ${chunksPerBatch}::int FOR UPDATE`
    for (const { importId, number, rows } of found) {
      const kept = (JSON.parse(rows) as NumberedRow[]).map((row) => withoutPerson(row, person.texts))
      await tx.sql`
        UPDATE contact_import_chunk SET rows = ${JSON.stringify(kept)}
        WHERE account_id = ${tx.sql.account} AND import_id = ${importId}::int AND number = ${number}::int`
    }
    const last = found.at(-1)
    return last && found.length === chunksPerBatch ? `${last.importId} ${last.number}` : null
  },
}

function withoutPerson(row: NumberedRow, texts: readonly string[]): NumberedRow {
  const { line, cells } = partsOf(row)
  const isPerson = cells.some((cell) => texts.some((text) => cell.toLowerCase().includes(text)))
  return isPerson ? [line, ...cells.map(() => '')] : row
}

const errors = tableStep({
  name: 'import errors',
  table: 'contact_import_error',
  key: 'id',
  keyType: 'bigint',
  change: (tx, person, inBatch) => tx.sql`
    UPDATE contact_import_error t SET message = 'concerns a person who was erased', code = 'ERASED', value = '', cells = NULL
    WHERE t.account_id = ${tx.sql.account} AND ${inBatch}
      AND ${mentions(person, sql`concat(t.message, ' ', t.value, ' ', t.cells)`)}`,
})

const imports = tableStep({
  name: 'imports',
  table: 'contact_import',
  key: 'id',
  keyType: 'bigint',
  change: (tx, person, inBatch) => tx.sql`
    UPDATE contact_import t SET error = CASE WHEN ${mentions(person, sql`t.error`)} THEN '' ELSE t.error END,
      file_name = CASE WHEN ${mentions(person, sql`t.file_name`)} THEN '' ELSE t.file_name END
    WHERE t.account_id = ${tx.sql.account} AND ${inBatch} AND ${mentions(person, sql`concat(t.error, ' ', t.file_name)`)}`,
})

/** What is removed from imports. */
export const importErasure: readonly ErasureStep[] = [chunks, errors, imports]
