import { DateTime } from 'luxon'

/** A placeholder in a text whose value depends on the recipient. */
export interface MergeField {
  /** Name in capitals, or `FIELD.` and the name of a custom field. */
  readonly name: string
  /** Text that is used if the value is empty, without white space at both ends. */
  readonly fallback: string
  /** Start index in the text. */
  readonly index: number
}

/** A text split into plain text and merge fields, in order. */
export type MergeParts = readonly (string | MergeField)[]

/** Returns the value of a field by name, or an empty string if it has none. */
export type Values = (name: string) => string

/** The person whose data replaces merge fields. */
export interface Person {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly companyName: string
  readonly city: string
  readonly country: string
  readonly createdAt: Date
  /** Values of custom fields, by name. */
  readonly fields: Readonly<Record<string, string>>
}

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
    parts.push({ name, fallback: fallback.trim(), index: match.index })
    done = match.index + whole.length
  }
  if (done < text.length) parts.push(text.slice(done))
  return parts
}

/**
 * Replaces merge fields by values in one pass, so a value that looks like a merge field stays text. `encode` encodes a
 * value for its place in the text. Fallbacks are written by the author and are not encoded. Fields with neither value
 * nor fallback are removed.
 */
export function fill(parts: MergeParts, values: Values, encode: (value: string) => string = (value) => value): string {
  let text = ''
  for (const part of parts) text += typeof part === 'string' ? part : encode(values(part.name)) || part.fallback
  return text
}

/**
 * Returns the values of a person's fields and of date fields in time zone `zone` (REST specification, Merge fields).
 */
export function valuesOf(person: Person, now: Date, zone: string): Values {
  // Time zone conversion is slow compared with the rest, and most messages need none, so it is done on first use.
  const today = () => DateTime.fromJSDate(now, { zone }).setLocale('en')
  const signup = () => DateTime.fromJSDate(person.createdAt, { zone })
  const cache = new Map<string, string>()
  const fields: Readonly<Record<string, () => string>> = {
    FIRST_NAME: () => person.firstName,
    LAST_NAME: () => person.lastName,
    EMAIL: () => person.email,
    PHONE: () => person.phone,
    COMPANY: () => person.companyName,
    CITY: () => person.city,
    COUNTRY: () => person.country,
    SIGNUP_DATE: () => signup().toFormat('yyyy-MM-dd'),
    DAYS_SINCE_SIGNUP: () => String(Math.max(Math.floor(daysBetween(signup(), today())), 0)),
    TODAY_DATE: () => today().toFormat('yyyy-MM-dd'),
    TOMORROW_DATE: () => today().plus({ days: 1 }).toFormat('yyyy-MM-dd'),
    DAY_NAME: () => today().toFormat('cccc'),
    MONTH_NAME: () => today().toFormat('LLLL'),
    YEAR: () => today().toFormat('yyyy'),
    TIME: () => today().toFormat('HH:mm'),
  }
  return (name) => {
    if (name.startsWith('FIELD.')) return own(person.fields, name.slice('FIELD.'.length)) ?? ''
    const known = cache.get(name)
    if (known !== undefined) return known
    const value = own(fields, name)?.() ?? ''
    cache.set(name, value)
    return value
  }
}

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Returns the number of calendar days between two times: yesterday evening is one day before this morning. */
function daysBetween(from: DateTime, until: DateTime): number {
  return until.startOf('day').diff(from.startOf('day'), 'days').days
}

/** Returns an own property only, so that a field named `constructor` is not found. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
