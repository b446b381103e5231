import type { Contact } from '../../../prisma/generated/client/client.ts'
import { consents, contactFilters, contactList, topicMemberships } from '../../contacts/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { compileFilter, type Exclusion } from '../../db/filters/filter.ts'
import type { Page } from '../../db/lists/list.ts'
import { join, type Sql, sql } from '../../db/sql.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { emails, suppressions } from '../../mail/index.ts'
import { type AudienceInput, mergeAudience, type StoredAudience, toFilter } from './audience-filter.ts'

/** A selection of contacts. Its size and its contacts are read only on demand. */
export interface Audience {
  readonly filter: contactFilters.ContactFilter
  readonly sendToAll: boolean
  /** The topic of the e-mail. Null if it has none. */
  readonly topicId: number | null
  /** Identifies the selection: equal for equal selections, so that loaders can batch and cache by it. */
  readonly key: string
}

interface AudienceSize {
  /** Number of contacts that match. */
  total: number
  /** Number of matching contacts that consented to marketing e-mail and get the topic. Campaigns are sent only to these. */
  optIn: number
}

/**
 * Returns the audience of a filter; without a condition, all contacts. **Throws** VALIDATION_ERROR, and FORBIDDEN for a
 * condition whose scope the key lacks.
 */
export async function selectAudience(
  ctx: Ctx,
  { topicId, ...input }: AudienceInput & { readonly topicId?: string | number | null | undefined },
): Promise<Audience> {
  const filter = toFilter(await mergeAudience(ctx, {}, input, ''))
  return audienceOf(filter, 'ANY', topicId == null ? null : idOf('Topic', topicId, 'topicId'))
}

/** Returns the audience of contacts with a tag, or that are enrolled in a sequence. */
export function audienceOfList(lists: StoredAudience): Audience {
  return audienceOf(toFilter(lists), 'ANY')
}

/** Returns the audience of a campaign: all contacts if `sendToAll` is set, no contact if its filter has no condition. */
export async function audienceOfCampaign(
  ctx: Ctx,
  { sendToAll, filters, emailId }: { sendToAll: boolean; filters: unknown; emailId: number },
): Promise<Audience> {
  const email = await ctx.load(emails.byId, emailId)
  return audienceOf(toFilter(filters as StoredAudience), sendToAll ? 'ALL' : 'NONE', email?.topicId ?? null)
}

/** `ALL` overrides the filter. `ANY` and `NONE` are the contacts that a filter without a condition matches. */
type Fallback = 'ALL' | 'ANY' | 'NONE'

function audienceOf(filter: contactFilters.ContactFilter, fallback: Fallback, topicId: number | null = null): Audience {
  return { filter, sendToAll: fallback === 'ALL', topicId, key: JSON.stringify([fallback, filter, topicId]) }
}

/** Returns whether an audience is that of a campaign. Others are selected by an argument. */
export function isStored(key: string): boolean {
  return (JSON.parse(key) as [Fallback])[0] !== 'ANY'
}

/** Loads the sizes of audiences by key, all in one statement. */
export const sizeOf: Loader<string, AudienceSize> = {
  otherwise: () => ({ total: 0, optIn: 0 }),
  batch: async (ctx, keys) => {
    const each = await Promise.all(
      keys.map(
        async (key) => sql`SELECT ${key}::text AS key, count(*)::int AS total,
          count(*) FILTER (WHERE c.email_marketing AND ${getsTopic(ctx, key)})::int AS "optIn" ${await membersOf(ctx, key)}`,
      ),
    )
    const rows = await ctx.sql.limited(each.length, keys.every(isStored))<
      AudienceSize & { key: string }
    >`${join(each, ' UNION ALL ')}`
    return new Map(rows.map(({ key, total, optIn }) => [key, { total, optIn }]))
  },
}

/**
 * Why contacts of an audience get no message, in the order in which reasons are looked for: a contact counts for the first one.
 * Further reasons arise only while a campaign is sent.
 */
const exclusionReasons = ['NO_CONSENT', 'CONSENT_WITHDRAWN', 'NOT_IN_TOPIC', 'ADDRESS_SUPPRESSED'] as const
export type ExclusionReason = (typeof exclusionReasons)[number]

/** The contacts of an audience that get no message, by reason. */
export interface AudienceExclusion {
  readonly reason: ExclusionReason
  readonly count: number
}

