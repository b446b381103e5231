import { mapTexts, mergeValuesOf, type Person } from '../../contacts/index.ts'
import { type Values, withValues } from '../../contacts/rendering.ts'
import type { RememberedFields, TypedFields } from '../../forms/index.ts'
import { defaultZone } from '../../kernel/values/period.ts'
import type { Place } from '../../kernel/web/geo.ts'
import type { PageMetadata } from './published-page.ts'

/** Values of a visitor without a contact. */
const anonymous: Person = { ...mapTexts(() => ''), createdAt: new Date(0), locale: '', fields: {}, fieldTypes: {} }

/** Merge fields that are empty for visitors who have not signed up. */
const signUpFields: readonly string[] = ['SIGNUP_DATE', 'DAYS_SINCE_SIGNUP']

/**
 * Reads the contact fields `firstname`, `lastname` and `email` from the query of a URL, at most 255 characters each. They are
 * only shown, never stored. Returns undefined if all are empty.
 */
export function personIn(query: URLSearchParams): TypedFields | undefined {
  const parameter = (name: string) => (query.get(name) ?? '').trim().slice(0, 255)
  const all = { firstName: parameter('firstname'), lastName: parameter('lastname'), email: parameter('email') }
  const present = Object.entries(all).filter(([, value]) => value !== '')
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

/**
 * Merges the values of a contact with those that were typed in the browser, and with those of the URL, which take precedence.
 * The sign-up date is the time at which the address was typed. Returns undefined if there are no values.
 */
export function withTyped(
  stored: Person | undefined,
  typed: RememberedFields | null,
  inQuery: TypedFields | undefined,
): Person | undefined {
  if (!stored && !typed && !inQuery) return undefined
  const { at, fields, ...typedFields } = typed ?? {}
  const base = stored ?? anonymous
  return {
    ...base,
    ...typedFields,
    ...inQuery,
    fields: { ...base.fields, ...fields },
    createdAt: at === undefined ? base.createdAt : new Date(at),
  }
}

/**
 * Returns the values of the merge fields of a page: those of the contact, of the current time, and of the visitor's location.
 */
export function pageValues(
  facts: PageMetadata,
  about: { language: string; person: Person | undefined; now: Date; place: () => Place },
): Values {
  const { language, person = anonymous, now, place } = about
  const known = mergeValuesOf(person, now, { zone: facts.zone ?? defaultZone, language })
  const hasSignedUp = person.createdAt !== anonymous.createdAt
  return withValues(known, (name) => {
    if (name === 'VISITOR_CITY') return place().city
    if (name === 'VISITOR_COUNTRY') return place().country
    return !hasSignedUp && signUpFields.includes(name) ? '' : undefined
  })
}
