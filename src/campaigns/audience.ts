import type { Contact } from '../../prisma/generated/client/client.ts'
import { contactList, contactTags } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import type { Page } from '../db/list.ts'
import type { Loader } from '../db/load.ts'
import { empty, join, type Sql, sql } from '../db/sql.ts'
import { recipients } from '../mail/index.ts'
import { enrolmentList } from '../sequences/index.ts'
import {
  type AudienceFilter,
  criterionOf,
  everyone,
  filterOver,
  type GivenFilter,
  isEmpty,
  type ListName,
  listNames,
  possible,
} from './audience-filter.ts'

/** Whom a filter chooses at this moment. Nobody is asked for before someone asks for them. */
export interface Audience {
  readonly filter: AudienceFilter
  readonly sendToAll: boolean
  /** The same text for the same choice. */
  readonly key: string
}

export interface Size {
  /** All who match. */
  total: number
  /** Those of them who have agreed to marketing e-mail: only they are sent a campaign. */
  optIn: number
}

/** Those whom a filter chooses; without one, everyone. Fails with VALIDATION_ERROR for an id of another type. */
export function chosenBy(given: GivenFilter | null | undefined): Audience {
  return audienceOf(filterOver(everyone, given), 'EVERYONE')
}

/** Those whom a campaign is for: its filter's choice, everyone where it says so, and nobody where it says nothing. */
export function audienceOfCampaign(campaign: { sendToAll: boolean; filters: unknown }): Audience {
  const filter = { ...everyone, ...(campaign.filters as Partial<AudienceFilter>) }
  return audienceOf(filter, campaign.sendToAll ? 'ALL' : 'NOBODY')
}

type Otherwise = 'ALL' | 'EVERYONE' | 'NOBODY'

/** `ALL` overrules the filter; the others say what a filter without any list stands for. */
function audienceOf(filter: AudienceFilter, otherwise: Otherwise): Audience {
  return { filter, sendToAll: otherwise === 'ALL', key: JSON.stringify([otherwise, filter]) }
}

/** How many an audience is. Those of many are counted in one statement. */
export const sizeOf: Loader<string, Size> = {
  otherwise: () => ({ total: 0, optIn: 0 }),
  batch: async (ctx, keys) => {
    const each = keys.map(
      (key) => sql`SELECT ${key}::text AS key, count(*)::int AS total,
        count(*) FILTER (WHERE c.email_marketing)::int AS "optIn" ${membersOf(ctx, key)}`,
    )
    const rows = await ctx.sql<Size & { key: string }>`${join(each, ' UNION ALL ')}`
    return new Map(rows.map(({ key, total, optIn }) => [key, { total, optIn }]))
  },
}

/** The contacts of an audience, whether or not they have agreed to marketing e-mail. */
export async function contactsOf(
  ctx: Ctx,
  audience: Audience,
  args: contactList.ContactListArgs,
): Promise<Page<Contact>> {
  return contactList.listMatching(ctx, { name: 'audience', from: membersOf }, audience.key, args)
}

/** `FROM … WHERE` of an audience's contacts, whom it calls `c`. */
export function membersOf(ctx: Ctx, key: string): Sql {
  const [otherwise, filter] = JSON.parse(key) as [Otherwise, AudienceFilter]
  const from = sql`FROM contact c WHERE c.account_id = ${ctx.sql.account}`
  if (otherwise === 'ALL') return from
  if (isEmpty(filter)) return otherwise === 'NOBODY' ? sql`${from} AND false` : from
  const chosen = (direction: 'include' | 'exclude') =>
    listNames.flatMap((name) => (name.startsWith(direction) && filter[name] ? [idsIn(ctx, name, filter[name])] : []))
  const included = chosen('include')
  const within = included.length === 0 ? empty : sql`AND ${isIn(included, filter.match)}`
  const without = chosen('exclude').map(
    (ids) => sql` AND NOT EXISTS (SELECT FROM (${ids}) x WHERE x.contact_id = c.id)`,
  )
  return sql`${from} ${within}${without.length === 0 ? empty : join(without, '')}`
}

function isIn(groups: readonly Sql[], match: AudienceFilter['match']): Sql {
  // One set of ids: a chain of ORs would be asked anew for every contact of the account, and of UNION ALL the planner cannot
  // tell how many different ids it has, and looks them up one by one.
  if (match === 'ANY') return sql`c.id IN (${join([...groups], ' UNION ')})`
  return join(
    groups.map((ids) => sql`c.id IN (${ids})`),
    ' AND ',
  )
}

/** Selects the contacts that a list of a filter is about. */
function idsIn(ctx: Ctx, name: ListName, given: readonly number[]): Sql {
  const ids = possible(given)
  const criterion = criterionOf(name)
  switch (criterion) {
    case 'Tag':
      return contactTags.contactIdsWithTags(ctx, ids)
    case 'Sequence':
      return enrolmentList.contactsIn(ctx, ids)
    default:
      return recipients.contactsWithReaction(ctx, criterion, ids)
  }
}
