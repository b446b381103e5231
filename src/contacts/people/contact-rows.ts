import type { Contact } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import type { NewContact } from '../record/contact-details.ts'
import { consentFields, detailTexts, regionalFields } from '../record/fields.ts'
import { type StoredDetails, toStored } from '../record/regional.ts'

interface StoredField {
  readonly key: keyof StoredDetails
  readonly column: string
  readonly type: string
  readonly initial: string
  /** The field with which it changes, also to null. */
  readonly of?: keyof StoredDetails
}

const fields: readonly StoredField[] = [
  ...detailTexts.map(({ key, column }) => ({ key, column, type: 'text', initial: "''" })),
  ...Object.values(regionalFields).flatMap(({ key, sourceKey, column }) => [
    { key, column, type: 'text', initial: "''" },
    { key: sourceKey, column: `${column}_source`, type: 'contact_value_source', initial: 'NULL', of: key },
  ]),
  ...Object.values(consentFields).map(({ key, column }) => ({ key, column, type: 'boolean', initial: 'false' })),
]

const listOf = (toSql: (field: StoredField) => string) => raw(fields.map(toSql).join(', '))
const columns = listOf(({ column }) => column)
const types = listOf(({ key, type }) => `"${key}" ${type}`)
const values = listOf(({ key, initial }) => `coalesce(g."${key}", ${initial})`)
const assignments = listOf(({ key, column, of }) =>
  of
    ? `${column} = CASE WHEN g."${of}" IS NULL THEN c.${column} ELSE g."${key}" END`
    : `${column} = coalesce(g."${key}", c.${column})`,
)

/** Returns a list of SQL with the value of each field as a parameter: JSON of one row costs half of its statement. */
function parameters(details: StoredDetails, toSql: (value: Sql, field: StoredField) => Sql): Sql {
  return join(fields.map((field) => toSql(sql`${details[field.key] ?? null}::${raw(field.type)}`, field)))
}

/**
 * Inserts the contacts whose e-mail address does not exist, after waiting for concurrent inserts of the address. Absent fields
 * are empty. `returned` is selected from the inserted rows `c`.
 */
export async function insertRows<Row>(tx: Ctx, given: readonly NewContact[], returned: Sql): Promise<Row[]> {
  const now = tx.clock.now()
  const contacts = given.map(({ email, ...details }) => ({ ...toStored(undefined, details), email }))
  const [contact] = contacts
  if (contact && contacts.length === 1)
    return tx.sql<Row>`
      INSERT INTO contact AS c (account_id, email, ${columns}, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${contact.email},
        ${parameters(contact, (value, { initial }) => sql`coalesce(${value}, ${raw(initial)})`)}, ${now}::timestamptz, ${now}::timestamptz)
      ON CONFLICT (account_id, address_key(email)) DO NOTHING RETURNING ${returned}`
  const rows = contacts.map((contact, place) => ({ ...contact, place }))
  return tx.sql<Row>`
    INSERT INTO contact AS c (account_id, email, ${columns}, created_at, updated_at)
    SELECT ${tx.sql.account}::int, g.email, ${values}, ${now}::timestamptz, ${now}::timestamptz
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS g(place int, email text, ${types}) ORDER BY g.place
    ON CONFLICT (account_id, address_key(email)) DO NOTHING RETURNING ${returned}`
}

/** A change of a contact. Absent fields keep their values. */
type RowChange = StoredDetails & { readonly id: number; readonly email?: string | undefined }

/** Updates a contact whose row is locked without waiting for it. Its address must not change. Returns the updated row. */
export async function updateLocked(tx: Ctx, before: Contact, change: StoredDetails): Promise<Contact> {
  const updatedAt = tx.clock.now()
  await tx.sql.later`${updateOf(tx, { ...change, id: before.id }, updatedAt)}`
  return { ...before, ...change, updatedAt } as Contact
}

function updateOf(tx: Ctx, change: RowChange, updatedAt: Date): Sql {
  return sql`UPDATE contact c SET email = coalesce(${change.email ?? null}::text, c.email),
      ${parameters(change, (value, { column, of }) =>
        of && change[of] !== undefined
          ? sql`${raw(column)} = ${value}`
          : sql`${raw(column)} = coalesce(${value}, c.${raw(column)})`,
      )},
      updated_at = ${updatedAt}::timestamptz
    WHERE c.account_id = ${tx.sql.account} AND c.id = ${change.id}::int`
}

/** Updates contacts. `returned` is selected from the updated rows `c`. Fails with 23505 if another contact has the address. */
export async function updateRows<Row>(tx: Ctx, changes: readonly RowChange[], returned: Sql): Promise<Row[]> {
  if (changes.length === 0) return []
  const [change] = changes
  const now = tx.clock.now()
  if (change && changes.length === 1) return tx.sql<Row>`${updateOf(tx, change, now)} RETURNING ${returned}`
  return tx.sql<Row>`
    UPDATE contact c SET email = coalesce(g.email, c.email), ${assignments}, updated_at = ${now}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g(id int, email text, ${types})
    WHERE c.account_id = ${tx.sql.account} AND c.id = g.id RETURNING ${returned}`
}
