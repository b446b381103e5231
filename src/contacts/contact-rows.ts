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

/** A change of a contact. Absent fields keep their values. */
type RowChange = Details & { readonly id: number; readonly email?: string | undefined }

/** Updates contacts. `returned` is selected from the updated rows `c`. Fails with 23505 if another contact has the address. */
export async function updateRows<Row>(tx: Ctx, changes: readonly RowChange[], returned: Sql): Promise<Row[]> {
  if (changes.length === 0) return []
  return tx.sql<Row>`
    UPDATE contact c SET email = coalesce(g.email, c.email), ${assignments}, updated_at = ${tx.clock.now()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g(id int, email text, ${types})
    WHERE c.account_id = ${tx.sql.account} AND c.id = g.id RETURNING ${returned}`
}
