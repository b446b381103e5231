import type { Ctx } from '../db/context.ts'
import { raw, type Sql } from '../db/sql.ts'
import type { Details, NewContact } from './contact-details.ts'
import { consentFields, detailTexts } from './fields.ts'

const fields = [
  ...detailTexts.map(({ key, column }) => ({ key, column, type: 'text', initial: "''" })),
  ...Object.values(consentFields).map(({ key, column }) => ({ key, column, type: 'boolean', initial: 'false' })),
]

const listOf = (toSql: (field: (typeof fields)[number]) => string) => raw(fields.map(toSql).join(', '))
const columns = listOf(({ column }) => column)
const types = listOf(({ key, type }) => `"${key}" ${type}`)
const values = listOf(({ key, initial }) => `coalesce(g."${key}", ${initial})`)
const assignments = listOf(({ key, column }) => `${column} = coalesce(g."${key}", c.${column})`)

/**
 * Inserts the contacts whose e-mail address does not exist, after waiting for concurrent inserts of the address. Absent fields
 * are empty. `returned` is selected from the inserted rows `c`.
 */
export async function insertRows<Row>(tx: Ctx, contacts: readonly NewContact[], returned: Sql): Promise<Row[]> {
  const now = tx.clock.now()
  const rows = contacts.map((contact, place) => ({ ...contact, place }))
  return tx.sql<Row>`
    INSERT INTO contact AS c (account_id, email, ${columns}, created_at, updated_at)
    SELECT ${tx.sql.account}::int, g.email, ${values}, ${now}::timestamptz, ${now}::timestamptz
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS g(place int, email text, ${types}) ORDER BY g.place
    ON CONFLICT (account_id, lower(email)) DO NOTHING RETURNING ${returned}`
}

/** Updates contacts. Absent fields keep their values. */
export async function updateRows(tx: Ctx, changes: readonly (Details & { id: number })[]): Promise<void> {
  if (changes.length === 0) return
  await tx.sql`
    UPDATE contact c SET ${assignments}, updated_at = ${tx.clock.now()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g(id int, ${types})
    WHERE c.account_id = ${tx.sql.account} AND c.id = g.id`
}
