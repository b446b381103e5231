import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import type { OneOf } from '../../kernel/one-of.ts'
import { address, checkAt } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'

const EmailLookup = z.object({ email: address })

/** Identifies a contact by its id, by its e-mail address, or by both, which then must both match. */
export type ContactRef = OneOf<{
  id: string | number
  email: string
  idAndEmail: { id: string | number; email: string }
}>

export const contactTable = table('Contact', 'c')
export const contactColumns = contactTable.columns
export type Contact = RowOf<typeof contactTable>

/** Loads contacts by id; returns NOT_FOUND, to be thrown. */
export const { byId, notFound } = contactTable

/** Finds a contact. `path` is the path of the reference in errors. **Throws** VALIDATION_ERROR for a malformed one. */
export async function find(ctx: Ctx, ref: ContactRef, path = 'contact'): Promise<Contact | null> {
  return select(ctx, ref, path, sql``)
}

/** Finds a contact as `find` does, and locks its row until the transaction ends. */
export async function findLocked(tx: Ctx, ref: ContactRef): Promise<Contact | null> {
  return select(tx, ref, 'contact', sql`FOR UPDATE`)
}

/** Finds and locks a contact as `findLocked` does. **Throws** also NOT_FOUND. */
export async function lock(tx: Ctx, ref: ContactRef): Promise<Contact> {
  const contact = await findLocked(tx, ref)
  if (!contact) throw notFound(pathOf(ref))
  return contact
}

/** Returns the path of the value that identifies a contact. `path` is the path of the reference. */
export function pathOf(ref: ContactRef, path = 'contact'): string {
  return `${path}.${ref.idAndEmail ? 'idAndEmail' : ref.id == null ? 'email' : 'id'}`
}

async function select(ctx: Ctx, ref: ContactRef, path: string, locking: Sql): Promise<Contact | null> {
  const [{ id, email }, at] = ref.idAndEmail ? [ref.idAndEmail, `${path}.idAndEmail`] : [ref, path]
  const matchesId = id == null ? sql`` : sql`AND c.id = ${idOf('Contact', id, `${at}.id`)}`
  const matchesEmail =
    email == null ? sql`` : sql`AND address_key(c.email) = address_key(${checkAt(at, EmailLookup, { email }).email})`
  const [row] = await contactTable.select(ctx, sql`${matchesId} ${matchesEmail} ${locking}`)
  return row ?? null
}
