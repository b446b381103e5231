import type { Contact } from '../../prisma/generated/client/client.ts'
import { contactList, contactTags } from '../contacts/index.ts'
import type { Ctx, Loader } from '../db/context.ts'
import type { Page } from '../db/list.ts'
import { empty, join, type Sql, sql } from '../db/sql.ts'
import { recipients } from '../mail/index.ts'
import { enrolmentList } from '../sequences/index.ts'
import {
  type AudienceFilter,
  type AudienceFilterInput,
  criterionOf,
  everyone,
  isEmpty,
  type ListName,
  listNames,
  mergeFilter,
  validIds,
} from './audience-filter.ts'

/** A selection of contacts. Its size and its contacts are read only on demand. */
export interface Audience {
  readonly filter: AudienceFilter
  readonly sendToAll: boolean
  /** Identifies the selection: equal for equal selections, so that loaders can batch and cache by it. */
  readonly key: string
}

interface AudienceSize {
  /** Number of contacts that match. */
  total: number
  /** Number of matching contacts that consented to marketing e-mail. Campaigns are sent only to these. */
  optIn: number
}

/** Returns the audience of a filter; without a filter, all contacts. Throws VALIDATION_ERROR for an id of another type. */
export function selectAudience(input: AudienceFilterInput | null | undefined): Audience {
  return audienceOf(mergeFilter(everyone, input), 'EVERYONE')
}

/** Returns the audience of a campaign: all contacts if `sendToAll` is set, no contact if its filter is empty. */
export function audienceOfCampaign(campaign: { sendToAll: boolean; filters: unknown }): Audience {
  const filter = { ...everyone, ...(campaign.filters as Partial<AudienceFilter>) }
  return audienceOf(filter, campaign.sendToAll ? 'ALL' : 'NOBODY')
}

/** `ALL` overrides the filter; the others say which contacts an empty filter matches. */
type Fallback = 'ALL' | 'EVERYONE' | 'NOBODY'

function audienceOf(filter: AudienceFilter, fallback: Fallback): Audience {
  return { filter, sendToAll: fallback === 'ALL', key: JSON.stringify([fallback, filter]) }
}

/** Loads the sizes of audiences by key, all in one statement. */
export const sizeOf: Loader<string, AudienceSize> = {
  otherwise: () => ({ total: 0, optIn: 0 }),
  batch: async (ctx, keys) => {
    const each = keys.map(
      (key) => sql`SELECT ${key}::text AS key, count(*)::int AS total,
        count(*) FILTER (WHERE c.email_marketing)::int AS "optIn" ${membersOf(ctx, key)}`,
    )
    const rows = await ctx.sql<AudienceSize & { key: string }>`${join(each, ' UNION ALL ')}`
    return new Map(rows.map(({ key, total, optIn }) => [key, { total, optIn }]))
  },
}

/** Lists the contacts of an audience, with or without consent to marketing e-mail. */
export async function contactsOf(
  ctx: Ctx,
  audience: Audience,
  args: contactList.ContactListArgs,
): Promise<Page<Contact>> {
  return contactList.listMatching(ctx, { name: 'audience', from: membersOf }, audience.key, args)
}

/** The `FROM … WHERE` of an audience's contacts, under the alias `c`. */
export function membersOf(ctx: Ctx, key: string): Sql {
  const [fallback, filter] = JSON.parse(key) as [Fallback, AudienceFilter]
  const from = sql`FROM contact c WHERE c.account_id = ${ctx.sql.account}`
  if (fallback === 'ALL') return from
  if (isEmpty(filter)) return fallback === 'NOBODY' ? sql`${from} AND false` : from
  const selections = (direction: 'include' | 'exclude') =>
    listNames.flatMap((name) => (name.startsWith(direction) && filter[name] ? [idsIn(ctx, name, filter[name])] : []))
  const included = selections('include')
  const within = included.length === 0 ? empty : sql`AND ${isIn(included, filter.match)}`
  const without = selections('exclude').map(
    (ids) => sql` AND NOT EXISTS (SELECT FROM (${ids}) x WHERE x.contact_id = c.id)`,
  )
  return sql`${from} ${within}${without.length === 0 ? empty : join(without, '')}`
}

function isIn(groups: readonly Sql[], match: AudienceFilter['match']): Sql {
  // UNION makes one set of ids. A chain of ORs would be evaluated for every contact of the account; for UNION ALL the
  // planner cannot estimate the number of distinct ids and looks them up one by one.
  if (match === 'ANY') return sql`c.id IN (${join([...groups], ' UNION ')})`
  return join(
    groups.map((ids) => sql`c.id IN (${ids})`),
    ' AND ',
  )
}

/** Selects the contact ids that one list of a filter matches. */
function idsIn(ctx: Ctx, name: ListName, listed: readonly number[]): Sql {
  const ids = validIds(listed)
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
