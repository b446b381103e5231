import { z } from 'zod'
import type { Contact, CustomField } from '../../prisma/generated/client/client.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { check, text } from '../kernel/check.ts'
import type { Ctx } from '../kernel/context.ts'
import { invalid } from '../kernel/errors.ts'
import { many } from '../kernel/load.ts'
import { type ContactRef, lock } from './contact-list.ts'
import { mustExist } from './custom-fields.ts'
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
    const value = input.value ?? null
    const customField = await write(tx, contact.id, input.customFieldId, value)
    return { contact, customField, value }
  })
}

/** Sets several values of one contact, whose row the caller has locked. Fails as `set` does. */
export async function setAll(tx: Ctx, contactId: number, inputs: readonly FieldInput[]): Promise<void> {
  for (const { customFieldId, value } of inputs) await write(tx, contactId, customFieldId, value ?? null)
}

async function write(
  tx: Ctx,
  contactId: number,
  customFieldId: string | number,
  value: string | null,
): Promise<CustomField> {
  if (value !== null) check(z.object({ value: text(longestValue) }), { value })
  const field = await mustExist(tx, customFieldId)
  const key = { accountId: tx.accountId, contactId, customFieldId: field.id }
  const where = { accountId_contactId_customFieldId: key }
  const before = await tx.db.contactField.findUnique({ where })
  if (value === (before?.value ?? null)) return field
  if (value === null) {
    await tx.db.contactField.delete({ where })
  } else {
    const fault = faultOf(field, value)
    if (fault) throw invalid({ value: [fault] })
    const updatedAt = tx.clock.now()
    await tx.db.contactField.upsert({ where, create: { ...key, value, updatedAt }, update: { value, updatedAt } })
  }
  await emit(tx, 'contact.field_updated', { contactId, customFieldId: field.id, value: value ?? '' })
  return field
}
