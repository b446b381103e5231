import { z } from 'zod'
import { lockKind } from '../../db/account-lock.ts'
import { type Ctx, single } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { newList } from '../../db/lists/list.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { removeLinks } from '../record/link-removal.ts'

/** Maximum custom fields of an account. Lists of custom fields are not paginated. */
const maxCustomFields = 1_000

const types = ['TEXT', 'SELECT', 'NUMBER', 'DATE', 'BOOLEAN', 'URL'] as const
// REST shows the options as one comma-separated text, so an option with a comma would read as two options.
const option = name(255).refine((value) => !value.includes(','), 'must not contain a comma')
const options = z
  .array(option)
  .max(500, 'must contain at most 500 options')
  .refine((values) => new Set(values).size === values.length, 'must not contain an option twice')
const NewField = z.object({ name: name(255), type: z.enum(types), values: options.optional() })
const FieldChange = z.object({ name: name(255), values: options }).partial()

interface NewField {
  name: string
  type: (typeof types)[number]
  values?: readonly string[] | null | undefined
}

export const fieldTable = table('CustomField', 'f')
export type CustomField = RowOf<typeof fieldTable>

/** All custom fields of an account. */
export const customFields = newList(fieldTable, {
  name: 'customFields',
  orders: { ID: 'id' },
  usual: { field: 'ID', direction: 'ASC' },
  filter: filterOn(fieldTable, {}),
})

/** Returns the custom fields of the account, oldest first. */
export async function list(ctx: Ctx): Promise<CustomField[]> {
  return ctx.load(allFields, 'all')
}

const allFields = single((ctx) => fieldTable.select(ctx, sql`ORDER BY f.id LIMIT ${maxCustomFields}::int`))

/** Loads custom fields by id; locks a custom field until the transaction ends. */
export const { byId, lock } = fieldTable

/** Returns a custom field and locks it against changes until the transaction ends. **Throws** NOT_FOUND. */
export async function mustExist(tx: Ctx, id: string | number, field = 'customFieldId'): Promise<CustomField> {
  return fieldTable.lock(tx, id, field, 'FOR SHARE')
}

/** Returns the custom fields that exist and locks them against changes until the transaction ends. */
export async function lockAll(tx: Ctx, ids: readonly number[]): Promise<Map<number, CustomField>> {
  const rows = await fieldTable.select(tx, sql`AND f.id = ANY(${ids}::int[]) ORDER BY f.id FOR SHARE`)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Creates a custom field. The type SELECT requires at least one option; the other types allow none.
 *
 * **Emits** `custom_field.created`. **Throws** VALIDATION_ERROR, also if another custom field has the name or the account has
 * 1,000 custom fields.
 */
export async function create(ctx: Ctx, input: NewField): Promise<{ customField: CustomField }> {
  const { values = [], ...rest } = check(NewField, sent(input))
  checkOptions(rest.type, values)
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'custom fields')
    const count = await tx.db.customField.count({ where: { accountId: tx.accountId } })
    if (count >= maxCustomFields)
      throw invalid(
        { name: [`would exceed the maximum of ${maxCustomFields} custom fields per account`] },
        'LIMIT_REACHED',
      )
    const now = tx.clock.now()
    const data = { ...rest, values, accountId: tx.accountId, createdAt: now, updatedAt: now }
    const customField = await rejectTakenName(() => tx.db.customField.create({ data }))
    await emit(tx, 'custom_field.created', { customFieldId: customField.id })
    return { customField }
  })
}

/**
 * Renames a custom field or replaces its options. Values that contacts already have are kept. The type cannot be changed.
 *
 * **Emits** `custom_field.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined; values?: readonly string[] | null | undefined },
): Promise<{ customField: CustomField }> {
  const { id: ref, ...rest } = input
  const change = sent(check(FieldChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    // Two transactions that first lock FOR SHARE and then update would deadlock.
    const { id, type } = await fieldTable.lock(tx, ref)
    if (change.values) checkOptions(type, change.values)
    const where = { accountId_id: { accountId: tx.accountId, id } }
    const data = { ...change, updatedAt: tx.clock.now() }
    const customField = await rejectTakenName(() => tx.db.customField.update({ where, data }))
    await emit(tx, 'custom_field.updated', { customFieldId: id })
    return { customField }
  })
}

/**
 * Deletes a custom field and all values that contacts have for it, many of them in the background. **Emits**
 * `custom_field.deleted`, and nothing for the contacts. **Throws** NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const id = idOf('CustomField', input.id)
    const { count } = await tx.db.customField.deleteMany({ where: { accountId: tx.accountId, id } })
    if (count === 0) throw fieldTable.notFound()
    await removeLinks(tx, { type: 'CustomField', id })
    await emit(tx, 'custom_field.deleted', { customFieldId: id })
    return { databaseId: id }
  })
}

function checkOptions(type: CustomField['type'], values: readonly string[]): void {
  if (type === 'SELECT' && values.length === 0)
    throw invalid({ values: ['must contain at least 1 option'] }, 'REQUIRED')
  if (type !== 'SELECT' && values.length > 0) throw invalid({ values: ['are allowed only for the type SELECT'] })
}

async function rejectTakenName(write: () => Promise<CustomField>): Promise<CustomField> {
  try {
    return await write()
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002')
      throw invalid({ name: ['is already used by another custom field'] }, 'TAKEN')
    throw error
  }
}
