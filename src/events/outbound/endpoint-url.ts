import { invalid } from '../../kernel/errors.ts'
import { ForbiddenAddress, type Outbound } from '../../kernel/web/outbound.ts'

/** The URL is indexed, and longer URLs are not supported by all software. */
const maxUrlLength = 2_000

/** Timeout of the address check when a webhook is saved. */
const resolveTimeoutMs = 2_000

/**
 * Parses the URL of an endpoint and normalizes it as the WHATWG URL standard does, so that equal URLs have equal text.
 * `field` is the name of the field in errors.
 *
 * **Throws** VALIDATION_ERROR for text that is not an http or https URL, and for a URL with credentials or a fragment.
 */
export function readEndpoint(input: string, field = 'url'): URL {
  const invalidUrl = (message: string) => invalid({ [field]: [message] })
  // The URL parser would silently drop these characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are matched on purpose
  if (/[\x00-\x20\x7f]/.test(input) || !input.isWellFormed() || !URL.canParse(input)) {
    throw invalidUrl('must be an http or https URL')
  }
  const url = new URL(input)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidUrl('must be an http or https URL')
  if (url.username !== '' || url.password !== '') throw invalidUrl('must not contain a user name or password')
  if (input.includes('#')) throw invalidUrl('must not contain a fragment')
  if (url.href.length > maxUrlLength) throw invalidUrl(`must have at most ${maxUrlLength} characters`)
  return url
}

/**
 * Checks that the host of an endpoint is on the public Internet. A name that cannot be resolved yet is accepted, because each
 * delivery attempt checks again. **Throws** VALIDATION_ERROR.
 */
export async function mustBeReachable(url: URL, outbound: Outbound, field = 'url'): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, resolveTimeoutMs)
  })
  try {
    await Promise.race([outbound.reach(url), timeout])
  } catch (error) {
    if (error instanceof ForbiddenAddress) throw invalid({ [field]: ['must be an address on the public Internet'] })
  } finally {
    clearTimeout(timer)
  }
}
