import { DateTime } from 'luxon'

/** What stands for a piece of text that differs from reader to reader. */
export interface MergeField {
  /** In capitals; `FIELD.` and the name of a custom field for one of those. */
  readonly name: string
  /** What stands there where the field is empty; as its author wrote it, without blanks around. */
  readonly fallback: string
  /** Where it begins in the text. */
  readonly index: number
}

/** Text with its merge fields, in their order. */
export type MergeParts = readonly (string | MergeField)[]

/** The value of a field by its name; empty where there is none. */
export type Values = (name: string) => string

/** Of whom merge fields speak. */
export interface Person {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly companyName: string
  readonly city: string
  readonly country: string
  readonly createdAt: Date
  /** Custom fields, by name. */
  readonly fields: Readonly<Record<string, string>>
}

// Nothing that repeats is followed by what could match the same characters: the time is linear in any text.
const pattern = /\{\{\s*(?:FIELD\.([^{}:]{1,255})|([a-z][a-z0-9_]{0,63})\s*)(?::([^{}]*))?\}\}/gi

/** Finds the merge fields of a text: `{{NAME}}`, `{{NAME:fallback}}`, `{{FIELD.name of a custom field}}`. */
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
 * Puts values into a text, in one pass: a value that reads like a merge field is text. `written` makes a value fit where it
 * stands; fallbacks are the author's own and stay as they are. What has neither is removed.
 */
export function fill(parts: MergeParts, values: Values, written: (value: string) => string = (value) => value): string {
  let text = ''
  for (const part of parts) text += typeof part === 'string' ? part : written(values(part.name)) || part.fallback
  return text
}

/** The fields of a person, and those of the moment, on the clocks of `zone` (REST specification, Merge fields). */
export function valuesOf(person: Person, now: Date, zone: string): Values {
  // Reading a zone's clock takes longer than all else here, and most messages ask for none: it is done when first asked for.
  const today = () => DateTime.fromJSDate(now, { zone }).setLocale('en')
  const signup = () => DateTime.fromJSDate(person.createdAt, { zone })
  const once = new Map<string, string>()
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
    const known = once.get(name)
    if (known !== undefined) return known
    const value = own(fields, name)?.() ?? ''
    once.set(name, value)
    return value
  }
}

/** Text as HTML shows it, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** By calendar days: who signed up yesterday evening did so one day ago this morning. */
function daysBetween(from: DateTime, until: DateTime): number {
  return until.startOf('day').diff(from.startOf('day'), 'days').days
}

/** A field named `constructor` is none of ours. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
