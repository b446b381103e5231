import { z } from 'zod'
import type { Ctx } from '../db/context.ts'
import { relevance } from '../db/filter-search.ts'
import {
  type ListArgs,
  nestedPageOf,
  newList,
  type Page,
  pagesOf,
  pagesWithin,
  type Varied,
  variedPageOf,
  type Within,
} from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { address, check } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { type ContactFilter, contactDocument, contactFilter } from './contact-filter.ts'

const EmailLookup = z.object({ email: address.nullish() })

/** Identifies a contact by id, by e-mail address, or by both. If both are set, both must match. */
export interface ContactRef {
  id?: string | number | null | undefined
  email?: string | null | undefined
}

export type ContactListArgs = ListArgs<ContactFilter, keyof (typeof contacts)['orders']>

const contactTable = table('Contact', 'c')
export const contactColumns = contactTable.columns
export type Contact = RowOf<typeof contactTable>

/** All contacts of an account. */
export const contacts = newList(contactTable, {
  name: 'contacts',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    EMAIL: { by: sql`lower(c.email)`, kind: 'text' },
    FIRST_NAME: { by: sql`lower(c.first_name)`, kind: 'text' },
    LAST_NAME: { by: sql`lower(c.last_name)`, kind: 'text' },
    RELEVANCE: relevance(contactDocument),
  },
  filter: contactFilter,
})

const ofTag: Within = {
  name: 'tag',
  from: (ctx) => sql`FROM contact_tag ct JOIN contact c ON c.account_id = ct.account_id AND c.id = ct.contact_id
    WHERE ct.account_id = ${ctx.sql.account} AND ct.tag_id = parent.id`,
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

/** Loads contacts by id. */
export const { byId } = contactTable

/** Finds a contact by reference. **Throws** VALIDATION_ERROR if the reference has neither an id nor an e-mail address. */
export async function find(ctx: Ctx, ref: ContactRef): Promise<Contact | null> {
  return select(ctx, ref, sql``)
}

/** Finds a contact as `find` does, and locks its row until the transaction ends. **Throws** also NOT_FOUND. */
export async function lock(tx: Ctx, ref: ContactRef): Promise<Contact> {
  const contact = await select(tx, ref, sql`FOR UPDATE`)
  if (!contact) throw contactTable.notFound()
  return contact
}

async function select(ctx: Ctx, ref: ContactRef, locking: Sql): Promise<Contact | null> {
  if (ref.id == null && ref.email == null) {
    const message = 'is required if the other of contact_id and email is absent'
    throw invalid({ 'contact.id': [message], 'contact.email': [message] })
  }
  const matchesId = ref.id == null ? sql`` : sql`AND c.id = ${idOf('Contact', ref.id, 'contact.id')}`
  const matchesEmail =
    ref.email == null ? sql`` : sql`AND lower(c.email) = lower(${check(EmailLookup, ref).email ?? ''})`
  const [row] = await contactTable.select(ctx, sql`${matchesId} ${matchesEmail} ${locking}`)
  return row ?? null
}
