import type { TextKey } from '../../contacts/index.ts'
import { preferredLocale } from '../../kernel/values/regions.ts'
import type { Consent } from '../ports.ts'

/** Contact data that a page received outside the answers. The caller has validated it. */
export type VisitorDetails = { readonly [Key in TextKey]?: string } & {
  readonly consent?: Consent | undefined
  readonly observed?: BrowserReport | undefined
}

/** What a browser reported about its visitor. It is not validated. */
interface BrowserReport {
  readonly timeZone?: string | undefined
  readonly locale?: string | undefined
}

/** Names of the fields that the scripts of our pages add to each form. */
const observedNames = { timeZone: 'browser_time_zone', locale: 'browser_locale' } as const

/**
 * Returns the time zone and the language of a browser. Our script adds both to the form; without it, the language is the
 * first one that the browser prefers.
 */
export function readObserved(
  request: { get(header: string): string },
  posted: (name: string) => string | undefined,
): BrowserReport | undefined {
  const timeZone = posted(observedNames.timeZone)
  const locale = posted(observedNames.locale) || preferredLocale(request.get('accept-language'))
  return timeZone || locale ? { timeZone: timeZone || undefined, locale } : undefined
}
