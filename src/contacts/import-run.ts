import type { ContactImport, CustomField } from '../../prisma/generated/client/client.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { analyseGrown } from '../db/statistics.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { Refusal } from '../kernel/errors.ts'
import { type Applied, apply } from './import-apply.ts'
import type { Column } from './import-columns.ts'
import type { NumberedRow } from './import-file.ts'
import { importColumns } from './import-list.ts'
import { type LineFault, newRowReader, type ReadRow } from './import-row.ts'
import { askForTurn, dropRows, type ImportTurn } from './import-store.ts'
import type { ImportOptions } from './imports.ts'

/** How long a turn takes: then others come. */
const turnMilliseconds = 2_000

/** How often a part may lose the race for the quota, and an import break off for a reason of ours. */
const mostRaces = 10
const mostAttempts = 10

/**
 * A turn of an import: part after part, each in a transaction of its own that also forgets its rows. So a part is applied
 * once, however often a turn is cut off, and the next one goes on where that was.
 */
export async function run(system: System, { accountId, importId }: ImportTurn): Promise<void> {
  const began = performance.now()
  try {
    while (performance.now() - began < turnMilliseconds) {
      if (await isOverAfterPart(newCtx(system, { accountId }), importId)) return
    }
  } catch (error) {
    if (await isGivenUp(newCtx(system, { accountId }), importId))
      system.log.error({ err: error, importId }, 'an import was given up')
    else throw error
    return
  }
  await inTransaction(newCtx(system, { accountId }), (tx) => askForTurn(tx, importId))
}

/** Applies the next part of an import, and answers whether that was the last. For whoever does not wait for a turn. */
export async function isOverAfterPart(ctx: Ctx, importId: number): Promise<boolean> {
  for (let race = 1; ; race += 1) {
    try {
      const isOver = await inTransaction(ctx, (tx) => applyPart(tx, importId))
      await analyseGrown(ctx)
      return isOver
    } catch (error) {
      const isRace = error instanceof Refusal && error.code === 'QUOTA_EXCEEDED'
      if (!isRace || race >= mostRaces) throw error
    }
  }
}

async function applyPart(tx: Ctx, importId: number): Promise<boolean> {
  const [found] = await tx.sql<ContactImport>`
    SELECT ${importColumns} FROM contact_import i
    WHERE i.account_id = ${tx.sql.account} AND i.id = ${importId} AND i.status = 'RUNNING' FOR UPDATE`
  if (!found) return true
  const [part] = await tx.sql<{ rows: string }>`
    DELETE FROM contact_import_chunk k WHERE k.account_id = ${tx.sql.account} AND k.import_id = ${importId} AND k.number =
      (SELECT min(n.number) FROM contact_import_chunk n WHERE n.account_id = ${tx.sql.account} AND n.import_id = ${importId})
    RETURNING k.rows`
  const columns = found.columns as unknown as Column[]
  const read = newRowReader(columns, await fieldsOf(tx, columns))
  const good: ReadRow[] = []
  const faults: LineFault[] = []
  const given = JSON.parse(part?.rows ?? '[]') as NumberedRow[]
  for (const row of given) {
    const outcome = read(row)
    if (Array.isArray(outcome)) faults.push(...outcome)
    else good.push(outcome)
  }
  const none: Applied = { created: 0, updated: 0, unchanged: 0, faults: [] }
  const applied = good.length > 0 ? await apply(tx, good, found.options as unknown as ImportOptions) : none
  await keepFaults(tx, importId, [...faults, ...applied.faults])
  const failed = given.length - applied.created - applied.updated - applied.unchanged
  const [after] = await tx.sql<{ isOver: boolean }>`
    UPDATE contact_import i SET rows_done = rows_done + ${given.length}::int, created = created + ${applied.created}::int,
      updated = updated + ${applied.updated}::int, unchanged = unchanged + ${applied.unchanged}::int,
      failed = failed + ${failed}::int, attempts = 0,
      status = CASE WHEN more.are THEN status ELSE 'COMPLETED' END,
      finished_at = CASE WHEN more.are THEN NULL ELSE ${tx.clock.now()}::timestamptz END
    FROM (SELECT EXISTS (SELECT FROM contact_import_chunk n
      WHERE n.account_id = ${tx.sql.account} AND n.import_id = ${importId}) AS are) more
    WHERE i.account_id = ${tx.sql.account} AND i.id = ${importId} RETURNING NOT more.are AS "isOver"`
  await emit(tx, 'contact_import.progress', { importId })
  return after?.isOver ?? true
}

/** The custom fields that columns are for, locked against changes until the part is applied. */
async function fieldsOf(tx: Ctx, columns: readonly Column[]): Promise<CustomField[]> {
  const ids = columns.flatMap(({ customFieldId }) => customFieldId ?? [])
  if (ids.length === 0) return []
  return tx.sql<CustomField>`
    SELECT f.account_id AS "accountId", f.id, f.name, f.type::text AS type, f.values, f.created_at AS "createdAt"
    FROM custom_field f WHERE f.account_id = ${tx.sql.account} AND f.id = ANY(${ids}::int[]) ORDER BY f.id FOR SHARE`
}

async function keepFaults(tx: Ctx, importId: number, faults: readonly LineFault[]): Promise<void> {
  if (faults.length === 0) return
  await tx.sql`
    INSERT INTO contact_import_error (account_id, import_id, line, "column", message)
    SELECT ${tx.sql.account}::int, ${importId}::int, g.line, g."column", g.message
    FROM json_to_recordset(${JSON.stringify(faults)}::json) AS g(line int, "column" text, message text) ORDER BY g.line`
}

/** Counts a turn that broke off, and gives the import up after too many: what was applied by then stays. */
async function isGivenUp(ctx: Ctx, importId: number): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const [left] = await tx.sql<{ status: string }>`
      UPDATE contact_import SET attempts = attempts + 1,
        status = CASE WHEN attempts + 1 < ${mostAttempts}::int THEN status ELSE 'FAILED' END,
        finished_at = CASE WHEN attempts + 1 < ${mostAttempts}::int THEN NULL ELSE ${tx.clock.now()}::timestamptz END,
        error = CASE WHEN attempts + 1 < ${mostAttempts}::int THEN '' ELSE 'Something unexpected happened on our side.' END
      WHERE account_id = ${tx.sql.account} AND id = ${importId} AND status = 'RUNNING' RETURNING status::text AS status`
    if (left?.status !== 'FAILED') return false
    await dropRows(tx, importId)
    await emit(tx, 'contact_import.progress', { importId })
    return true
  })
}
