import { DateTime } from 'luxon'
import { one } from '../../db/context.ts'
import { ofContact } from '../custom-fields/custom-field-values.ts'
import { byId } from '../record/contact-lookup.ts'
import { mapTexts, type TextKey, textFields } from '../record/fields.ts'
import type { Values } from '../record/merge-fields.ts'

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
      const fields = Object.fromEntries(
        (values.get(contact.id) ?? []).map(({ customField, value }) => [customField.name, value]),
      )
      return [contact.id, { ...contact, fields }]
    }),
  )
})

const keysByMergeField: Readonly<Record<string, TextKey>> = Object.fromEntries(
  Object.values(textFields).map(({ mergeField, key }) => [mergeField, key]),
)

/** The date fields. Each is computed from the current time and the time of signup, which are functions. */
const dateFields: Readonly<Record<string, (today: () => DateTime, signup: () => DateTime) => string>> = {
  SIGNUP_DATE: (_today, signup) => signup().toFormat('yyyy-MM-dd'),
  DAYS_SINCE_SIGNUP: (today, signup) => String(Math.max(Math.floor(daysBetween(signup(), today())), 0)),
  TODAY_DATE: (today) => today().toFormat('yyyy-MM-dd'),
  TOMORROW_DATE: (today) => today().plus({ days: 1 }).toFormat('yyyy-MM-dd'),
  DAY_NAME: (today) => today().toFormat('cccc'),
  MONTH_NAME: (today) => today().toFormat('LLLL'),
  YEAR: (today) => today().toFormat('yyyy'),
  TIME: (today) => today().toFormat('HH:mm'),
}

/** The names of the merge fields that have a value for every person. Custom fields are not among them. */
export const mergeFieldNames: readonly string[] = [...Object.keys(keysByMergeField), ...Object.keys(dateFields)]

/**
 * Returns the values of a person's fields and of date fields in time zone `zone` (REST specification, Merge fields).
 */
export function mergeValuesOf(person: Person, now: Date, zone: string): Values {
  // Time zone conversion is slow compared with the rest, and most messages need none, so it is done on first use.
  const today = () => DateTime.fromJSDate(now, { zone }).setLocale('en')
  const signup = () => DateTime.fromJSDate(person.createdAt, { zone })
  const cache = new Map<string, string>()
  return (name) => {
    if (name.startsWith('FIELD.')) return own(person.fields, name.slice('FIELD.'.length)) ?? ''
    const key = own(keysByMergeField, name)
    if (key !== undefined) return person[key]
    const known = cache.get(name)
    if (known !== undefined) return known
    const value = own(dateFields, name)?.(today, signup) ?? ''
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
