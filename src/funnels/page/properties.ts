// A stored document is read again without trust: it may be older than today's schema, or have come by another way.

export type Properties = Readonly<Record<string, unknown>>

/** The properties of an object; none where it is no object. */
export function propertiesOf(value: unknown): Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Properties) : {}
}

/** The objects of a list that are shown. */
export function visibleObjectsOf(list: unknown): Properties[] {
  return listOf(list)
    .map(propertiesOf)
    .filter(({ hidden }) => hidden !== true)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text; empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''
}

/** A number from `least` to `most`; undefined where it is none of those. */
export function numberOf(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' && value >= least && value <= most ? value : undefined
}
