import { z } from 'zod'
import type { CustomField } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import type { List } from '../db/list.ts'
import { one } from '../db/load.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { check, name, sent } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'

/** How many definitions an account can have; they are not paged. */
export const mostFields = 1_000

const types = ['TEXT', 'SELECT', 'NUMBER', 'DATE', 'BOOLEAN', 'URL'] as const
// REST shows the options as one text, comma-separated: an option with a comma in it would read as two.
const option = name(255).refine((value) => !value.includes(','), 'must not contain a comma')
const options = z
  .array(option)
  .max(500, 'must have 500 options at most')
  .refine((values) => new Set(values).size === values.length, 'must not repeat an option')
const NewField = z.object({ name: name(255), type: z.enum(types), values: options.optional() })
const FieldChange = z.object({ name: name(255), values: options }).partial()

export interface NewField {
  name: string
  type: (typeof types)[number]
  values?: readonly string[] | null | undefined
}

const columns = sql`f.account_id AS "accountId", f.id, f.name, f.type::text AS type, f.values, f.created_at AS "createdAt"`

/** All definitions of an account, as the other lists are described. */
export const definitions: List<CustomField, object, 'ID'> = {
  name: 'customFields',
  columns,
  from: (ctx) => sql`FROM custom_field f WHERE f.account_id = ${ctx.sql.account}`,
  id: sql`f.id`,
  orders: { ID: { by: sql`f.id`, kind: 'number' } },
  usual: { field: 'ID', direction: 'ASC' },
  where: () => [],
}

/** The account's definitions, in the order in which they were made. */
export async function list(ctx: Ctx): Promise<CustomField[]> {
  return ctx.sql<CustomField>`
    SELECT ${columns} FROM custom_field f WHERE f.account_id = ${ctx.sql.account} ORDER BY f.id LIMIT ${mostFields}::int`
}

/** Reads definitions by id. */
export const byId = one<number, CustomField>(async (ctx, ids) => {
  const rows = await ctx.sql<CustomField>`
    SELECT ${columns} FROM custom_field f WHERE f.account_id = ${ctx.sql.account} AND f.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The definition of this id, locked against changes until the transaction ends. Fails with NOT_FOUND. */
export async function mustExist(tx: Ctx, id: string | number, field = 'customFieldId'): Promise<CustomField> {
  return lock(tx, idOf('CustomField', id, field), sql`FOR SHARE`)
}

/** The definitions of these ids, held against changes until the transaction ends; those that are not there are missing. */
export async function held(tx: Ctx, ids: readonly number[]): Promise<Map<number, CustomField>> {
  const rows = await tx.sql<CustomField>`
    SELECT ${columns} FROM custom_field f
    WHERE f.account_id = ${tx.sql.account} AND f.id = ANY(${ids}::int[]) ORDER BY f.id FOR SHARE`
  return new Map(rows.map((row) => [row.id, row]))
}

async function lock(tx: Ctx, id: number, locking: Sql): Promise<CustomField> {
  const [row] = await tx.sql<CustomField>`
    SELECT ${columns} FROM custom_field f
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} ${locking}`
  if (!row) throw refuse('NOT_FOUND', 'There is no such custom field.')
  return row
}

/**
 * Defines a custom field. Options belong to the type SELECT, which needs at least one. Fails with VALIDATION_ERROR, also
 * for a name that is taken.
 */
export async function create(ctx: Ctx, input: NewField): Promise<{ customField: CustomField }> {
  const { values = [], ...rest } = check(NewField, sent(input))
  checkOptions(rest.type, values)
  return inTransaction(ctx, async (tx) => {
    const others = await tx.db.customField.count({ where: { accountId: tx.accountId } })
    if (others >= mostFields)
      throw invalid({ name: [`would be more than the ${mostFields} custom fields an account can have`] })
    const data = { ...rest, values, accountId: tx.accountId, createdAt: tx.clock.now() }
    return { customField: await unlessTaken(() => tx.db.customField.create({ data })) }
  })
}

/**
 * Renames a custom field, or gives it other options; values that contacts have already are kept. Its type stays. Fails
 * with NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined; values?: readonly string[] | null | undefined },
): Promise<{ customField: CustomField }> {
  const { id: given, ...rest } = input
  const change = sent(check(FieldChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    // Locked as the change will lock it: two who only shared it would each wait for the other.
    const { id, type } = await lock(tx, idOf('CustomField', given), sql`FOR UPDATE`)
    if (change.values) checkOptions(type, change.values)
    const where = { accountId_id: { accountId: tx.accountId, id } }
    return { customField: await unlessTaken(() => tx.db.customField.update({ where, data: change })) }
  })
}

/** Deletes a definition and every contact's value for it. Fails with NOT_FOUND. */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  const id = idOf('CustomField', input.id)
  const { count } = await ctx.db.customField.deleteMany({ where: { accountId: ctx.accountId, id } })
  if (count === 0) throw refuse('NOT_FOUND', 'There is no such custom field.')
  return { databaseId: id }
}

function checkOptions(type: CustomField['type'], values: readonly string[]): void {
  if (type === 'SELECT' && values.length === 0) throw invalid({ values: ['must have at least one option'] })
  if (type !== 'SELECT' && values.length > 0) throw invalid({ values: ['belong to the type SELECT only'] })
}

async function unlessTaken(work: () => Promise<CustomField>): Promise<CustomField> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002') throw invalid({ name: ['is taken by another custom field'] })
    throw error
  }
}
