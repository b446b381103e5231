/** Sizes of results that were counted when they were checked. */
const known = new WeakMap<object, number>()

/** Fields up to which a result is counted again, because that takes less time than to remember their number. */
const fewFields = 50

/** Remembers the number of fields in a result. */
export function rememberSize(data: object, size: number): void {
  if (size > fewFields) known.set(data, size)
}

/** Returns the number of fields in the data of a result, which is counted unless it is remembered. */
export function sizeOfResult(data: unknown): number {
  return known.get(data as object) ?? sizeOf(data)
}

/** Counts the fields of all objects in a value. */
export function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let size = 0
  if (Array.isArray(value)) {
    for (const item of value) size += sizeOf(item)
    return size
  }
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key]
    // A directive has excluded it.
    if (field === undefined) continue
    // Most fields are not objects. A call for each of them took as long as the rest.
    size += typeof field === 'object' && field !== null ? 1 + sizeOf(field) : 1
  }
  return size
}
