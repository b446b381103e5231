import { i18n } from '@lingui/core'
import { currencyCodes } from '../../generated/currency-codes.documents.ts'
import { zoneName } from '../format.ts'

interface Choice {
  readonly value: string
  readonly label: string
}

const withPresent = (values: readonly string[], present: string) =>
  present === '' || values.includes(present) ? values : [present, ...values]

/** Returns the time zones of the browser's database, with the present one, which can be an older name. */
export function timeZones(present: string): Choice[] {
  const zones = new Set([...withPresent(Intl.supportedValuesOf('timeZone'), present), 'UTC'])
  return [...zones].map((value) => ({ value, label: zoneName(value) }))
}

/** Returns the currencies in use with their names, and the present one. */
export function currencies(present: string): Choice[] {
  const names = new Intl.DisplayNames(i18n.locale, { type: 'currency' })
  return withPresent(currencyCodes, present).map((value) => ({ value, label: `${value} – ${names.of(value)}` }))
}
