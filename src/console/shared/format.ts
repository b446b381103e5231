import { i18n } from '@lingui/core'
import { defaultZone } from '../generated/default-zone.documents.ts'
import { useShell } from '../shell/use-shell.ts'
import { fieldName, fieldTextId } from '../texts/field-words.ts'
import { plainWords } from '../texts/plain-words.ts'

/** Formats values in the language of the texts and the region of the browser, and times in the account's time zone. */
export interface Format {
  number(value: number | string): string
  compact(value: number | string): string
  /** A share from 0 to 1. */
  percent(value: number): string
  money(value: { readonly amount: string; readonly currency: string }): string
  date(value: string): string
  dateTime(value: string): string
  /** The day or month of a point of a plot. */
  short(value: string): string
  /** A time span: "3 days". */
  duration(value: number, unit: 'HOURS' | 'DAYS' | 'WEEKS'): string
  /** How long ago, or until when: "3 hours ago". */
  relative(value: string): string
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const unitNames = { HOURS: 'hour', DAYS: 'day', WEEKS: 'week' } as const

const formats = new Map<string, Format>()

/** Returns the time zone of the account, in which times are typed and shown: never that of a browser, which others lack. */
export function useZone(): string {
  return useShell().account?.timezone ?? defaultZone
}

/** Returns the name of a time zone with spaces between its words. */
export const zoneName = (zone: string): string => zone.replaceAll('_', ' ')

/** Returns the formats of the account that is shown. All components share them, because they are slow to create. */
export function useFormat(): Format {
  const timeZone = useZone()
  const format = formats.get(timeZone) ?? newFormat(timeZone)
  formats.set(timeZone, format)
  return format
}

function newFormat(timeZone: string): Format {
  const { locales } = i18n
  const number = new Intl.NumberFormat(locales)
  const compact = new Intl.NumberFormat(locales, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(locales, { style: 'percent', maximumFractionDigits: 1 })
  const date = new Intl.DateTimeFormat(locales, { dateStyle: 'medium', timeZone })
  const dateTime = new Intl.DateTimeFormat(locales, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const short = new Intl.DateTimeFormat(locales, { month: 'short', day: 'numeric', timeZone })
  const relative = new Intl.RelativeTimeFormat(locales, { numeric: 'auto' })
  return {
    number: (value) => number.format(Number(value)),
    compact: (value) => compact.format(Number(value)),
    percent: (value) => percent.format(value),
    money: ({ amount, currency }) =>
      new Intl.NumberFormat(locales, { style: 'currency', currency }).format(Number(amount)),
    duration: (value, unit) =>
      new Intl.NumberFormat(locales, { style: 'unit', unit: unitNames[unit], unitDisplay: 'long' }).format(value),
    date: (value) => date.format(new Date(value)),
    dateTime: (value) => dateTime.format(new Date(value)),
    short: (value) => short.format(new Date(value)),
    relative(value) {
      const seconds = (new Date(value).getTime() - Date.now()) / 1000
      const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
      return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.round(seconds / size), unit)
    },
  }
}

/** Returns the words of an enum value: `SENDING` becomes "Sending". The catalogue has those of the enums that are shown. */
export const words = (value: string): string => i18n._(value, {}, { message: plainWords(value) })

/** Returns the words of the path of a field: `html` becomes "Content", and `questions.0.label` "Questions: Label". */
export function fieldWords(path: string): string {
  const parts = path.split('.').filter((part) => !/^\d+$/.test(part))
  return parts.map((part) => i18n._(fieldTextId(part), {}, { message: fieldName(part) })).join(': ')
}

/** Returns the message of a rule, such as `must be a number`, as a sentence. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** A person as the fragment PersonName selects it. */
export interface Person {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
}

/** Returns the name of a person, or the e-mail address of a person without a name. */
export function personName(person: Person): string {
  return `${person.firstName} ${person.lastName}`.trim() || person.email
}
