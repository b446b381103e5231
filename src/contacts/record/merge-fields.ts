import { boundedText } from '../../kernel/values/bounded-text.ts'

/** A placeholder in a text whose value depends on the recipient. */
export interface MergeField {
  /** Name in capitals, or `FIELD.` and the name of a custom field. */
  readonly name: string
  /** Text that is used if the value is empty, without white space at both ends. */
  readonly fallback: string
  /** Start index in the text. */
  readonly index: number
  /** Number of characters in the text. */
  readonly length: number
}

/** A text split into plain text and merge fields, in order. */
export type MergeParts = readonly (string | MergeField)[]

/** Returns the value of a field by name, or an empty string if it has none. */
export type Values = (name: string) => string

// No repetition is followed by a pattern that matches the same characters, so the time is linear for any text.
const pattern = /\{\{\s*(?:FIELD\.([^{}:]{1,255})|([a-z][a-z0-9_]{0,63})\s*)(?::([^{}]*))?\}\}/gi

/** Parses the merge fields of a text: `{{NAME}}`, `{{NAME:fallback}}`, `{{FIELD.name of a custom field}}`. */
export function mergeParts(text: string): MergeParts {
  const parts: (string | MergeField)[] = []
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, custom, plain = '', fallback = ''] = match
    if (match.index > done) parts.push(text.slice(done, match.index))
    const name = custom === undefined ? plain.toUpperCase() : `FIELD.${custom.trim()}`
    parts.push({ name, fallback: fallback.trim(), index: match.index, length: whole.length })
    done = match.index + whole.length
  }
  if (done < text.length) parts.push(text.slice(done))
  return parts
}

/** Maximum number of bytes of a text with its merge fields filled in. */
const defaultMaxBytes = 16_000

/**
 * Replaces merge fields by values in one pass, so a value that looks like a merge field stays text. Fallbacks are written by
 * the author and are not encoded. Fields with neither value nor fallback are removed. `limit.what` names the text in errors.
 * **Throws** TextTooLongError if the result would have more than `limit.maxBytes` bytes in UTF-8.
 */
export function fill(
  parts: MergeParts,
  values: Values,
  { what, maxBytes }: { what: string; maxBytes: number } = { what: 'The text', maxBytes: defaultMaxBytes },
): string {
  const text = boundedText(what, maxBytes)
  for (const part of parts) text.add(typeof part === 'string' ? part : values(part.name) || part.fallback)
  return text.end()
}

/**
 * Returns values that are encoded for a place in a text. Each is encoded once, however often the text contains it, so the
 * time depends on the length of the values only once.
 */
export function encoded(values: Values, encode: (value: string) => string): Values {
  const known = new Map<string, string>()
  return (name) => {
    let value = known.get(name)
    if (value === undefined) {
      value = encode(values(name))
      known.set(name, value)
    }
    return value
  }
}
