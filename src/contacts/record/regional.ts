import type { Contact, ContactValueSource } from '../../../prisma/generated/client/client.ts'
import { regionOf } from '../../kernel/values/regions.ts'
import type { Details } from './contact-details.ts'
import { type RegionalKey, regionalFields } from './fields.ts'

type SourceKey = (typeof regionalFields)[keyof typeof regionalFields]['sourceKey']

/** Fields of a contact to store. */
export type StoredDetails = Omit<Details, 'observed'> & { [Key in SourceKey]?: ContactValueSource | null | undefined }

/** Changed fields of a contact. */
export type ContactChanges = StoredDetails & { readonly email?: string | undefined }

interface KnownValue {
  readonly value: string
  readonly source: ContactValueSource
}

/**
 * Returns the fields to store for the fields that a client sent. The time zone and the language are what a client gave, else
 * what a browser reported, else what follows from the country. `before` is the contact, if it exists.
 */
export function toStored(before: Contact | undefined, { observed, ...details }: Details): StoredDetails {
  const stored: StoredDetails = details
  for (const { key, sourceKey } of Object.values(regionalFields)) {
    const isSent = details[key] !== undefined || observed?.[key] !== undefined
    // Nothing is derived for an existing contact until its country changes.
    if (!isSent && before && (details.country === undefined || details.country === before.country)) continue
    const country = details.country ?? before?.country ?? ''
    const known = knownValue(key, before && current(before, key, sourceKey), { observed, details })
    const next = known ?? derive(key, country)
    stored[key] = next?.value ?? ''
    stored[sourceKey] = next?.source ?? null
  }
  return stored
}

/** Returns the changed fields of a contact for the fields that a client sent. */
export function changesOf(before: Contact, sent: Details & { readonly email?: string | undefined }): ContactChanges {
  return Object.fromEntries(
    Object.entries(toStored(before, sent)).filter(
      ([key, value]) => value !== undefined && value !== before[key as keyof Contact],
    ),
  )
}

function current(before: Contact, key: RegionalKey, sourceKey: SourceKey): KnownValue | undefined {
  const [value, source] = [before[key], before[sourceKey]]
  return source === null || source === 'DERIVED' ? undefined : { value, source }
}

/** Returns the value with the best source. An empty text that a client gave removes the value before. */
function knownValue(
  key: RegionalKey,
  before: KnownValue | undefined,
  { observed, details }: Pick<Details, 'observed'> & { readonly details: Details },
): KnownValue | undefined {
  const [given, reported] = [details[key], observed?.[key]]
  if (given) return { value: given, source: 'GIVEN' }
  const kept = given === '' ? undefined : before
  return reported && kept?.source !== 'GIVEN' ? { value: reported, source: 'OBSERVED' } : kept
}

function derive(key: RegionalKey, country: string): KnownValue | undefined {
  const value = country === '' ? undefined : regionOf(country)?.[key]
  return value === undefined ? undefined : { value, source: 'DERIVED' }
}

/** Returns the time zone and the language that a contact lacks or knows less well than another one, as fields to send. */
export function missingRegional(other: Contact, contact: Contact): Pick<Details, RegionalKey | 'observed'> {
  const missing = Object.values(regionalFields).flatMap(({ key, sourceKey }) => {
    const [offered, own] = [current(other, key, sourceKey), current(contact, key, sourceKey)]
    const isBetter = offered && (!own || (own.source === 'OBSERVED' && offered.source === 'GIVEN'))
    return isBetter ? [{ key, ...offered }] : []
  })
  const bySource = (source: ContactValueSource) =>
    Object.fromEntries(missing.filter((each) => each.source === source).map(({ key, value }) => [key, value]))
  const observed = bySource('OBSERVED')
  return { ...bySource('GIVEN'), ...(Object.keys(observed).length > 0 && { observed }) }
}
