import { type Attribution, type AttributionKey, attributionKeys } from '../kernel/attribution.ts'
import { builder } from './builder.ts'

/** One thing that is known of where someone came from. */
export interface AttributionPair {
  readonly key: AttributionKey
  readonly value: string
}

export const AttributionKeyEnum = builder.enumType('AttributionKey', {
  description: 'What can be known of where someone came from.',
  values: Object.fromEntries(
    attributionKeys.map((key) => [
      key.toUpperCase(),
      { value: key, description: `The query parameter, or the fact, \`${key}\`.` },
    ]),
  ) as Record<Uppercase<AttributionKey>, { value: AttributionKey; description: string }>,
})

export const AttributionPairType = builder.objectRef<AttributionPair>('AttributionPair').implement({
  description: 'One thing that is known of where someone came from.',
  fields: (t) => ({
    key: t.expose('key', { type: AttributionKeyEnum, description: 'What is known.' }),
    value: t.exposeString('value', { description: 'What it said.' }),
  }),
})

export const AttributionInput = builder.inputType('AttributionInput', {
  description: 'One thing that is known of where someone came from.',
  fields: (t) => ({
    key: t.field({ type: AttributionKeyEnum, required: true, description: 'What is known.' }),
    value: t.string({ required: true, description: 'What it said: 255 characters at most.' }),
  }),
})

/** What is known, in the order of the keys. */
export function pairsOf(attribution: Attribution): AttributionPair[] {
  return attributionKeys.flatMap((key) => (attribution[key] === undefined ? [] : [{ key, value: attribution[key] }]))
}
