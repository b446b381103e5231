import { isZone } from './period.ts'

export const localeMessage = 'must be a BCP 47 language tag such as fr or pt-BR'

/** What is common in a country. The time zone is undefined if no zone is clearly the main one. */
interface Region {
  readonly timeZone: string | undefined
  readonly locale: string
}

const zones = new Map<string, string>()

/** Returns the name that an IANA time zone has in this process, so that one zone has one name; undefined for other texts. */
export function canonicalZone(name: string): string | undefined {
  const key = name.toLowerCase()
  const known = zones.get(key)
  if (known !== undefined || !isZone(name)) return known
  const zone = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  zones.set(key, zone)
  return zone
}

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** Returns the canonical form of a BCP 47 language tag of a known language, without extensions; undefined for other texts. */
export function canonicalLocale(tag: string): string | undefined {
  try {
    const { language, baseName } = new Intl.Locale(tag.replaceAll('_', '-'))
    return languages.of(language) === undefined ? undefined : baseName
  } catch {
    return undefined
  }
}

/**
 * Returns the first language tag of a header `Accept-Language`, without those of the quality 0, if it is valid: browsers send the
 * preferred language first.
 */
export function preferredLocale(header: string): string | undefined {
  const parts = header.slice(0, 200).split(',')
  const [tag = ''] = parts.find((part) => !/;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i.test(part))?.split(';', 1) ?? []
  return canonicalLocale(tag.trim())
}

/** The zones of most people in countries that have several zones. Countries without an entry have no main zone. */
const mainZones: Readonly<Record<string, string>> = {
  AR: 'America/Buenos_Aires',
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  CY: 'Asia/Nicosia',
  DE: 'Europe/Berlin',
  EC: 'America/Guayaquil',
  ES: 'Europe/Madrid',
  GL: 'America/Godthab',
  KZ: 'Asia/Almaty',
  MN: 'Asia/Ulaanbaatar',
  MY: 'Asia/Kuala_Lumpur',
  NZ: 'Pacific/Auckland',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  UA: 'Europe/Kiev',
  UZ: 'Asia/Tashkent',
}

const regions = new Map<string, Region | undefined>()

/** Returns what is common in a country, by its ISO 3166 code or its name in English; undefined for an unknown country. */
export function regionOf(country: string): Region | undefined {
  const name = country.trim().toLowerCase().replace(/^the /, '')
  codesByName ??= readCodes()
  const code = codesByName.get(otherNames[name] ?? name)
  if (code === undefined) return undefined
  if (!regions.has(code)) regions.set(code, readRegion(code))
  return regions.get(code)
}

/** Frequent names of countries that Unicode does not have. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ usa: 'us', 'u.s.': 'us', 'u.s.a.': 'us', 'united states of america': 'us' },
  ...{ 'great britain': 'gb', england: 'gb', scotland: 'gb', wales: 'gb', 'u.k.': 'gb' },
  ...{ 'czech republic': 'cz', turkey: 'tr', 'russian federation': 'ru', holland: 'nl' },
}

/** Returns undefined for codes of groups of countries, which have no time zones. */
function readRegion(code: string): Region | undefined {
  const { language } = new Intl.Locale(`und-${code}`).maximize()
  const ofCountry = new Intl.Locale(`und-${code}`).getTimeZones() ?? []
  if (ofCountry.length === 0) return undefined
  const only = ofCountry.length === 1 ? ofCountry[0] : undefined
  const timeZone = mainZones[code] ?? only
  return { timeZone: timeZone && canonicalZone(timeZone), locale: `${language}-${code}` }
}

let codesByName: ReadonlyMap<string, string> | undefined

/** Returns the codes of all countries by their codes, and by their long and short names in English. */
function readCodes(): ReadonlyMap<string, string> {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const names = (['long', 'short'] as const).map(
    (style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }),
  )
  const codes = letters.flatMap((first) => letters.map((second) => `${first}${second}`))
  return new Map(
    codes.flatMap((code) => {
      const known = names.flatMap((each) => each.of(code) ?? [])
      const isCountry = known.length > 0 && new Intl.Locale(`und-${code}`).region === code
      return isCountry ? [code, ...known].map((name) => [name.toLowerCase(), code] as const) : []
    }),
  )
}
