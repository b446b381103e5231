import type { Contact, CustomField } from '../../prisma/generated/client/client.ts'
import { type Ctx, many } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { emitAll } from '../events/index.ts'
import { checkAt, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { type ContactRef, lock } from './contact-list.ts'
import { maxValueLength, valueError } from './custom-field-rules.ts'
import { lockAll } from './custom-fields.ts'

/** A contact's value for a custom field, with the label of the field. */
export interface CustomFieldValue {
  contactId: number
  customFieldId: number
  label: string
  value: string
}

/** Loads the custom field values of contacts, in the order in which the fields were created. */
export const ofContact = many<number, CustomFieldValue>(async (ctx, contactIds) => {
  const rows = await ctx.sql<CustomFieldValue>`
    SELECT v.contact_id AS "contactId", v.custom_field_id AS "customFieldId", f.name AS label, v.value
    FROM contact_field v JOIN custom_field f ON f.account_id = v.account_id AND f.id = v.custom_field_id
    WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ANY(${contactIds}::int[]) ORDER BY v.custom_field_id`
  return Map.groupBy(rows, (row) => row.contactId)
})

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
  if (inputs.length === 0) return []
  const pathOf = (index: number, name: keyof CustomFieldInput) => (list ? `${list}.${index}.${name}` : name)
  const ids = inputs.map(({ customFieldId }, index) =>
    idOf('CustomField', customFieldId, pathOf(index, 'customFieldId')),
  )
  const known = await lockAll(tx, ids)
  const fields = inputs.map(({ value }, index) => {
    if (value != null) checkAt(pathOf(index, 'value'), text(maxValueLength), value)
    const field = known.get(ids[index] as number)
    if (!field) throw refuse('NOT_FOUND', 'There is no such custom field.')
    const error = value == null ? undefined : valueError(field, value)
    if (error) throw invalid({ [pathOf(index, 'value')]: [error] })
    return field
  })
  const values = new Map(inputs.map(({ value }, index) => [ids[index] as number, value ?? null]))
  await writeValues(
    tx,
    [...values].map(([customFieldId, value]) => ({ contactId, customFieldId, value })),
  )
  return fields
}

/** A value to write for a contact and a custom field. Null removes the stored value. */
type ValueChange = Pick<CustomFieldValue, 'contactId' | 'customFieldId'> & { readonly value: string | null }

/**
 * Writes validated values, at most one for each contact and field. Returns the values that changed.
 *
 * **Emits** `contact.field_updated` for each changed value.
 */
export async function writeValues(tx: Ctx, values: readonly ValueChange[]): Promise<ValueChange[]> {
  const assignments = values.filter(({ value }) => value !== null)
  const removals = values.filter(({ value }) => value === null)
  const changed =
    assignments.length === 0
      ? []
      : await tx.sql<ValueChange>`
          INSERT INTO contact_field AS f (account_id, contact_id, custom_field_id, value, number, day, updated_at)
          SELECT t.account_id, g."contactId", t.id, g.value, CASE t.type WHEN 'NUMBER' THEN g.value::numeric END,
            CASE WHEN t.type = 'DATE' AND g.value NOT LIKE '0000%' THEN to_date(g.value, 'YYYY-MM-DD') END,
            ${tx.clock.now()}::timestamptz
          FROM json_to_recordset(${JSON.stringify(assignments)}::json) AS g("contactId" int, "customFieldId" int, value text)
          JOIN custom_field t ON t.account_id = ${tx.sql.account} AND t.id = g."customFieldId"
          ON CONFLICT (account_id, contact_id, custom_field_id) DO UPDATE
            SET value = excluded.value, number = excluded.number, day = excluded.day, updated_at = excluded.updated_at
            WHERE f.value <> excluded.value
          RETURNING contact_id AS "contactId", custom_field_id AS "customFieldId", value`
  const removed =
    removals.length === 0
      ? []
      : await tx.sql<ValueChange>`
          DELETE FROM contact_field f
          USING json_to_recordset(${JSON.stringify(removals)}::json) AS g("contactId" int, "customFieldId" int)
          WHERE f.account_id = ${tx.sql.account} AND f.contact_id = g."contactId" AND f.custom_field_id = g."customFieldId"
          RETURNING f.contact_id AS "contactId", f.custom_field_id AS "customFieldId", '' AS value`
  await emitAll(tx, 'contact.field_updated', [...changed, ...removed] as CustomFieldValue[])
  return [...changed, ...removed]
}