/** Loads by key why contacts of audiences get no message, all in one statement. Without reasons that apply to no contact. */
export const exclusionsOf: Loader<string, AudienceExclusion[]> = {
  otherwise: () => [],
  batch: async (ctx, keys) => {
    const hasWithdrawn = consents.hasWithdrawn(ctx, sql`c.id`)
    const isSuppressed = suppressions.isSuppressed(ctx.signer, sql`${ctx.sql.account}::int`, sql`c.email`)
    const firstReasonOf = (key: string) => sql`CASE
      WHEN NOT c.email_marketing THEN CASE WHEN ${hasWithdrawn} THEN 'CONSENT_WITHDRAWN' ELSE 'NO_CONSENT' END
      WHEN NOT ${getsTopic(ctx, key)} THEN 'NOT_IN_TOPIC' WHEN ${isSuppressed} THEN 'ADDRESS_SUPPRESSED' END`
    const each = await Promise.all(
      keys.map(async (key) => {
        const members = await membersOf(ctx, key)
        return sql`SELECT ${key}::text AS key, ${firstReasonOf(key)} AS reason, count(*)::int AS count ${members} GROUP BY 2`
      }),
    )
    const rows = await ctx.sql.limited(each.length, keys.every(isStored))<
      AudienceExclusion & { key: string }
    >`SELECT * FROM (${join(each, ' UNION ALL ')}) s WHERE s.reason IS NOT NULL`
    const placeOf = ({ reason }: AudienceExclusion) => exclusionReasons.indexOf(reason)
    return Map.groupBy(
      rows.toSorted((a, b) => placeOf(a) - placeOf(b)),
      ({ key }) => key,
    )
  },
}

/** Lists the contacts of an audience, with or without consent to marketing e-mail. */
export async function contactsOf(
  ctx: Ctx,
  audience: Audience,
  args: contactList.ContactListArgs,
): Promise<Page<Contact>> {
  return contactList.listMatching(ctx, { name: 'audience', from: membersOf, isStored }, audience.key, args)
}

/**
 * Returns the rows that the filter of an audience excludes and that were deleted or never existed. Without them, the audience
 * is larger than intended.
 */
export async function findDeletedExclusions(ctx: Ctx, { filter, sendToAll }: Audience): Promise<Exclusion[]> {
  if (sendToAll) return []
  const { exclusions } = await compileFilter(ctx, contactFilters.contactFilter, filter, 'filter')
  return contactFilters.findDeleted(ctx, exclusions)
}

/** Returns whether an audience contains a contact that consented to marketing e-mail, and gets that of the topic. */
export async function hasOptedIn(ctx: Ctx, key: string): Promise<boolean> {
  const found =
    await ctx.sql`SELECT ${await membersOf(ctx, key)} AND c.email_marketing AND ${getsTopic(ctx, key)} LIMIT 1`
  return found.length > 0
}

/** Returns the condition that a contact, under the alias `c`, gets messages of the topic of an audience. True if it has none. */
export function getsTopic(ctx: Ctx, key: string): Sql {
  const [, , topicId] = JSON.parse(key) as [Fallback, unknown, number | null]
  if (topicId === null) return sql`true`
  return topicMemberships.receives(sql`${ctx.sql.account}`, sql`c.id`, sql`${topicId}::int`)
}

/** Returns the condition that a contact, under the alias `c`, is in an audience. It is fast for a part of the contacts. */
export async function memberTest(ctx: Ctx, key: string): Promise<Sql> {
  const [fallback, filter] = JSON.parse(key) as [Fallback, contactFilters.ContactFilter]
  if (fallback === 'ALL') return sql`true`
  const { test } = await compileFilter(ctx, contactFilters.contactFilter, filter, 'filter')
  if (typeof test !== 'boolean') return test
  return test && fallback === 'ANY' ? sql`true` : sql`false`
}

/** The `FROM … WHERE` of an audience's contacts, under the alias `c`. */
export async function membersOf(ctx: Ctx, key: string): Promise<Sql> {
  const [fallback, filter] = JSON.parse(key) as [Fallback, contactFilters.ContactFilter]
  const from = sql`FROM contact c WHERE c.account_id = ${ctx.sql.account}`
  if (fallback === 'ALL') return from
  const { condition } = await compileFilter(ctx, contactFilters.contactFilter, filter, 'filter')
  if (condition === true) return fallback === 'NONE' ? sql`${from} AND false` : from
  return sql`${from} AND ${condition === false ? sql`false` : condition}`
}
