import { truncate } from './truncate.ts'

/** Input field with the text of a CSV file. The import reports unstorable text by line, so it is not checked here. */
export const fileField = 'csv'

/** Where a text is: the path of the value, and whether the text is a key of the object there. */
interface TextPlace {
  readonly path: readonly string[]
  readonly isKey: boolean
}

/**
 * Finds text in a value that PostgreSQL cannot store unchanged, also in the keys of JSON objects. Uses a list instead of
 * recursion, because JSON can be nested to any depth.
 */
export function findUnstorableText(input: unknown): TextPlace | undefined {
  const waiting: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: input, path: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && !isStorable(value)) return { path, isKey: false }
    if (typeof value !== 'object' || value === null) continue
    for (const [key, each] of Object.entries(value)) {
      if (!isStorable(key)) return { path, isKey: true }
      // The path is truncated, which limits the memory for deep values.
      if (key === fileField && typeof each === 'string') continue
      if (typeof each === 'string' || typeof each === 'object')
        waiting.push({ value: each, path: [...path, truncate(key, 50)].slice(0, 8) })
    }
  }
  return undefined
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
