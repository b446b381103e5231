import type { Contact } from '../../../prisma/generated/client/client.ts'
import { type Ctx, many } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid } from '../../kernel/errors.ts'
import { checkAt, text } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { announceValues, type ChangedValue } from '../record/change-log.ts'
import { type ContactRef, lock } from '../record/contact-lookup.ts'
import { maxValueLength, valueError } from './custom-field-rules.ts'
import { type CustomField, fieldTable, lockAll } from './custom-fields.ts'

/** A contact's value for a custom field. */
export interface CustomFieldValue {
  customField: CustomField
  value: string
}

/**
 * Loads the custom field values of contacts, in the order in which the fields were created. Reads each field once, because
 * many contacts share few fields.
 */
export const ofContact = many<number, CustomFieldValue>(async (ctx, contactIds) => {
  const rows = await ctx.sql.brief<HeldField>`
    SELECT ${fieldTable.columns}, h."contactIds", h.texts
    FROM (${holdersOf(ctx, contactIds)}) h JOIN custom_field f ON f.account_id = ${ctx.sql.account} AND f.id = h.custom_field_id
    ORDER BY f.id`
  return valuesOfEach(contactIds, rows)
})

/** What is known about the custom fields of contacts: their values, and the fields of the account with a colon in their name. */
interface FieldsOfContacts {
  readonly values: ReadonlyMap<number, readonly CustomFieldValue[]>
  readonly withColon: readonly CustomField[]
}

/** Returns the custom field values of contacts, and the fields with a colon, which merge fields name. One statement. */
export async function forMergeFields(ctx: Ctx, contactIds: readonly number[]): Promise<FieldsOfContacts> {
  const rows = await ctx.sql.brief<HeldField>`
    SELECT ${fieldTable.columns}, coalesce(h."contactIds", '[]') AS "contactIds", coalesce(h.texts, '[]') AS texts
    FROM custom_field f LEFT JOIN (${holdersOf(ctx, contactIds)}) h ON h.custom_field_id = f.id
    WHERE f.account_id = ${ctx.sql.account} AND (h.custom_field_id IS NOT NULL OR f.name LIKE '%:%') ORDER BY f.id`
  const withColon = rows.filter(({ name }) => name.includes(':'))
  return { values: valuesOfEach(contactIds, rows), withColon }
}

/** A custom field with the contacts that have a value, and their values. */
type HeldField = CustomField & { readonly contactIds: readonly number[]; readonly texts: readonly string[] }

const holdersOf = (ctx: Ctx, contactIds: readonly number[]) => sql`
  SELECT v.custom_field_id, json_agg(v.contact_id) AS "contactIds", json_agg(v.value) AS texts FROM contact_field v
  WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ANY(${contactIds}::int[]) GROUP BY v.custom_field_id`

function valuesOfEach(contactIds: readonly number[], rows: readonly HeldField[]): Map<number, CustomFieldValue[]> {
  const values = new Map<number, CustomFieldValue[]>(contactIds.map((id) => [id, []]))
  for (const { contactIds: holders, texts, ...customField } of rows) {
    for (const [index, id] of holders.entries()) values.get(id)?.push({ customField, value: texts[index] as string })
  }
  return values
}

export interface CustomFieldInput {
  customFieldId: string | number
  value?: string | null | undefined
}

interface SetResult {
  contact: Contact
  customField: CustomField
  value: string | null
}

/**
 * Sets a contact's value for a custom field. Removes the value if the input is null or absent.
 *
 * **Emits** `contact.field_updated` if the value changes. **Throws** NOT_FOUND, and VALIDATION_ERROR if the value is
 * invalid for the type of the field.
 */
export async function set(ctx: Ctx, input: CustomFieldInput & { contact: ContactRef }): Promise<SetResult> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const [customField] = await setAll(tx, contact.id, [input])
    return { contact, customField: customField as CustomField, value: input.value ?? null }
  })
}

/**
 * Sets several values of one contact. The caller must hold the lock on the contact's row. If a field occurs twice, the
 * last value is used. Returns the custom fields, one per input. `list` is the input field with the inputs, which errors
 * name; without it, the only input is the input of the operation.
 *
 * **Emits** and **throws** the same as `set`.
 */
export async function setAll(
  tx: Ctx,
  contactId: number,
  inputs: readonly CustomFieldInput[],
  list?: string,
): Promise<CustomField[]> {
  const { fields, values } = await readValues(tx, inputs, list)
  await writeValues(
    tx,
    values.map((each) => ({ contactId, ...each })),
  )
  return fields
}

