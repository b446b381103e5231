import { DateTime } from 'luxon'
import { one } from '../db/context.ts'
import type { Values } from '../kernel/merge-fields.ts'
import { byId } from './contact-list.ts'
import { ofContact } from './custom-field-values.ts'
import { mapTexts, type TextKey, textFields } from './fields.ts'

/** The person whose data replaces merge fields. */
export type Person = { readonly [Key in TextKey]: string } & {
  readonly createdAt: Date
  /** Values of custom fields, by name. */
  readonly fields: Readonly<Record<string, string>>
}

/** The person in previews and test messages without a contact. */
export const examplePerson: Person = {
  ...mapTexts(({ example }) => example),
  createdAt: new Date('2026-01-01T12:00:00Z'),
  fields: {},
}

/** Loads the contacts with their custom fields, by contact id. Two statements. */
export const personById = one<number, Person>(async (ctx, contactIds) => {
  if (contactIds.length === 0) return new Map()
  const contacts = await byId.batch(ctx, contactIds)
  const values = await ofContact.batch(ctx, contactIds)
  return new Map(
    [...contacts.values()].map((contact) => {
      const fields = Object.fromEntries((values.get(contact.id) ?? []).map(({ label, value }) => [label, value]))
      return [contact.id, { ...contact, fields }]
    }),
  )
})

const keysByMergeField: Readonly<Record<string, TextKey>> = Object.fromEntries(
  Object.values(textFields).map(({ mergeField, key }) => [mergeField, key]),
)

/**
 * Returns the values of a person's fields and of date fields in time zone `zone` (REST specification, Merge fields).
 */
export function mergeValuesOf(person: Person, now: Date, zone: string): Values {
  // Time zone conversion is slow compared with the rest, and most messages need none, so it is done on first use.
  const today = () => DateTime.fromJSDate(now, { zone }).setLocale('en')
  const signup = () => DateTime.fromJSDate(person.createdAt, { zone })
  const cache = new Map<string, string>()
  const times: Readonly<Record<string, () => string>> = {
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
    const key = own(keysByMergeField, name)
    if (key !== undefined) return person[key]
    const known = cache.get(name)
    if (known !== undefined) return known
    const value = own(times, name)?.() ?? ''
    cache.set(name, value)
    return value
  }
}

/** Returns the number of calendar days between two times: yesterday evening is one day before this morning. */
function daysBetween(from: DateTime, until: DateTime): number {
  return until.startOf('day').diff(from.startOf('day'), 'days').days
}

/** Returns an own property only, so that a field named `constructor` is not found. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
