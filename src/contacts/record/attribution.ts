import { z } from 'zod'
import { type Sql, sql } from '../../db/sql.ts'
import { text } from '../../kernel/values/check.ts'

/** Keys of stored attribution: the parameters of advertising networks, the referrer and the landing page. */
export const attributionKeys = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
  'gclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'msclkid',
  'ttclid',
  'li_fat_id',
  'ad_id',
  'ad_name',
  'adset_id',
  'adset_name',
  'campaign_id',
  'campaign_name',
  'placement',
  'site_source_name',
  'referrer',
  'landing_page',
] as const

/**
 * Keys that identify an advertisement or a page, never a person. The other keys are the referrer and the click IDs of
 * networks, each of which identifies one click.
 */
const impersonalKeys: readonly AttributionKey[] = [
  ...(['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'utm_id'] as const),
  ...(['ad_id', 'ad_name', 'adset_id', 'adset_name', 'campaign_id', 'campaign_name'] as const),
  ...(['placement', 'site_source_name', 'landing_page'] as const),
]

export type AttributionKey = (typeof attributionKeys)[number]

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
    WHERE e.key = ANY(${[...impersonalKeys]}::text[]) AND e.value::text NOT LIKE '%@%' AND e.value::text NOT ILIKE '%\\%40%'),
    '{}'::jsonb)`
}
