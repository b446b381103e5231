/** Size of a result: its objects, and the bytes of its texts. */
export interface ResultSize {
  readonly objects: number
  readonly bytes: number
}

/** Bytes of the texts that were counted of the result that is measured. */
let bytes = 0

/** Length from which the bytes of a text are counted exactly. Shorter texts have at most three times as many. */
const longText = 1_000

/** Returns the size of the data of a result. */
export function sizeOfResult(data: unknown): ResultSize {
  bytes = 0
  // The result itself is no object of the graph.
  const objects = Math.max(sizeOf(data) - 1, 0)
  return { objects, bytes }
}

/** Counts the bytes of a text. */
function countText(text: string): void {
  bytes += text.length < longText ? text.length : Buffer.byteLength(text)
}

/** Counts the objects in a value, and the bytes of its texts. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') countText(value)
  if (typeof value !== 'object' || value === null) return 0
  let size = 0
  if (Array.isArray(value)) {
    for (const item of value) size += sizeOf(item)
    return size
  }
  size += 1
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key]
    // Most fields are not objects. A call for each of them took as long as the rest.
    if (typeof field === 'object') size += sizeOf(field)
    else if (typeof field === 'string') countText(field)
  }
  return size
}

/** Returns the name of the fields of a result whose texts have the most bytes together. */
export function largestField(data: unknown): string {
  const sizes = new Map<string, number>()
  const add = (value: unknown, name: string): void => {
    if (typeof value === 'string') sizes.set(name, (sizes.get(name) ?? 0) + value.length)
    else if (Array.isArray(value)) for (const item of value) add(item, name)
    else if (value !== null && typeof value === 'object')
      for (const [key, field] of Object.entries(value)) add(field, key)
  }
  add(data, '')
  return [...sizes].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? ''
}
