import { outlineOf } from './html-outline.ts'

/** The UTM parameters of an e-mail, in the order in which links get them. */
export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const

/** The values of UTM parameters. Empty or absent ones are not added. */
export type Utm = { readonly [Name in (typeof utmNames)[number]]?: string }

/** What the links of an e-mail get. */
export interface LinkParameters {
  readonly utm: Utm
  /** Domains whose links get none, with their subdomains. */
  readonly excludedDomains: readonly string[]
}

/** Maximum length of a tracked link. Longer links are not tracked, and no link becomes longer by its parameters. */
export const maxUrlLength = 4_000

/** Maximum number of characters that parameters add. With more, a body is refused for its size. */
const maxAdded = 2_000_000

/** The parts of a URL in HTML: merge fields and character references may contain the characters that divide a URL. */
const pieces = /\{\{[^{}]*\}\}|&(?:#\w{1,7}|\w{2,8});|[\s\S]/g

const fragmentStart = /^(?:#|&#0*35;|&#x0*23;|&num;)$/i

/**
 * Adds the parameters to the http and https links of HTML whose host is known, unless they have them. Everything else stays as it
 * is, merge fields included.
 */
export function withUtmInHtml(html: string, parameters: LinkParameters): string {
  if (isEmpty(parameters)) return html
  let done = 0
  let all = ''
  let room = maxAdded
  const links = outlineOf(html).urls.filter(({ isLink }) => isLink)
  for (const { from, until, url } of links.sort((one, other) => one.from - other.from)) {
    const added = missingParameters(url, parameters)
    if (added === '' || from < done || room < 0) continue
    room -= added.length
    all += html.slice(done, from) + insert(html.slice(from, until), url, added, '&amp;')
    done = until
  }
  return all + html.slice(done)
}

/** URLs in text. Characters at the end that belong to the sentence do not belong to the URL. */
const urls = /https?:\/\/(?:\{\{[^{}]*\}\}|[^\s<>"\]{}])+/gi

/** Adds the parameters to the URLs of a text, like `withUtmInHtml`. */
export function withUtmInText(text: string, parameters: LinkParameters): string {
  if (isEmpty(parameters)) return text
  let room = maxAdded
  return text.replace(urls, (match) => {
    if (room < 0) return match
    const tail = /(?:[.,;:!?'*_]+|\)+[.,;:!?'*_]*)$/.exec(match)?.[0] ?? ''
    const isPartOfUrl = tail.startsWith(')') && match.includes('(')
    const url = tail === '' || isPartOfUrl ? match : match.slice(0, -tail.length)
    const added = missingParameters(url, parameters)
    room -= added.length
    return added === '' ? match : insert(url, url, added, '&') + match.slice(url.length)
  })
}

const isEmpty = ({ utm }: LinkParameters) => utmNames.every((name) => !utm[name])

/** Returns the parameters that a URL gets, such as `utm_source=a&utm_medium=b`. */
function missingParameters(url: string, { utm, excludedDomains }: LinkParameters): string {
  const host = /^https?:\/\/(?:[^/?#@{}]*@)?([^/?#:{}]+)(?=[/?#:]|$)/i.exec(url)?.[1]?.toLowerCase()
  if (host === undefined || excludedDomains.some((domain) => host === domain || host.endsWith(`.${domain}`))) return ''
  const added = utmNames.flatMap((name) => {
    const value = utm[name]
    // A value that ends an attribute or a sentence is encoded as well.
    const encoded = encodeURIComponent(value ?? '').replace(
      /['()*!]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    )
    return value && !new RegExp(`[?&]utm_${name}=`, 'i').test(url) ? [`utm_${name}=${encoded}`] : []
  })
  const query = added.join('&')
  return url.length + query.length + 1 > maxUrlLength ? '' : query
}

/** Inserts parameters in a URL as it is written, before its fragment. */
function insert(written: string, url: string, added: string, separator: '&' | '&amp;'): string {
  let at = 0
  for (const [piece] of written.matchAll(pieces)) {
    if (fragmentStart.test(piece)) break
    at += piece.length
  }
  const before = written.slice(0, at).trimEnd()
  const hasQuery =
    url
      .replace(/\{\{[^{}]*\}\}/g, '')
      .split('#')[0]
      ?.includes('?') ?? false
  const isOpen = /(?:[?&]|&amp;)$/i.test(before)
  const sign = isOpen ? '' : hasQuery ? separator : '?'
  return `${before}${sign}${added.replaceAll('&', separator)}${written.slice(at)}`
}
