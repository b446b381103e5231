import type { Bucket } from '../../prisma/generated/client/client.ts'
import { many, one } from '../db/context.ts'
import { sql } from '../db/sql.ts'

/** A possible result of a form. */
export interface Outcome {
  readonly accountId: number
  readonly id: number
  readonly formId: number
  readonly position: number
  readonly key: string
  readonly title: string
  readonly text: string
  readonly bucket: Bucket
}

const columns = sql`o.account_id AS "accountId", o.id, o.form_id AS "formId", o.position, o.key, o.title, o.text,
  o.bucket::text AS bucket`

/** Loads the outcomes of forms, in order of precedence. */
export const ofForm = many<number, Outcome>(async (ctx, formIds) => {
  const rows = await ctx.sql<Outcome>`
    SELECT ${columns} FROM outcome o WHERE o.account_id = ${ctx.sql.account} AND o.form_id = ANY(${formIds}::int[])
    ORDER BY o.position, o.id`
  return Map.groupBy(rows, (row) => row.formId)
})

/** Loads outcomes by ID. */
export const byId = one<number, Outcome>(async (ctx, ids) => {
  const rows = await ctx.sql<Outcome>`
    SELECT ${columns} FROM outcome o WHERE o.account_id = ${ctx.sql.account} AND o.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})
