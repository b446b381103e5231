import { boundedText } from '../../kernel/values/bounded-text.ts'

/** A name of a field with the text that is used if its value is empty, without white space at both ends. */
interface Reading {
  /** Name in capitals, or `FIELD.` and the name of a custom field. */
  readonly name: string
  readonly fallback: string
}

/** A placeholder in a text whose value depends on the recipient. */
export interface MergeField extends Reading {
  /** What it means if custom fields have colons in their names: the other readings, that with the longest name first. */
  readonly longer?: readonly Reading[]
  /** Start index in the text. */
  readonly index: number
  /** Number of characters in the text. */
  readonly length: number
}

/** A text split into plain text and merge fields, in order. */
export type MergeParts = readonly (string | MergeField)[]

/** Returns the value of a field by name, or an empty string if it has none. */
export interface Values {
  (name: string): string
  /** Whether there is a field with this name, also one without a value. */
  readonly isKnown?: ((name: string) => boolean) | undefined
}

// Programs that check links write braces as %7B and %7D. No repetition is followed by a pattern that matches the same characters,
// so the time is linear for any text.
const pattern = /(?:\{|%7b){2}((?:(?!%7[bd])[^{}])*)(?:\}|%7d){2}/gi
const space = String.raw`(?:\s|%20|&nbsp;|&#160;|&#xa0;)*`
const plainField = new RegExp(`^${space}([a-z][a-z0-9_]{0,63})${space}(?:(?::|%3a)([^]*))?$`, 'i')
const customField = new RegExp(`^${space}FIELD\\.([^]+)$`, 'i')

/** Maximum length of the name of a custom field as it is written, in which a character can be a reference. */
const maxNameLength = 1_000

/** Maximum number of colons in the name of a custom field that is found. */
const maxColons = 4

/**
 * Parses the merge fields of a text: `{{NAME}}`, `{{NAME:fallback}}`, `{{FIELD.name of a custom field}}`, also where a program
 * has percent-encoded them.
 */
export function mergeParts(text: string): MergeParts {
  const parts: (string | MergeField)[] = []
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, inner = ''] = match
    const readings = readingsOf(inner)
    const [shortest] = readings.slice(-1)
    if (!shortest) continue
    if (match.index > done) parts.push(text.slice(done, match.index))
    const longer = readings.slice(0, -1)
    parts.push({ ...shortest, ...(longer.length > 0 && { longer }), index: match.index, length: whole.length })
    done = match.index + whole.length
  }
  if (done < text.length) parts.push(text.slice(done))
  return parts
}

/** Returns the readings of what is between the braces, that with the longest name first. Empty if it is no merge field. */
function readingsOf(inner: string): Reading[] {
  const custom = customField.exec(inner)?.[1]
  if (custom === undefined) {
    const [, name, fallback = ''] = plainField.exec(inner) ?? []
    return name === undefined ? [] : [{ name: name.toUpperCase(), fallback: fallback.trim() }]
  }
  // Only the first ones are read: a fallback can be as long as a body.
  const colons = custom.matchAll(/:|%3a/gi).take(maxColons + 1)
  const whole = { end: custom.length, next: custom.length }
  const ends = [...colons.map(({ 0: { length }, index }) => ({ end: index, next: index + length })), whole]
  return ends
    .slice(0, maxColons + 1)
    .filter(({ end }) => end > 0 && end <= maxNameLength)
    .map(({ end, next }) => ({ name: `FIELD.${custom.slice(0, end).trim()}`, fallback: custom.slice(next).trim() }))
    .reverse()
}

/** A merge field without its place in a text. */
type Readings = Omit<MergeField, 'index' | 'length'>

/** Returns the reading of a merge field with the longest name that a field has, or else that with the shortest. */
export function readingOf(field: Readings, isKnown: Values['isKnown']): Reading {
  return field.longer?.find(({ name }) => isKnown?.(name)) ?? field
}

/** Returns the value of a merge field, or else its fallback. */
export function textOf(field: Readings, values: Values): string {
  const { name, fallback } = readingOf(field, values.isKnown)
  return values(name) || fallback
}

/** Changes the names of a merge field, in each of its readings. */
export function renamed<Field extends Readings>(field: Field, nameOf: (name: string) => string): Field {
  const { name, longer } = field
  return {
    ...field,
    name: nameOf(name),
    ...(longer && { longer: longer.map((each) => ({ ...each, name: nameOf(each.name) })) }),
  }
}

/** Returns the same fields, some of them with another value: `replace` returns it, or undefined if the value stays. */
export function withValues(values: Values, replace: (name: string) => string | undefined): Values {
  return Object.assign((name: string) => replace(name) ?? values(name), { isKnown: values.isKnown })
}

/** Returns the values of the fields of a record. A field is known if the record has its name. */
export function valuesIn(record: Readonly<Record<string, string>>): Values {
  const isKnown = (name: string) => fieldIn(record, name) !== undefined
  return Object.assign((name: string) => fieldIn(record, name) ?? '', { isKnown })
}

/** The names of each record, by the names as `plainName` returns them. */
const plainNames = new WeakMap<object, ReadonlyMap<string, string>>()

/**
 * Finds a field by its name in a text, where editors write other spaces and composed characters, and programs percent-encode
 * them. Returns an own property only, so that a field named `constructor` is not found.
 */
export function fieldIn<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  if (Object.hasOwn(record, name)) return record[name]
  let names = plainNames.get(record)
  if (!names) {
    names = new Map(Object.keys(record).map((each) => [plainName(each), each]))
    plainNames.set(record, names)
  }
  const known = names.get(plainName(name))
  return known === undefined ? undefined : record[known]
}

function plainName(name: string): string {
  return percentDecoded(name).normalize().replace(/\s+/g, ' ').trim()
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
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
  for (const part of parts) text.add(typeof part === 'string' ? part : textOf(part, values))
  return text.end()
}

/**
 * Returns values that are encoded for a place in a text. Each is encoded once, however often the text contains it, so the
 * time depends on the length of the values only once.
 */
export function encoded(values: Values, encode: (value: string) => string): Values {
  const known = new Map<string, string>()
  const encodedValue = (name: string) => {
    let value = known.get(name)
    if (value === undefined) {
      value = encode(values(name))
      known.set(name, value)
    }
    return value
  }
  return Object.assign(encodedValue, { isKnown: values.isKnown })
}
