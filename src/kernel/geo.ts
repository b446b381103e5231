import { type CityResponse, open } from 'maxmind'
import { plainAddress } from './address.ts'

/** Where somebody is, as far as is known; each may be empty. */
export interface Place {
  readonly city: string
  readonly country: string
}

/** Tells where the client of a request is, by its headers and its address. */
export type Geo = (header: (name: string) => string, ip: string) => Place

const nowhere: Place = { city: '', country: '' }

/**
 * Reads where clients are: from the headers of a proxy where they are named, and else from a MaxMind database where there
 * is one. Fails where the database cannot be read.
 */
export async function newGeo(options: {
  database?: string | undefined
  cityHeader?: string | undefined
  countryHeader?: string | undefined
}): Promise<Geo> {
  const { database, cityHeader, countryHeader } = options
  const reader = database === undefined ? undefined : await open<CityResponse>(database, { cache: { max: 10_000 } })
  return (header, ip) => {
    const city = cityHeader === undefined ? '' : written(header(cityHeader))
    const country = countryHeader === undefined ? '' : countryOf(written(header(countryHeader)))
    if (!reader || (city !== '' && country !== '')) return { city, country }
    const found = placeOf(reader.get(plainAddress(ip)))
    // Half of an answer beside half of another could name a city in a country where it is not.
    return city === '' && country === '' ? found : { city, country }
  }
}

function placeOf(response: CityResponse | null): Place {
  if (!response) return nowhere
  const { city, country, registered_country: registered } = response
  return { city: city?.names?.en ?? '', country: country?.names?.en ?? registered?.names?.en ?? '' }
}

/** Headers carry bytes: what is UTF-8 is read as that, and so is what a proxy has percent-encoded. */
function written(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  const text = bytes.toString('utf8')
  const plain = text.includes('\ufffd') ? header : text
  try {
    return decodeURIComponent(plain).trim().slice(0, longest)
  } catch {
    return plain.trim().slice(0, longest)
  }
}

const longest = 255

const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Proxies say `FR`; some say `XX` or `T1` where they do not know. */
function countryOf(said: string): string {
  if (!/^[A-Za-z]{2}$/.test(said)) return /^[A-Za-z]\d$/.test(said) ? '' : said
  const code = said.toUpperCase()
  return code === 'XX' ? '' : (countries.of(code) ?? '')
}
