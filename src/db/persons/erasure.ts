import { partSize } from '../../kernel/work/pacing.ts'
import type { Ctx } from '../context.ts'
import { erasedHash, erasedResult } from '../requests/idempotency.ts'
import { raw, type Sql, sql } from '../sql.ts'

/** What identifies an erased person in copies of data. */
export interface ErasedPerson {
  readonly contactId: number
  /** E-mail addresses in all their spellings, and the phone number, in lower case. */
  readonly texts: readonly string[]
  /** IDs of the person's objects, by the field of an event that contains the ID of such an object. */
  readonly refs: Readonly<Record<string, readonly number[]>>
  /** Whether names and addresses are also removed from sales. */
  readonly redactSales: boolean
}

/** A part of an erasure, which runs in short transactions. */
export interface ErasureStep {
  /** Key under which the progress is stored. */
  readonly name: string
  /** Tables from which the step removes data. Empty if it removes data from elsewhere. */
  readonly tables: readonly string[]
  /**
   * Processes the batch after a position. Returns the position of the next batch, or null after the last one. A batch may run
   * again after a failure.
   */
  run(tx: Ctx, person: ErasedPerson, position: string | null): Promise<string | null>
}

/** Maximum number of rows that a batch examines. */
const batchSize = 2_000

/** Rows of an account to which a step applies, and the change of those that concern the person. */
interface RowErasure {
  readonly name: string
  readonly table: string
  /** Columns of the primary key after the account, or its first column if that is unique. */
  readonly key: string
  readonly keyType: 'bigint' | 'text'
  /** SQL that changes the rows of the batch, which `inBatch` restricts. The alias of the table is `t`. */
  change(tx: Ctx, person: ErasedPerson, inBatch: Sql): Promise<unknown>
}

/** Returns the step that examines all rows of an account in the order of a key. All rows with one key are in one batch. */
export function tableStep({ name, table, key, keyType, change }: RowErasure): ErasureStep {
  const column = raw(`t.${key}`)
  const type = raw(keyType)
  return {
    name,
    tables: [table],
    run: async (tx, person, position) => {
      const size = partSize(tx.work, batchSize)
      const after = position === null ? sql`` : sql`AND ${column} > ${position}::text::${type}`
      const [batch] = await tx.sql<{ last: string | null; rows: number }>`
        SELECT max(b.key)::text AS last, count(*)::int AS rows FROM (
          SELECT ${column} AS key FROM ${raw(table)} t WHERE t.account_id = ${tx.sql.account} ${after}
          ORDER BY ${column} LIMIT ${raw(String(size))}) b`
      const last = batch?.last ?? null
      if (last === null) return null
      await change(tx, person, sql`t.account_id = ${tx.sql.account} ${after} AND ${column} <= ${last}::text::${type}`)
      return (batch?.rows ?? 0) < size ? null : last
    },
  }
}

/** Returns the SQL condition that a JSON object contains the ID of an object of the person. */
export function refersTo({ refs }: ErasedPerson, data: Sql): Sql {
  return sql`EXISTS (SELECT FROM jsonb_each(CASE WHEN jsonb_typeof(${data}) = 'object' THEN ${data} END) AS given
    WHERE ${JSON.stringify(refs)}::jsonb -> given.key @> given.value)`
}

/** Returns the SQL condition that a text contains an address or the phone number of the person. */
export function mentions({ texts }: ErasedPerson, text: Sql): Sql {
  return sql`EXISTS (SELECT FROM unnest(${[...texts]}::text[]) AS wanted(word) WHERE strpos(lower(${text}), wanted.word) > 0)`
}

const idempotencyKeys = tableStep({
  name: 'idempotency keys',
  table: 'idempotency_key',
  key: 'key',
  keyType: 'text',
  change: async (tx, person, inBatch) => {
    const isAbout = sql`t.account_id = ${tx.sql.account} AND ${inBatch} AND (
      ${mentions(person, sql`concat(t.key, ' ', t.result::text)`)}
      OR (t.field LIKE 'contact%' AND t.result -> 'databaseId' = to_jsonb(${person.contactId}::int))
      OR EXISTS (SELECT FROM jsonb_each(CASE WHEN jsonb_typeof(t.result) = 'object' THEN t.result END) AS part
        WHERE ${JSON.stringify(person.refs)}::jsonb -> (part.key || 'Id') @> (part.value -> 'id')
          OR ${refersTo(person, sql`part.value`)}))`
    await tx.sql`DELETE FROM idempotency_key t WHERE ${isAbout} AND ${mentions(person, sql`t.key`)}`
    // The result of an erasure contains no personal data, so a repeat still returns it.
    await tx.sql`
      UPDATE idempotency_key t SET input_hash = ${erasedHash},
        result = CASE WHEN t.field LIKE 'contactErase%' THEN t.result ELSE ${JSON.stringify(erasedResult)}::jsonb END
      WHERE ${isAbout}`
  },
})

/** What is removed from the mechanisms under all modules. */
export const storedResultErasure: readonly ErasureStep[] = [idempotencyKeys]
