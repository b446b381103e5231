import { type CityResponse, open } from 'maxmind'
import { plainAddress } from '../values/address.ts'

/** Location of a client. Fields are empty if they are unknown. */
export interface Place {
  readonly city: string
  readonly country: string
}

/** Returns the location of the client of a request, from its headers and its IP address. */
export type Geo = (header: (name: string) => string, ip: string) => Place

const unknownPlace: Place = { city: '', country: '' }

/**
 * Creates a lookup of locations. It reads the headers of a proxy if they are configured and present, otherwise a
 * MaxMind database if one is configured. Rejects if the database cannot be read.
 */
export async function newGeo(options: {
  database?: string | undefined
  cityHeader?: string | undefined
  countryHeader?: string | undefined
}): Promise<Geo> {
  const { database, cityHeader, countryHeader } = options
  const reader = database === undefined ? undefined : await open<CityResponse>(database, { cache: { max: 10_000 } })
  return (header, ip) => {
    const city = cityHeader === undefined ? '' : decoded(header(cityHeader))
    const country = countryHeader === undefined ? '' : countryOf(decoded(header(countryHeader)))
    if (!reader || (city !== '' && country !== '')) return { city, country }
    const place = placeOf(reader.get(plainAddress(ip)))
    // City and country must have the same source, because a mixture could combine a city with another country.
    return city === '' && country === '' ? place : { city, country }
  }
}

function placeOf(response: CityResponse | null): Place {
  if (!response) return unknownPlace
  const { city, country, registered_country: registered } = response
  return { city: city?.names?.en ?? '', country: country?.names?.en ?? registered?.names?.en ?? '' }
}

/**
 * Decodes the value of a header. Headers contain bytes, which are read as UTF-8 if they are valid, and proxies may
 * percent-encode them.
 */
function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  const text = bytes.toString('utf8')
  const plain = text.includes('\ufffd') ? header : text
  try {
    return decodeURIComponent(plain).trim().slice(0, maxLength)
  } catch {
    return plain.trim().slice(0, maxLength)
  }
}

const maxLength = 255

const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/**
 * Returns the country name for the value of a header, usually a code such as `FR`. Some proxies send `XX` or `T1` if
 * they do not know the country.
 */
function countryOf(value: string): string {
  if (!/^[A-Za-z]{2}$/.test(value)) return /^[A-Za-z]\d$/.test(value) ? '' : value
  const code = value.toUpperCase()
  return code === 'XX' ? '' : (countries.of(code) ?? '')
}
