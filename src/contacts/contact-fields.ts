import { z } from 'zod'
import type { Contact, CustomField } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { many } from '../db/load.ts'
import { inTransaction } from '../db/transaction.ts'
import { emitAll } from '../events/index.ts'
import { check, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { type ContactRef, lock } from './contact-list.ts'
import { held } from './custom-fields.ts'
import { faultOf, longestValue } from './field-value.ts'

/** A contact's value for a custom field, with the label that people see. */
export interface FieldValue {
  contactId: number
  customFieldId: number
  label: string
  value: string
}

/** The custom field values of contacts, in the order of their definitions. */
export const ofContact = many<number, FieldValue>(async (ctx, contactIds) => {
  const rows = await ctx.sql<FieldValue>`
    SELECT v.contact_id AS "contactId", v.custom_field_id AS "customFieldId", f.name AS label, v.value
    FROM contact_field v JOIN custom_field f ON f.account_id = v.account_id AND f.id = v.custom_field_id
    WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ANY(${contactIds}::int[]) ORDER BY v.custom_field_id`
  return Map.groupBy(rows, (row) => row.contactId)
})

export interface FieldInput {
  customFieldId: string | number
  value?: string | null | undefined
}

export interface FieldSet {
  contact: Contact
  customField: CustomField
  value: string | null
}

/**
 * Sets a contact's value for a custom field, or takes it away where the value is null or absent. Announces `contact.field_updated`
 * where that changes something. Fails with NOT_FOUND, and with VALIDATION_ERROR where the value is not of the field's type.
 */
export async function set(ctx: Ctx, input: FieldInput & { contact: ContactRef }): Promise<FieldSet> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const [customField] = await setAll(tx, contact.id, [input])
    return { contact, customField: customField as CustomField, value: input.value ?? null }
  })
}

/**
 * Sets several values of one contact, whose row the caller has locked; of two for one field the last. Answers the fields.
 * Fails as `set` does.
 */
export async function setAll(tx: Ctx, contactId: number, inputs: readonly FieldInput[]): Promise<CustomField[]> {
  if (inputs.length === 0) return []
  const ids = inputs.map(({ customFieldId }) => idOf('CustomField', customFieldId, 'customFieldId'))
  const known = await held(tx, ids)
  const fields = inputs.map(({ value }, place) => {
    if (value != null) check(z.object({ value: text(longestValue) }), { value })
    const field = known.get(ids[place] as number)
    if (!field) throw refuse('NOT_FOUND', 'There is no such custom field.')
    const fault = value == null ? undefined : faultOf(field, value)
    if (fault) throw invalid({ value: [fault] })
    return field
  })
  const values = new Map(inputs.map(({ value }, place) => [ids[place] as number, value ?? null]))
  await write(
    tx,
    [...values].map(([customFieldId, value]) => ({ contactId, customFieldId, value })),
  )
  return fields
}

/** What a contact is to have in a custom field: nothing, where that is null. */
export type Value = Pick<FieldValue, 'contactId' | 'customFieldId'> & { readonly value: string | null }

/**
 * Writes values that were checked, each contact and field once. Announces `contact.field_updated` for each that changes, and
 * answers those.
 */
export async function write(tx: Ctx, values: readonly Value[]): Promise<Value[]> {
  const [set, removed] = [values.filter(({ value }) => value !== null), values.filter(({ value }) => value === null)]
  const changed =
    set.length === 0
      ? []
      : await tx.sql<Value>`
          INSERT INTO contact_field AS f (account_id, contact_id, custom_field_id, value, updated_at)
          SELECT ${tx.sql.account}::int, g."contactId", g."customFieldId", g.value, ${tx.clock.now()}::timestamptz
          FROM json_to_recordset(${JSON.stringify(set)}::json) AS g("contactId" int, "customFieldId" int, value text)
          ON CONFLICT (account_id, contact_id, custom_field_id) DO UPDATE
            SET value = excluded.value, updated_at = excluded.updated_at WHERE f.value <> excluded.value
          RETURNING contact_id AS "contactId", custom_field_id AS "customFieldId", value`
  const gone =
    removed.length === 0
      ? []
      : await tx.sql<Value>`
          DELETE FROM contact_field f
          USING json_to_recordset(${JSON.stringify(removed)}::json) AS g("contactId" int, "customFieldId" int)
          WHERE f.account_id = ${tx.sql.account} AND f.contact_id = g."contactId" AND f.custom_field_id = g."customFieldId"
          RETURNING f.contact_id AS "contactId", f.custom_field_id AS "customFieldId", '' AS value`
  await emitAll(tx, 'contact.field_updated', [...changed, ...gone] as FieldValue[])
  return [...changed, ...gone]
}
