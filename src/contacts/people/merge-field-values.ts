import { DateTime } from 'luxon'
import type { CustomFieldType } from '../../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../../db/context.ts'
import { canonicalLocale } from '../../kernel/values/regions.ts'
import { forMergeFields } from '../custom-fields/custom-field-values.ts'
import type { CustomField } from '../custom-fields/custom-fields.ts'
import * as customFields from '../custom-fields/custom-fields.ts'
import { byId } from '../record/contact-lookup.ts'
import { mapTexts, type TextKey, textFields } from '../record/fields.ts'
import { fieldIn, type Values } from '../record/merge-fields.ts'

/** The person whose data replaces merge fields. */
export type Person = { readonly [Key in TextKey]: string } & {
  readonly createdAt: Date
  /** Language tag. Empty if unknown. */
  readonly locale: string
  /** Values of custom fields, by name. */
  readonly fields: Readonly<Record<string, string>>
  /** Types of the custom fields that have a value, and of those without one whose name has a colon, by name. */
  readonly fieldTypes: Readonly<Record<string, CustomFieldType>>
}

/** Returns the person in previews and test messages without a contact. One statement. */
export async function exampleOf(ctx: Ctx): Promise<Person> {
  return { ...examplePerson, fieldTypes: typesOf(await customFields.list(ctx)) }
}

/** The person in previews, without the custom fields of an account. */
export const examplePerson: Person = {
  ...mapTexts(({ example }) => example),
  createdAt: new Date('2026-01-01T12:00:00Z'),
  locale: '',
  fields: {},
  fieldTypes: {},
}

/** Loads the contacts with their custom fields, by contact id. Two statements. */
export const personById = one<number, Person>(async (ctx, contactIds) => {
  if (contactIds.length === 0) return new Map()
  const contacts = await byId.batch(ctx, contactIds)
  const { values, withColon } = await forMergeFields(ctx, contactIds)
  return new Map(
    [...contacts.values()].map((contact) => {
      const own = values.get(contact.id) ?? []
      const fields = Object.fromEntries(own.map(({ customField, value }) => [customField.name, value]))
      const fieldTypes = typesOf([...withColon, ...own.map(({ customField }) => customField)])
      return [contact.id, { ...contact, fields, fieldTypes }]
    }),
  )
})

function typesOf(fields: readonly CustomField[]): Person['fieldTypes'] {
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]))
}

const keysByMergeField: Readonly<Record<string, TextKey>> = Object.fromEntries(
  Object.values(textFields).map(({ mergeField, key }) => [mergeField, key]),
)

/** The language in which values are written. */
interface Locale {
  readonly tag: string
  /** Whether dates and numbers are written as in English: 2026-01-31 and 1234.5. */
  readonly isPlain: boolean
}

/** The times from which date fields are computed. */
interface Times extends Locale {
  readonly today: () => DateTime
  readonly signup: () => DateTime
}

const dateOf = (time: DateTime, isPlain: boolean) =>
  isPlain ? time.toFormat('yyyy-MM-dd') : time.toLocaleString(DateTime.DATE_FULL)

const dateFields: Readonly<Record<string, (times: Times) => string>> = {
  SIGNUP_DATE: ({ signup, isPlain }) => dateOf(signup(), isPlain),
  DAYS_SINCE_SIGNUP: ({ today, signup }) => String(Math.max(Math.floor(daysBetween(signup(), today())), 0)),
  TODAY_DATE: ({ today, isPlain }) => dateOf(today(), isPlain),
  TOMORROW_DATE: ({ today, isPlain }) => dateOf(today().plus({ days: 1 }), isPlain),
  DAY_NAME: ({ today }) => today().toFormat('cccc'),
  MONTH_NAME: ({ today }) => today().toFormat('LLLL'),
  YEAR: ({ today }) => today().toFormat('yyyy'),
  TIME: ({ today }) => today().toFormat('HH:mm'),
}

/** The names of the merge fields that have a value for every person. Custom fields are not among them. */
export const mergeFieldNames: readonly string[] = [...Object.keys(keysByMergeField), ...Object.keys(dateFields)]

/** How values are written. */
interface Writing {
  readonly zone: string
  /** Language tag of the text, before that of the person. Empty if it has none. */
  readonly language: string
}

/**
 * Returns the values of a person's fields and of date fields (REST specification, Merge fields). In languages other than English,
 * dates and numbers are written as people do: 31 janvier 2026 and 1 234,5.
 */
export function mergeValuesOf(person: Person, now: Date, { zone, language }: Writing): Values {
  // Languages and time zones are slow compared with the rest, and most messages need none, so they are read on first use. Each
  // value is written once, however often a text has it.
  let known: Locale | undefined
  const locale = () => {
    known ??= localeOf(language, person.locale)
    return known
  }
  const cache = new Map<string, string>()
  const compute = (name: string) => {
    if (name.startsWith('FIELD.')) {
      const field = name.slice('FIELD.'.length)
      const type = fieldIn(person.fieldTypes, field)
      const value = fieldIn(person.fields, field) ?? ''
      return type === 'DATE' || type === 'NUMBER' ? written(value, type, locale()) : value
    }
    const write = own(dateFields, name)
    if (!write) return ''
    const { tag, isPlain } = locale()
    const inZone = (time: Date) => () => DateTime.fromJSDate(time, { zone }).setLocale(tag)
    return write({ tag, isPlain, today: inZone(now), signup: inZone(person.createdAt) })
  }
  const valueFor = (name: string) => {
    const key = own(keysByMergeField, name)
    if (key !== undefined) return person[key]
    const value = cache.get(name) ?? compute(name)
    cache.set(name, value)
    return value
  }
  const isKnown = (name: string) => fieldIn(person.fieldTypes, name.replace(/^FIELD\./, '')) !== undefined
  return Object.assign(valueFor, { isKnown })
}

/** Returns the first of the languages that is one; English if none is. */
function localeOf(...tags: readonly string[]): Locale {
  const tag = tags.flatMap((each) => canonicalLocale(each) ?? [])[0] ?? 'en'
  return { tag, isPlain: /^en\b/.test(tag) }
}

/** Returns the value of a custom field as it is written in a language. */
function written(value: string, type: 'DATE' | 'NUMBER', { tag, isPlain }: Locale): string {
  if (isPlain) return value
  if (type === 'DATE') {
    const day = DateTime.fromISO(value, { zone: 'UTC' })
    return day.isValid ? day.setLocale(tag).toLocaleString(DateTime.DATE_FULL) : value
  }
  if (!/^-?\d+(\.\d+)?$/.test(value)) return value
  // A string is formatted exactly. A number would lose digits.
  const format = new Intl.NumberFormat(tag, { maximumFractionDigits: 20 })
  return format.format(value as Intl.StringNumericLiteral)
}

/** Returns the number of calendar days between two times: yesterday evening is one day before this morning. */
function daysBetween(from: DateTime, until: DateTime): number {
  return until.startOf('day').diff(from.startOf('day'), 'days').days
}

/** Returns an own property only, so that a field named `constructor` is not found. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
