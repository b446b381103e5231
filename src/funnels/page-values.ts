import type { Ctx } from '../db/context.ts'
import type { RememberedFields, TypedFields } from '../forms/index.ts'
import type { Place } from '../kernel/geo.ts'
import { type Person, type Values, valuesOf } from '../kernel/merge-fields.ts'
import { defaultZone } from '../kernel/period.ts'
import { loadPeople } from '../mail/index.ts'
import type { PageMetadata } from './live-page.ts'

const nobody: Person = {
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  companyName: '',
  city: '',
  country: '',
  createdAt: new Date(0),
  fields: {},
}

/** Fields that only somebody has who has signed up. */
const ofMembers: readonly string[] = ['SIGNUP_DATE', 'DAYS_SINCE_SIGNUP']

/** The contact that a browser is known as, with all that merge fields say of it; undefined where it is gone. */
export async function personOf(ctx: Ctx, contactId: number): Promise<Person | undefined> {
  return (await loadPeople(ctx, [contactId])).get(contactId)
}

/** What an address says of its reader itself: shown to whoever has that address, and nothing besides. */
export function personIn(query: URLSearchParams): TypedFields | undefined {
  const said = (name: string) => (query.get(name) ?? '').trim().slice(0, 255)
  const all = { firstName: said('firstname'), lastName: said('lastname'), email: said('email') }
  const given = Object.entries(all).filter(([, value]) => value !== '')
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/**
 * A person as its own browser sees it: what was typed there, and what a link says, laid over what is stored. The day of the
 * sign-up is the day on which the address was typed.
 */
export function withTyped(
  stored: Person | undefined,
  typed: RememberedFields | null,
  inQuery: TypedFields | undefined,
): Person | undefined {
  if (!stored && !typed && !inQuery) return undefined
  const { at, fields, ...said } = typed ?? {}
  const base = stored ?? nobody
  return {
    ...base,
    ...said,
    ...inQuery,
    fields: { ...base.fields, ...fields },
    createdAt: at === undefined ? base.createdAt : new Date(at),
  }
}

/** The values of merge fields on a page: of the person, where one is known, of the moment, and of where the visitor is. */
export function pageValues(
  facts: PageMetadata,
  about: { person: Person | undefined; now: Date; place: () => Place },
): Values {
  const { person = nobody, now, place } = about
  const known = valuesOf(person, now, facts.zone ?? defaultZone)
  const isMember = person.createdAt !== nobody.createdAt
  return (name) => {
    if (name === 'VISITOR_CITY') return place().city
    if (name === 'VISITOR_COUNTRY') return place().country
    return !isMember && ofMembers.includes(name) ? '' : known(name)
  }
}
