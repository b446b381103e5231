import { builder } from '../../graphql/schema/builder.ts'
import { type Attribution, type AttributionKey, attributionKeys } from './attribution.ts'

/** One attribution parameter and its value. */
interface AttributionPair {
  readonly key: AttributionKey
  readonly value: string
}

export const AttributionKeyEnum = builder.enumType('AttributionKey', {
  description: 'Name of an attribution parameter.',
  values: Object.fromEntries(
    attributionKeys.map((key) => [key.toUpperCase(), { value: key, description: descriptionOf(key) }]),
  ) as Record<Uppercase<AttributionKey>, { value: AttributionKey; description: string }>,
})

function descriptionOf(key: AttributionKey): string {
  if (key === 'referrer') return 'URL of the external page that linked to the landing page.'
  if (key === 'landing_page') return 'Path of the page on which the visitor arrived.'
  return `Query parameter \`${key}\` of the landing page.`
}

export const AttributionPairType = builder.objectRef<AttributionPair>('AttributionPair').implement({
  description: 'An attribution parameter with its value. Attribution records where a visitor came from.',
  fields: (t) => ({
    key: t.expose('key', { type: AttributionKeyEnum, description: 'Name of the parameter.' }),
    value: t.exposeString('value', { description: 'Value of the parameter.' }),
  }),
})

export const AttributionInput = builder.inputType('AttributionInput', {
  description: 'An attribution parameter with its value. Attribution records where a visitor came from.',
  fields: (t) => ({
    key: t.field({ type: AttributionKeyEnum, required: true, description: 'Name of the parameter.' }),
    value: t.string({ required: true, description: 'Value of the parameter. Maximum 255 characters.' }),
  }),
})

/** Returns the attribution as pairs, in the order of `attributionKeys`. */
export function pairsOf(attribution: Attribution): AttributionPair[] {
  return attributionKeys.flatMap((key) => (attribution[key] === undefined ? [] : [{ key, value: attribution[key] }]))
}
