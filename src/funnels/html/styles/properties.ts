// A stored document may be older than the current schema, so its properties are validated again when they are read.

export type Properties = Readonly<Record<string, unknown>>

/** Returns the properties of an object, or an empty object for other values. */
export function propertiesOf(value: unknown): Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Properties) : {}
}

/** Returns the objects of a list that are not hidden. */
export function visibleObjectsOf(list: unknown): Properties[] {
  return listOf(list)
    .map(propertiesOf)
    .filter(({ hidden }) => hidden !== true)
}

/** Returns a list, or an empty list for other values. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a text without NUL and lone surrogates, or an empty string for other values. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''
}

/** Returns a number from `least` to `most`. Returns undefined for other values. */
export function numberOf(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' && value >= least && value <= most ? value : undefined
}
