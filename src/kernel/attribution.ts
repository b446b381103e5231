import { z } from 'zod'
import { text } from './check.ts'

/** What is kept of where a visitor came from: the keys of the advertising networks, the referrer and the landing page. */
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
 * The keys that name an advertisement or a page, never a person. The others are the click ids of the networks, which each
 * name one click, and the referrer.
 */
export const impersonalKeys: readonly AttributionKey[] = [
  ...(['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'utm_id'] as const),
  ...(['ad_id', 'ad_name', 'adset_id', 'adset_name', 'campaign_id', 'campaign_name'] as const),
  ...(['placement', 'site_source_name', 'landing_page'] as const),
]

export type AttributionKey = (typeof attributionKeys)[number]

/** The keys that are known, each with a text; a key that is not known is not there, and neither is an empty text. */
export type Attribution = Partial<Record<AttributionKey, string>>

/** The most characters of one value. */
export const attributionLength = 255

/** Checks a list of keys and values as clients give it: each key once, and known. */
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