/**
 * Returns the values of inputs, as `setAll` stores them, without writing them. **Throws** the same as `setAll`.
 */
export async function checkValues(
  tx: Ctx,
  inputs: readonly CustomFieldInput[],
  list: string,
): Promise<readonly FieldValue[]> {
  return (await readValues(tx, inputs, list)).values
}

/** A validated value. Null removes the stored value. */
interface FieldValue {
  readonly customFieldId: number
  readonly value: string | null
}

async function readValues(
  tx: Ctx,
  inputs: readonly CustomFieldInput[],
  list?: string,
): Promise<{ fields: CustomField[]; values: FieldValue[] }> {
  if (inputs.length === 0) return { fields: [], values: [] }
  const pathOf = (index: number, name: keyof CustomFieldInput) => (list ? `${list}.${index}.${name}` : name)
  const ids = inputs.map(({ customFieldId }, index) =>
    idOf('CustomField', customFieldId, pathOf(index, 'customFieldId')),
  )
  const known = await lockAll(tx, ids)
  const fields = inputs.map(({ value }, index) => {
    if (value != null) checkAt(pathOf(index, 'value'), text(maxValueLength), value)
    const field = known.get(ids[index] as number)
    if (!field) throw fieldTable.notFound(pathOf(index, 'customFieldId'))
    const error = value == null ? undefined : valueError(field, value)
    if (error) throw invalid({ [pathOf(index, 'value')]: [error] })
    return field
  })
  const values = new Map(inputs.map(({ value }, index) => [ids[index] as number, value ?? null]))
  return { fields, values: [...values].map(([customFieldId, value]) => ({ customFieldId, value })) }
}

/** A value to write for a contact and a custom field. Null removes the stored value. */
interface ValueChange extends FieldValue {
  readonly contactId: number
}

/**
 * Writes validated values, at most one for each contact and field. Returns the values that changed. Those of contacts that an
 * import has just created are not recorded as changes.
 *
 * **Emits** `contact.field_updated` for each changed value.
 */
export async function writeValues(
  tx: Ctx,
  values: readonly ValueChange[],
  created?: ReadonlySet<number>,
): Promise<ChangedValue[]> {
  const assignments = values.filter(({ value }) => value !== null)
  const removals = values.filter(({ value }) => value === null)
  const changed =
    assignments.length === 0
      ? []
      : await tx.sql<ChangedValue>`
          INSERT INTO contact_field AS f (account_id, contact_id, custom_field_id, value, number, day, updated_at)
          SELECT t.account_id, g."contactId", t.id, g.value, CASE t.type WHEN 'NUMBER' THEN g.value::numeric END,
            CASE WHEN t.type = 'DATE' AND g.value NOT LIKE '0000%' THEN to_date(g.value, 'YYYY-MM-DD') END,
            ${tx.clock.now()}::timestamptz
          FROM json_to_recordset(${JSON.stringify(assignments)}::json) AS g("contactId" int, "customFieldId" int, value text)
          JOIN custom_field t ON t.account_id = ${tx.sql.account} AND t.id = g."customFieldId" FOR KEY SHARE OF t
          ON CONFLICT (account_id, contact_id, custom_field_id) DO UPDATE
            SET value = excluded.value, number = excluded.number, day = excluded.day, updated_at = excluded.updated_at
            WHERE f.value <> excluded.value
          RETURNING contact_id AS "contactId", custom_field_id AS "customFieldId", value, (
            SELECT o.value FROM contact_field o
            WHERE o.account_id = f.account_id AND o.contact_id = f.contact_id AND o.custom_field_id = f.custom_field_id
          ) AS "oldValue"`
  const removed =
    removals.length === 0
      ? []
      : await tx.sql<ChangedValue>`
          DELETE FROM contact_field f
          USING json_to_recordset(${JSON.stringify(removals)}::json) AS g("contactId" int, "customFieldId" int)
          WHERE f.account_id = ${tx.sql.account} AND f.contact_id = g."contactId" AND f.custom_field_id = g."customFieldId"
          RETURNING f.contact_id AS "contactId", f.custom_field_id AS "customFieldId", f.value AS "oldValue", NULL AS value`
  await announceValues(tx, [...changed, ...removed], created)
  return [...changed, ...removed]
}
