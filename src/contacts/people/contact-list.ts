import { countOf } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import {
  type InnerList,
  type KeyedList,
  type ListArgs,
  newList,
  type OrderKey,
  type Page,
} from '../../db/lists/list.ts'
import { keyedPageOf, nestedPageOf, pagesOf, pagesWithin } from '../../db/lists/pages.ts'
import { relevance } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type ContactFilter, contactDocument, contactFilter } from '../filters/contact-filter.ts'
import { type Contact, contactTable } from '../record/contact-lookup.ts'
import { mapSortedTexts } from '../record/fields.ts'
import { contactFacets } from './contact-facets.ts'

export { byId, type Contact, find, findLocked, lock, notFound, pathOf } from '../record/contact-lookup.ts'

export type ContactListArgs = ListArgs<ContactFilter, keyof (typeof contacts)['orders']>

/** All contacts of an account. */
export const contacts = newList(contactTable, {
  name: 'contacts',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    LAST_ACTIVE_AT: { by: sql`coalesce(c.last_active_at, c.created_at)`, kind: 'time' },
    ...mapSortedTexts(({ key }): OrderKey | keyof Contact => key),
    EMAIL: { by: sql`address_key(c.email)`, kind: 'text' },
    RELEVANCE: relevance(contactDocument),
  },
  filter: contactFilter,
  counter: (ctx) => countOf(ctx, 'contacts'),
  facets: contactFacets,
})

const ofTag: InnerList = {
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
  within: InnerList,
  parentId: number,
  args: ContactListArgs,
): Promise<Page<Contact>> {
  return nestedPageOf(ctx, contacts, within, parentId, args)
}

/** Returns the contacts that a higher module selects for a key. `keyed` must alias the contact table as `c`. */
export async function listMatching(
  ctx: Ctx,
  keyed: KeyedList,
  key: string,
  args: ContactListArgs,
): Promise<Page<Contact>> {
  return keyedPageOf(ctx, contacts, keyed, key, args)
}
