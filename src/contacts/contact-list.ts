import { z } from 'zod'
import type { Contact } from '../../prisma/generated/client/client.ts'
import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import {
  type List,
  type ListArgs,
  nestedPageOf,
  type Page,
  pageOf,
  type Varied,
  variedPageOf,
  type Within,
} from '../db/list.ts'
import { one } from '../db/load.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { address, check } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'

const Lookup = z.object({ email: address.nullish() })

/** Names a contact by id, by e-mail address, or by both, which must agree. */
export interface ContactRef {
  id?: string | number | null | undefined
  email?: string | null | undefined
}

/** Which contacts a list is about; conditions are joined by AND. */
export interface ContactFilter {
  period?: Period | null | undefined
  range?: DateRange | null | undefined
  tagIds?: readonly (string | number)[] | null | undefined
  email?: string | null | undefined
  emailMarketing?: boolean | null | undefined
  gdpr?: boolean | null | undefined
  search?: string | null | undefined
}

export type ContactOrderField = 'CREATED_AT' | 'EMAIL'
export type ContactListArgs = ListArgs<ContactFilter, ContactOrderField>

export const contactColumns = sql`c.account_id AS "accountId", c.id, c.email, c.first_name AS "firstName", c.last_name AS "lastName",
  c.phone, c.company_name AS "companyName", c.city, c.country, c.email_marketing AS "emailMarketing", c.gdpr,
  c.created_at AS "createdAt", c.updated_at AS "updatedAt"`

/** All contacts of an account. */
export const contacts: List<Contact, ContactFilter, ContactOrderField> = {
  name: 'contacts',
  columns: contactColumns,
  from: (ctx) => sql`FROM contact c WHERE c.account_id = ${ctx.sql.account}`,
  id: sql`c.id`,
  orders: { CREATED_AT: { by: sql`c.created_at`, kind: 'time' }, EMAIL: { by: sql`lower(c.email)`, kind: 'text' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: conditions,
}

const ofTag: Within = {
  name: 'tag',
  from: (ctx) => sql`FROM contact_tag ct JOIN contact c ON c.account_id = ct.account_id AND c.id = ct.contact_id
    WHERE ct.account_id = ${ctx.sql.account} AND ct.tag_id = parent.id`,
}

/** The account's contacts, the newest first unless ordered otherwise. */
export async function list(ctx: Ctx, args: ContactListArgs): Promise<Page<Contact>> {
  return pageOf(ctx, contacts, args)
}

/** The contacts that have a tag. */
export async function listOfTag(ctx: Ctx, tagId: number, args: ContactListArgs): Promise<Page<Contact>> {
  return nestedPageOf(ctx, contacts, ofTag, tagId, args)
}

/** The contacts that a room above ties to a parent of its own; `within` calls them `c`. */
export async function listWithin(
  ctx: Ctx,
  within: Within,
  parentId: number,
  args: ContactListArgs,
): Promise<Page<Contact>> {
  return nestedPageOf(ctx, contacts, within, parentId, args)
}

/** The contacts that a room above chooses by rules of its own, a key for each; `varied` calls them `c`. */
export async function listChosen(ctx: Ctx, varied: Varied, key: string, args: ContactListArgs): Promise<Page<Contact>> {
  return variedPageOf(ctx, contacts, varied, key, args)
}

/** Reads contacts by id. */
export const byId = one<number, Contact>(async (ctx, ids) => {
  const rows = await ctx.sql<Contact>`
    SELECT ${contactColumns} FROM contact c WHERE c.account_id = ${ctx.sql.account} AND c.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The contact a reference names, or null. Fails with VALIDATION_ERROR where it names neither id nor e-mail. */
export async function find(ctx: Ctx, ref: ContactRef): Promise<Contact | null> {
  return select(ctx, ref, sql``)
}

/** The same with its row locked until the transaction ends. Fails with NOT_FOUND. */
export async function lock(tx: Ctx, ref: ContactRef): Promise<Contact> {
  const contact = await select(tx, ref, sql`FOR UPDATE`)
  if (!contact) throw refuse('NOT_FOUND', 'There is no such contact.')
  return contact
}

async function select(ctx: Ctx, ref: ContactRef, locking: Sql): Promise<Contact | null> {
  if (ref.id == null && ref.email == null) {
    const message = 'is required when the other of contact_id and email is absent'
    throw invalid({ 'contact.id': [message], 'contact.email': [message] })
  }
  const byNumber = ref.id == null ? sql`` : sql`AND c.id = ${idOf('Contact', ref.id, 'contact.id')}`
  const byEmail = ref.email == null ? sql`` : sql`AND lower(c.email) = lower(${check(Lookup, ref).email ?? ''})`
  const [row] = await ctx.sql<Contact>`
    SELECT ${contactColumns} FROM contact c WHERE c.account_id = ${ctx.sql.account} ${byNumber} ${byEmail} ${locking}`
  return row ?? null
}

async function conditions(filter: ContactFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = filter.period ? await spanFor(ctx, filter.period, filter.range) : {}
  const all: (Sql | undefined)[] = [
    from && sql`c.created_at >= ${from}::timestamptz`,
    until && sql`c.created_at < ${until}::timestamptz`,
    filter.email == null ? undefined : sql`lower(c.email) = lower(${check(Lookup, filter).email ?? ''})`,
    filter.emailMarketing == null ? undefined : sql`c.email_marketing = ${filter.emailMarketing}`,
    filter.gdpr == null ? undefined : sql`c.gdpr = ${filter.gdpr}`,
    filter.tagIds == null ? undefined : hasTag(ctx, filter.tagIds),
    filter.search
      ? sql`lower(c.email || ' ' || c.first_name || ' ' || c.last_name) LIKE lower(${containing(filter.search)})`
      : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}

function hasTag(ctx: Ctx, tagIds: readonly (string | number)[]): Sql {
  const ids = tagIds.map((id) => idOf('Tag', id, 'filter.tagIds'))
  return sql`EXISTS (SELECT FROM contact_tag has WHERE has.account_id = ${ctx.sql.account} AND has.contact_id = c.id
    AND has.tag_id = ANY(${ids}::int[]))`
}
