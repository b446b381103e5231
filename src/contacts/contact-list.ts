import { z } from 'zod'
import { countOf } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { relevance } from '../db/filter-search.ts'
import { type ListArgs, newList, type Page, type Varied, type Within } from '../db/list.ts'
import { nestedPageOf, pagesOf, pagesWithin, variedPageOf } from '../db/pages.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { address, checkAt } from '../kernel/check.ts'
import { idOf } from '../kernel/ids.ts'
import type { OneOf } from '../kernel/one-of.ts'
import { type ContactFilter, contactDocument, contactFilter } from './contact-filter.ts'

const EmailLookup = z.object({ email: address })

/** Identifies a contact by its id, by its e-mail address, or by both, which then must both match. */
export type ContactRef = OneOf<{
  id: string | number
  email: string
  idAndEmail: { id: string | number; email: string }
}>

export type ContactListArgs = ListArgs<ContactFilter, keyof (typeof contacts)['orders']>

export const contactTable = table('Contact', 'c')
export const contactColumns = contactTable.columns
export type Contact = RowOf<typeof contactTable>

/** All contacts of an account. */
export const contacts = newList(contactTable, {
  name: 'contacts',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    LAST_ACTIVE_AT: { by: sql`coalesce(c.last_active_at, c.created_at)`, kind: 'time' },
    EMAIL: { by: sql`address_key(c.email)`, kind: 'text' },
    FIRST_NAME: { by: sql`lower(c.first_name)`, kind: 'text' },
    LAST_NAME: { by: sql`lower(c.last_name)`, kind: 'text' },
    RELEVANCE: relevance(contactDocument),
  },
  filter: contactFilter,
  counter: (ctx) => countOf(ctx, 'contacts'),
})

const ofTag: Within = {
  name: 'tag',
  from: (ctx) => sql`FROM contact_tag ct JOIN contact c ON c.account_id = ct.account_id AND c.id = ct.contact_id
    WHERE ct.account_id = ${ctx.sql.account} AND ct.tag_id = parent.id`,
  links: {
    from: (ctx) => sql`FROM contact_tag ct WHERE ct.account_id = ${ctx.sql.account} AND ct.tag_id = parent.id`,
    id: sql`ct.contact_id`,
    orders: { CREATED_AT: sql`ct.contact_created_at` },
  },
}

/** Returns the contacts of the account. Newest first by default. */
export const list = pagesOf(contacts)

/** Returns the contacts that have a tag. */
export const listOfTag = pagesWithin(contacts, ofTag)

/** Returns the contacts of a parent in a higher module. `within` must alias the contact table as `c`. */
export async function listWithin(
  ctx: Ctx,
  within: Within,
  parentId: number,
  args: ContactListArgs,
): Promise<Page<Contact>> {
  return nestedPageOf(ctx, contacts, within, parentId, args)
}

/** Returns the contacts that a higher module selects for a key. `varied` must alias the contact table as `c`. */
export async function listMatching(
  ctx: Ctx,
  varied: Varied,
  key: string,
  args: ContactListArgs,
): Promise<Page<Contact>> {
  return variedPageOf(ctx, contacts, varied, key, args)
}

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
  if (!contact) throw contactTable.notFound()
  return contact
}

async function select(ctx: Ctx, ref: ContactRef, path: string, locking: Sql): Promise<Contact | null> {
  const [{ id, email }, at] = ref.idAndEmail ? [ref.idAndEmail, `${path}.idAndEmail`] : [ref, path]
  const matchesId = id == null ? sql`` : sql`AND c.id = ${idOf('Contact', id, `${at}.id`)}`
  const matchesEmail =
    email == null ? sql`` : sql`AND address_key(c.email) = address_key(${checkAt(at, EmailLookup, { email }).email})`
  const [row] = await contactTable.select(ctx, sql`${matchesId} ${matchesEmail} ${locking}`)
  return row ?? null
}
