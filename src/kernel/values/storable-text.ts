import { invalid } from '../errors.ts'

/** Why text cannot be stored. Continues a sentence that begins with the field. */
export const unstorableMessage = 'must not contain characters that cannot be stored: NUL, or half of a surrogate pair'

/** Maximum length of a key in a path, and of a path. They limit the memory for deep values. */
const [maxKeyLength, maxPathLength] = [50, 8]

/** Where a text is: the path of the value, and whether the text is a key of the object there. */
interface TextPlace {
  readonly path: readonly string[]
  readonly isKey: boolean
}

/** Returns whether PostgreSQL can store a text: it has no NUL and no unpaired surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Finds text in a value that PostgreSQL cannot store unchanged, also in the keys of JSON objects. Uses a list instead of
 * recursion, because JSON can be nested to any depth. Text under the key `exempt` is not checked.
 */
export function findUnstorableText(input: unknown, exempt?: string): TextPlace | undefined {
  const waiting: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: input, path: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && !isStorable(value)) return { path, isKey: false }
    if (typeof value !== 'object' || value === null) continue
    for (const [key, each] of Object.entries(value)) {
      if (!isStorable(key)) return { path, isKey: true }
      if (key === exempt && typeof each === 'string') continue
      if (typeof each === 'string' || typeof each === 'object')
        waiting.push({ value: each, path: [...path, shortened(key)].slice(0, maxPathLength) })
    }
  }
  return undefined
}

/**
 * Parses JSON that a client sent. **Throws** SyntaxError, and VALIDATION_ERROR with the path of text that cannot be stored.
 */
export function readJson(body: Uint8Array): unknown {
  const value: unknown = JSON.parse(new TextDecoder().decode(body))
  const place = findUnstorableText(value)
  if (!place) return value
  throw invalid({
    [place.path.join('.') || 'body']: [place.isKey ? `${unstorableMessage} in a key` : unstorableMessage],
  })
}

/**
 * Parses the fields of a URL-encoded form or of a query. They never have half of a surrogate pair. **Throws** VALIDATION_ERROR
 * with the name of a field that cannot be stored.
 */
export function readFields(encoded: Uint8Array | string): URLSearchParams {
  const fields = new URLSearchParams(typeof encoded === 'string' ? encoded : new TextDecoder().decode(encoded))
  for (const [name, value] of fields) {
    if (isStorable(name) && isStorable(value)) continue
    throw invalid({ [shortened(name).replaceAll('\0', '') || 'body']: [unstorableMessage] })
  }
  return fields
}

function shortened(key: string): string {
  return key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key
}

/**
 * Returns one line of text that can be stored: without control characters and lone surrogates. Reads only the begin of a long
 * text.
 */
export function oneLine(text: string, maxLength: number): string {
  return text
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}
