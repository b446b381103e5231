import { type Ctx, newCtx, type System } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { largestId } from '../kernel/ids.ts'
import { type Form, formColumns } from './form-list.ts'

/** A form that takes submissions, with the context of its account. */
export interface OpenForm {
  readonly ctx: Ctx
  readonly form: Form
}

/** The form of an address, for whoever has that; undefined where it takes no submissions, or is none. */
export async function openForm(system: System, address: string): Promise<OpenForm | undefined> {
  const id = /^[1-9]\d{0,9}$/.test(address) ? Number(address) : 0
  if (id < 1 || id > largestId) return undefined
  const [form] = await system.db.$unscoped<Form>(
    'The address of a form names no account: the form does.',
    sql`SELECT ${formColumns} FROM form f WHERE f.id = ${id}::int AND f.status = 'PUBLISHED' ORDER BY f.account_id LIMIT 1`,
  )
  return form && { ctx: newCtx(system, { accountId: form.accountId }), form }
}
