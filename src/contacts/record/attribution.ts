import { z } from 'zod'
import { type Sql, sql } from '../../db/sql.ts'
import { text } from '../../kernel/values/check.ts'

/**
 * What the keys of stored attribution identify: the parameters of advertising networks, the referrer and the landing page. The
 * click ID of a network identifies one click, and the referrer may identify a person. An advertisement or a page never does.
 */
const identified = {
  utm_source: 'advertisement',
  utm_medium: 'advertisement',
  utm_campaign: 'advertisement',
  utm_term: 'advertisement',
  utm_content: 'advertisement',
  utm_id: 'advertisement',
  gclid: 'click',
  gbraid: 'click',
  wbraid: 'click',
  fbclid: 'click',
  msclkid: 'click',
  ttclid: 'click',
  li_fat_id: 'click',
  ad_id: 'advertisement',
  ad_name: 'advertisement',
  adset_id: 'advertisement',
  adset_name: 'advertisement',
  campaign_id: 'advertisement',
  campaign_name: 'advertisement',
  placement: 'advertisement',
  site_source_name: 'advertisement',
  referrer: 'person',
  landing_page: 'page',
} as const

/** All keys of stored attribution. REST and GraphQL have them in this order. */
export const attributionKeys = Object.keys(identified) as readonly AttributionKey[]

const impersonalKeys = attributionKeys.filter((key) => ['advertisement', 'page'].includes(identified[key]))

export type AttributionKey = keyof typeof identified

/** Attribution values by key. Unknown keys and empty values are absent. */
export type Attribution = Partial<Record<AttributionKey, string>>

/** Maximum length of one value, in characters. */
export const attributionLength = 255

/** Checks a list of keys and values from a client. Each key must be known and must occur only once. */
export const GivenAttribution = z
  .array(
    z.object({
      key: z.enum(attributionKeys, `must be one of ${attributionKeys.join(', ')}`),
      value: text(attributionLength),
    }),
  )
  .refine((pairs) => new Set(pairs.map(({ key }) => key)).size === pairs.length, 'must have each key once')
  .transform(
    (pairs): Attribution => Object.fromEntries(pairs.flatMap(({ key, value }) => (value === '' ? [] : [[key, value]]))),
  )

/**
 * What is left of an attribution without personal values: the keys that statistics group by and that name no person, unless
 * a link put an e-mail address into one.
 */
export function impersonalAttribution(attribution: Sql): Sql {
  return sql`coalesce((SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(${attribution}) e
    WHERE e.key = ANY(${impersonalKeys}::text[]) AND e.value::text NOT LIKE '%@%' AND e.value::text NOT ILIKE '%\\%40%'),
    '{}'::jsonb)`
}
